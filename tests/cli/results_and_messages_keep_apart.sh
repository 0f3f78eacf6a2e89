#!/usr/bin/env bash
# Results are on stdout, all else on stderr; files appear only where they were asked for.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

bench a.yaml
for format in --text --json --csv; do
  call 0 run a.yaml "$format"
  silent "$err"
  cp "$out" "$scratch/first"
  call 0 run a.yaml "$format"
  cmp -s "$out" "$scratch/first" || fail "a second run prints other bytes"
  call 0 run a.yaml "$format" -o result
  silent "$out"
  silent "$err"
  cmp -s result "$scratch/first" || fail "-o writes other bytes"
  rm result
done
call 0 run a.yaml --json
lacks "$out" wall_s
call 0 run a.yaml --json --timing
has "$out" '"wall_s"'
call 0 run a.yaml --csv
lines "$out" 2 .
NO_COLOR=1 call 0 run a.yaml
lacks "$out" $'\e'

call 0 run a.yaml --trace t.json
has "$out" "timeline: t.json"
silent "$err"
call 0 run a.yaml --json --trace t.json.gz --trace-level segment --ranks 0-1 --window 0us:2us
has "$err" "timeline: t.json.gz"
lacks "$out" timeline
gzip -dc t.json.gz | grep -q traceEvents || fail "no timeline in t.json.gz"
mkdir elsewhere
echo 'trace: {file: t.json}' >>a.yaml
mv a.yaml elsewhere
call 0 run elsewhere/a.yaml
has "$out" "timeline: elsewhere/t.json"
call 0 run elsewhere/a.yaml --no-trace
lacks "$out" timeline
rm t.json t.json.gz
files elsewhere elsewhere/a.yaml elsewhere/t.json

call 0 run elsewhere/a.yaml --no-trace --set cluster.node_types.n.nvlink.bandwidth=20000GB/s
has "$err" "elsewhere/a.yaml"
has "$err" "warning: "
lacks "$out" warning
call 2 run elsewhere/a.yaml --no-trace --strict --set cluster.node_types.n.nvlink.bandwidth=20000GB/s
has "$err" "warning: "
silent "$out"
call 2 check elsewhere/a.yaml --strict --set cluster.node_types.n.nvlink.bandwidth=20000GB/s
call 0 run elsewhere/a.yaml --no-trace --strict
call 0 run "$source_dir/scenarios/zero_does_not_fit.yaml"
has "$err" 'job "train" does not fit'
has "$out" "does not fit 80 GB"
call 2 run "$source_dir/scenarios/zero_does_not_fit.yaml" --strict
silent "$out"
call 0 check elsewhere/a.yaml
lines "$out" 1 '^elsewhere/a.yaml: ok: 1 job, 2 ranks on '
silent "$err"
finish
