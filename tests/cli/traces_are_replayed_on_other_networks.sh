#!/usr/bin/env bash
# brigade replay: the hand-made trace (scenarios/traces/README.md) on a cluster of four hosts at 10 GB/s, and what is
# said of traces that are none. A step is 600 us and the larger of its all-reduce and 300 us.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

trace=$source_dir/scenarios/traces/two_steps.json
cat >four.yaml <<'YAML'
brigade: 1
parameters: {bandwidth: 10 GB/s}
models: {gpu: {}}
node_types:
  host: {gpus: 1, gpu: gpu, nics: {count: 1, host: {bandwidth: $bandwidth, latency: 0 us}, port: {bandwidth: $bandwidth, latency: 0 us}}}
nodes: [{type: host, count: 4}]
fabric: {family: switch}
YAML

# takes STEP_US ARGUMENT...
takes() {
  local step=$1
  shift
  call 0 replay "$trace" --topology four.yaml "$@" --json
  silent "$err"
  has "$out" "\"step_time_us\": $step"
  has "$out" '"traced_step_time_us": 1000.0'
}
takes 1000.0
takes 1000.0 --ranks 2
takes 1200.0 --ranks 4            # 6 parts of 1 MB: 600 us
takes 900.0 --ranks 1             # nobody to reduce with
takes 1400.0 --set "bandwidth=5 GB/s"
takes 900.0 --set "bandwidth=40 GB/s"
takes 900.0 --durations none
takes 1000.0 --durations traced --ranks 3
takes null --durations never
has "$out" 'and never ends'
takes 1000.0 --network fluid
takes 1400.0 --ranks 3 --all-reduce naive   # everything to both others: 800 us

call 0 replay "$trace" --topology four.yaml
has "$out" '2 steps traced on 2 ranks, replayed on 2 ranks'
has "$out" 'ProfilerStep#1'
has "$out" 'stream 20: 2 (collectives: 2)'
call 0 replay "$trace" --topology four.yaml --csv
lines "$out" 1 '^two_steps.json,1,replay,replay,2,2,'
call 0 replay "$trace" --topology four.yaml --trace t.json --trace-ranks 0
has "$out" 'timeline: t.json'
rm t.json

# refused TEXT ARGUMENT...
refused() {
  local text=$1
  shift
  call 2 replay "$@"
  silent "$out"
  has "$err" "$text"
}
head -c 2000 "$trace" >cut.json
gzip -c "$trace" | head -c 300 >cut.json.gz
: >empty.json
echo '# notes' >notes.json
echo '{"nodes": [], "schema": "1.1.0"}' >execution.json
sed 's/nccl/my/g; s/Collective name/Other/' "$trace" >alone.json
refused 'cut.json:' cut.json --topology four.yaml
has "$err" 'is cut short: the JSON does not end'
refused 'cut.json.gz: error: is a gzip file that was cut short' cut.json.gz --topology four.yaml
refused 'empty.json: error: is empty' empty.json --topology four.yaml
refused 'notes.json: error: is no JSON' notes.json --topology four.yaml
refused 'execution.json: error: is an execution trace' execution.json --topology four.yaml
refused 'alone.json: error: holds no collective' alone.json --topology four.yaml
refused 'missing.json: error: cannot be read' missing.json --topology four.yaml
refused 'four.yaml: error: has 4 GPUs; --ranks asks for 5' "$trace" --topology four.yaml --ranks 5
refused '--ranks: error: "many"' "$trace" --topology four.yaml --ranks many
refused 'did you mean "traced"?' "$trace" --topology four.yaml --durations trace
refused '--topology is required' "$trace"
refused 'no.yaml: error: no such file' "$trace" --topology no.yaml
finish
