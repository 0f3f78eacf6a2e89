#!/usr/bin/env bash
# brigade compare: results in files and scenarios, exit codes.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

bench a.yaml
call 0 run a.yaml --json
cp "$out" a.json
call 0 run a.yaml --json --set jobs.a.size=2KB
cp "$out" b.json
call 0 compare a.yaml a.json
has "$out" "figures are equal"
lacks "$out" "differences"
silent "$err"
call 0 compare a.json b.json
lines "$out" 1 'rows.*\.time_us +3\.0 +4\.0 +\+33\.3 %$|time_us +3\.0 +4\.0 +\+33\.3 %$'
call 0 compare a.yaml a.yaml --set-b jobs.a.size=2KB --csv
lines "$out" 1 'time_us.*,3\.0,4\.0,0\.333333$'
call 0 compare a.json b.json --fail-if 'time_us > +34%' --fail-if 'busbw_gb_per_s < -1%'
lines "$out" 2 '^  kept '
call 1 compare a.json b.json --fail-if 'time_us > +34%' --fail-if 'time_us > +33%'
lines "$out" 1 '^  broken  time_us > \+33%$'
has "$err" "limit broken: time_us > +33%"
call 1 compare a.json b.json --fail-if 'time_us > +33%' --json
python 'import json, sys; assert json.load(sys.stdin)["limits"][0]["failed"]'
call 2 compare a.json b.json --fail-if 'tim_us > +5%'
silent "$out"
has "$err" 'unknown figure "tim_us"; did you mean "time_us"?'
for usage in "compare a.json" "compare a.json nowhere.json" "compare a.json b.json --fail-if time_us" \
  "compare a.json b.json --json --csv" "compare a.json b.json --set seed=1" "compare a.json b.json --fail"; do
  # shellcheck disable=SC2086
  call 2 $usage
  silent "$out"
  lines "$err" 1 .
done
call 3 compare a.json b.json -o nowhere/c.txt
files a.yaml a.json b.json
finish
