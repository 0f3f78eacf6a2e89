#!/usr/bin/env bash
# Every kind of bad input: exit code 2, nothing on stdout, and on stderr the place, what was given, what is allowed.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# refused LINE:COLUMN TEXT: the file from the standard input, as bad.yaml.
refused() {
  cat >bad.yaml
  for command in check run; do
    call 2 $command bad.yaml
    silent "$out"
    has "$err" "bad.yaml:$1: error: "
    has "$err" "$2"
    has "$err" "^"
  done
}
# with TEXT NEW LINE:COLUMN MESSAGE: the good scenario, one piece of it replaced.
with() {
  bench good.yaml
  grep -qF -e "$1" good.yaml || fail "no $1 in the good scenario"
  local text
  text=$(<good.yaml)
  refused "$3" "$4" <<<"${text/"$1"/"$2"}"
  rm good.yaml
}

with 'jobs:' $'sede: 1\njobs:' 6:1 'unknown key "sede"; did you mean "seed"?'
with '1 GB/s' 1 4:71 'bandwidth "1" needs a unit: B/s, '
with '1 us' '-1 us' 4:88 'latency "-1 us" is negative'
with '1 KB' '99999999999 TB' 7:56 'size "99999999999 TB" is beyond the limit'
with '1 GB/s' '0 GB/s' 4:71 'zero'
with 'node[*].gpu[*]' 'node[*].nic[*]' 7:32 'node[*].nic[*]'
with 'node[*].gpu[*]' 'node[0].gpu[5]' 7:32 'node[0].gpu[5]'
with 'size: 1 KB' 'size: 1 KB, collective: broadcast, algorithm: tree, root: 2' 7:6 'root'
with $'jobs:\n  a: {kind: collective, ranks: "node[*].gpu[*]", size: 1 KB}' 'jobs: {}' 6:7 'jobs'
with 'jobs:' $'jobs:\n  a: {kind: collective, ranks: "node[0]", size: 1 KB}' 8:3 'duplicate key "a"'

refused 2:17 'cannot read "nowhere.yaml": no such file' <<'YAML'
brigade: 1
cluster: {file: nowhere.yaml}
jobs: {a: {kind: collective, ranks: "x", size: 1 KB}}
YAML
mkdir folder
refused 2:17 'is a directory, not a file' <<'YAML'
brigade: 1
cluster: {file: folder}
jobs: {a: {kind: collective, ranks: "x", size: 1 KB}}
YAML
rmdir folder
printf 'brigade: 1\nfile: itself.yaml\nnodes: 1\n' >itself.yaml
cat >bad.yaml <<'YAML'
brigade: 1
cluster: {file: itself.yaml}
jobs: {a: {kind: collective, ranks: "x", size: 1 KB}}
YAML
call 2 run bad.yaml
silent "$out"
has "$err" "itself.yaml"
rm itself.yaml
refused 3:37 'no cable leads to "b"' <<'YAML'
brigade: 1
cluster:
  vertices: [{name: a, kind: host}, {name: b, kind: host}]
jobs: {a: {kind: collective, ranks: [a, b], size: 1 KB}}
YAML
refused 3:3 'the cluster falls into 2 pieces' <<'YAML'
brigade: 1
cluster:
  node_types: {n: {gpus: 2, nvlink: {family: ring, bandwidth: 1 GB/s, latency: 1 us}}}
  nodes: [{type: n, count: 2}]
jobs: {a: {kind: collective, ranks: "node[*]", size: 1 KB}}
YAML
rm bad.yaml

call 2 run nowhere.yaml
has "$err" "nowhere.yaml: error: no such file"
call 2 run .
has "$err" ".: error: is a directory, not a file"

# Ten mistakes of ten kinds give ten lines, whether reading, building or preparing finds them.
cat >ten.yaml <<'YAML'
brigade: 1
sed: 3
cluster:
  models: {g: {peak: {fp32: 1 TFLOP/s}}}
  node_types: {n: {gpus: 2, gpu: g, nvlink: {family: ring, bandwidth: 1 GB/s, latency: 1 us}}}
  nodes: [{type: n, count: 1}]
network: {segment: 1024}
changes:
  - {links: "node[7].gpu[0]", state: down}
  - {ranks: 99, compute: 50 %}
jobs:
  a: {kind: collective, ranks: "node[*].gpu[*]", size: 1 KB, algorithm: rng}
  b: {kind: collective, ranks: "node[*].gpu[*]", size: -1 B}
  c: {kind: collective, ranks: "node[*].nic[*]", size: 1 KB}
  d: {kind: collective, ranks: "node[*].gpu[*]", size: 99999999999999999999 B}
  e: {kind: ddp, ranks: "node[*].gpu[*]"}
  f: {kind: collective, ranks: "node[*].gpu[*]", size: 1 KB, collective: broadcast, algorithm: tree, root: 5}
YAML
call 2 run ten.yaml --trace t.json
silent "$out"
lines "$err" 10 '^ten.yaml:[0-9]+:[0-9]+: error: '
lines "$err" 10 '^ +\| +\^$'

files ten.yaml
finish
