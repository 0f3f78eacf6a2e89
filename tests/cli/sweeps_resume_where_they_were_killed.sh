#!/usr/bin/env bash
# brigade sweep from outside: formats, files, exit codes; killed in the middle and gone on with, it loses nothing.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

bench base.yaml
cat >study.yaml <<'YAML'
brigade: 1
base: base.yaml
axes:
  - {path: jobs.a.size, from: 20 KB, to: 20 MB, step: +40 KB}
YAML

call 0 sweep study.yaml --no-results --csv
silent "$err"
lines "$out" 501 .
cp "$out" "$scratch/whole"
for threads in 1 3; do
  call 0 sweep study.yaml --no-results --csv -j $threads
  cmp -s "$out" "$scratch/whole" || fail "$threads threads print other bytes"
done
files base.yaml study.yaml

# Killed when some points have ended, and again, and then gone on with.
called="a killed brigade sweep"
for minimum in 100 300; do
  "$brigade" sweep study.yaml --resume -j 1 >"$out" 2>"$err" &
  while kill -0 $! 2>/dev/null && (($(wc -l 2>/dev/null <study.results.jsonl || echo 0) < minimum)); do :; done
  kill -KILL $! 2>/dev/null || true
  wait $! || true
done
(($(wc -l <study.results.jsonl) >= 300)) || fail "too few lines"
printf '{"point": 499, "input_ha' >>study.results.jsonl
call 0 sweep study.yaml --resume --csv
cmp -s "$out" "$scratch/whole" || fail "the resumed sweep prints other bytes"
has "$err" "a half-written line; its point runs again"
lines study.results.jsonl 501 '^\{.*\}$'
call 0 sweep study.yaml --resume --csv
cmp -s "$out" "$scratch/whole" || fail "the complete file prints other bytes"
silent "$err"

# What is there is not overwritten unasked.
cp study.results.jsonl "$scratch/results"
call 2 sweep study.yaml
silent "$out"
has "$err" "study.results.jsonl is there already; --resume goes on with it, --restart begins anew"
cmp -s study.results.jsonl "$scratch/results" || fail "the results file was touched"
call 0 sweep study.yaml --restart --csv -o table.csv
silent "$out"
cmp -s table.csv "$scratch/whole" || fail "-o writes other bytes"
call 0 sweep study.yaml --resume --columns simulation.events,jobs.a.rows[0].rounds --csv
has "$out" "size,events,rounds,relative,error"
rm study.results.jsonl table.csv

# Shards, as a job array has them, merged.
for shard in 1/3 2/3 3/3; do
  call 0 sweep study.yaml --shard $shard
done
call 0 sweep merge study.yaml study.1of3.results.jsonl study.2of3.results.jsonl study.3of3.results.jsonl --csv
cmp -s "$out" "$scratch/whole" || fail "merged shards print other bytes"
call 1 sweep merge study.yaml study.1of3.results.jsonl study.3of3.results.jsonl --csv
lines "$out" 167 'not run: in none of the files$'
has "$err" "167 of 500 points failed"
rm study.*.jsonl

# Formats and failures.
cat >small.yaml <<'YAML'
brigade: 1
base: base.yaml
axes:
  - {path: jobs.a.collective, values: [all_reduce, broadcast]}
  - {path: jobs.a.algorithm, values: [ring, chain]}
YAML
call 1 sweep small.yaml --no-results
lines "$out" 2 ' failed +- +-$'
has "$out" 'collective all_reduce, algorithm chain: small.yaml:5:45: unknown algorithm "chain"'
has "$err" "2 of 4 points failed"
call 1 sweep small.yaml --no-results --markdown
lines "$out" 6 '^\| .* \|$'
call 1 sweep small.yaml --no-results --json
python 'import json, sys; r = json.load(sys.stdin)["rows"]; assert [x["error"] is None for x in r] == [True, False, False, True]'

for usage in "sweep" "sweep study.yaml --jsno" "sweep study.yaml --csv --json" "sweep study.yaml --shard 4/3" \
  "sweep study.yaml --resume --restart" "sweep study.yaml --no-results --resume" "sweep study.yaml -j 0" \
  "sweep merge" "sweep merge study.yaml" "sweep base.yaml" "sweep nowhere.yaml" "sweep study.yaml --set jobs.a.size=1KB" \
  "schema scenari"; do
  # shellcheck disable=SC2086
  call 2 $usage
  silent "$out"
  lines "$err" 1 .
done
call 2 sweep study.yaml --no-results --columns jobs.a.rows[0].tim_us
has "$err" 'did you mean "time_us"?'
call 3 sweep study.yaml --results nowhere/r.jsonl
silent "$out"
call 2 run study.yaml
has "$err" "study.yaml: error: is a study; to run it: brigade sweep"
call 0 check study.yaml
has "$out" "study.yaml: ok: 500 points of base.yaml"
call 0 schema study
has "$out" "axes: list of maps"
files base.yaml study.yaml small.yaml
finish
