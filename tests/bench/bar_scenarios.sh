#!/usr/bin/env bash
# bar_scenarios.sh FOLDER: writes the scenario files that bench_bars runs.
set -euo pipefail
folder=$1
topologies=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../topologies" && pwd)
mkdir -p "$folder"

# N GPUs on one switch of 50 GB/s: two links of 2.5 us a message.
one_switch() {
  cat <<EOF
brigade: 1
cluster:
  node_types:
    star: {gpus: $1, nvlink: {family: switched, bandwidth: 50 GB/s, latency: 2.5 us}}
  nodes: [{type: star}]
EOF
}

# NAME N ALGORITHM SIZE: one all-reduce on one switch.
all_reduce() {
  {
    one_switch "$2"
    echo "jobs: {reduce: {kind: collective, ranks: \"node[0].gpu[*]\", algorithm: $3, sizes: [$4]}}"
  } >"$folder/$1.yaml"
}

# N: two thirds of the links slower, each rank starts at another time.
uneven() {
  awk -v n="$1" 'BEGIN {
    print "changes:"
    for (r = 1; r < n; r += 3) printf "  - {links: \"node[0].gpu[%d]\", bandwidth: 98 %%}\n", r
    for (r = 2; r < n; r += 3) printf "  - {links: \"node[0].gpu[%d]\", bandwidth: 94.60000002 %%}\n", r
    for (r = 0; r < n; ++r) printf "  - {ranks: %d, start: %d ns}\n", r, r * 7919 % n
  }'
}

all_reduce ring_1024 1024 ring "1 GB"
all_reduce ring_4096 4096 ring "1 GB"
all_reduce butterfly_65536 65536 butterfly "1 MiB"
all_reduce halving_doubling_65536 65536 halving_doubling "1 MiB"
for n in 1024 4096; do
  all_reduce ring_${n}_uneven $n ring "1 GB"
  uneven $n >>"$folder/ring_${n}_uneven.yaml"
done

# NAME SIZE: 4,096 workers send to one port.
incast() {
  {
    one_switch 4097
    echo "jobs:"
    echo "  push:"
    echo "    {kind: collective, ranks: \"node[0].gpu[*]\", collective: send_recv, sends: [{from: 1-4096, to: 0}], sizes: [$2]}"
    echo "changes:"
    awk 'BEGIN { for (r = 1; r <= 4096; ++r) printf "  - {ranks: %d, start: %d ns}\n", r, r * 7919 % 4096 }'
  } >"$folder/$1.yaml"
}
incast incast_4096 "1 GB"
incast incast_4096_half "500 MB"

cat >"$folder/ddp_1024.yaml" <<EOF
brigade: 1
cluster: {file: $topologies/lecture_h100.yaml, nodes: 128}
jobs:
  train:
    kind: ddp
    ranks: "node[*].gpu[*]"
    model:
      tensors: [{name: block, elements: 3538944, repeat: 384}]
    precision: {parameters: bf16, gradients: bf16}
    compute: {spread: parameters, tokens: 4096 tokens, kernel_efficiency: 45 %}
    buckets: {rule: fixed, cap: 25 MB, broadcast_buffers: false, gradient_as_bucket_view: true}
    all_reduce: {algorithm: hierarchical}
    optimizer: {kind: none}
    host_gap: 0 s
    run: {steps: 1, warmup: 0}
EOF

# 8,192 nodes in pods of 32 on rails, four pods share spines, cores join them: full bisection in three tiers.
cat >"$folder/hierarchical_65536.yaml" <<EOF
brigade: 1
cluster:
  file: $topologies/hgx_h100_rail.yaml
  nodes: 8192
  nodes_per_pod: 32
  spines: 32
  uplink_cables: 1
  pods_per_group: 4
  cores: 1024
jobs:
  reduce:
    kind: collective
    ranks: "node[*].gpu[*]"
    algorithm: {name: hierarchical, inner: ring, outer: halving_doubling}
    sizes: [8 MiB]
EOF
