#!/usr/bin/env bash
# The commands that only show something.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

call 0 schedule ring -n 4 --values 1,10,100,1000
silent "$err"
for rank in 0 1 2 3; do
  tail -n 8 "$out" | grep -qE "^ +rank $rank +1111\*? +1111\*? +1111\*? +1111\*?$" || fail "rank $rank has no sums"
done
call 0 schedule ring --values 1,10,100,1000
has "$out" "4 ranks"
call 0 schedule chain -n 3
has "$out" "chain broadcast: 3 ranks"
call 0 schedule tree -n 5 --collective reduce --root 2
has "$out" "tree reduce: 5 ranks"
call 0 schedule hierarchical -n 8 --group 4 --inner direct --outer ring
has "$out" "inside direct, across ring"
call 0 schedule --list
lines "$out" 1 '^all_reduce +ring '

for machine in "$source_dir"/topologies/*.yaml; do
  call 0 topology "$machine"
  silent "$err"
  lines "$out" 1 '^diameter: '
  lines "$out" 1 ' each way at most, '
  call 0 topology "$machine" --dot
  lines "$out" 1 '^digraph '
done
call 0 topology "$source_dir/topologies/lecture_h100.yaml" --set nodes=3
has "$out" "3 nodes, 24 GPUs"
bench a.yaml
call 0 topology a.yaml
has "$out" "1 node, 2 GPUs"

call 0 memory llama2-7b --ranks 64 --stage 3 --device-memory 80GB
silent "$err"
has "$out" "  fits 80 GB: "
call 0 memory 7e9 --device-memory 80GB
has "$out" "  does not fit 80 GB: "
call 0 memory gpt2-xl --batch 32 --activations zero_paper --recompute full --csv
has "$out" "activations,6291456000,"
call 0 memory gpt2 --preset fsdp2 --json
has "$out" '"preset": "fsdp2"'
call 2 memory gtp2
has "$err" 'did you mean "gpt2"?'
silent "$out"
call 2 memory gpt2 --preset megatron --stage 3
has "$err" "megatron has no stage 3; allowed: 1, 0"
call 2 memory

call 0 schema
has "$out" "brigade: 1"
call 0 schema --json
has "$out" "\"\$schema\""
finish
