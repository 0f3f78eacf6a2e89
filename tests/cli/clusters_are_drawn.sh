#!/usr/bin/env bash
# brigade topology --svg and brigade run --svg: drawings by Graphviz, or words where it is missing.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

pod=$source_dir/topologies/hgx_h100_rail.yaml
bench a.yaml
if command -v dot >/dev/null; then
  call 0 topology "$pod" --svg pod.svg
  silent "$out"
  silent "$err"
  for text in '<svg' '</svg>' 'node[0..15]' 'x 16' 'spine[0..15]' 'equal parts are drawn once'; do has pod.svg "$text"; done
  for machine in "$source_dir"/topologies/*.yaml; do
    call 0 topology "$machine" --svg -
    has "$out" '</svg>'
    silent "$err"
  done
  call 0 run a.yaml --svg busy.svg
  has "$out" "all_reduce"
  has busy.svg "how busy links were"
  lines busy.svg 1 '[1-9][0-9]* %</text>'
  rm pod.svg busy.svg
else
  echo "without Graphviz: drawings are not looked at"
fi

# Without Graphviz: words, and no file.
called="brigade without dot"
code=0
PATH=$scratch/nowhere "$brigade" topology "$pod" --svg pod.svg >"$out" 2>"$err" || code=$?
((code == 1)) || fail "exit code $code, expected 1"
has "$err" "drawing needs Graphviz"

call 3 run a.yaml --svg no/such/folder.svg
silent "$out"
call 0 topology "$pod" --set nodes=1 --graphml
has "$out" "<graphml"
call 0 topology "$pod" --set nodes=1 --nccl
has "$out" '<nvlink target='
has "$err" "compute capabilities are guessed"
call 2 topology "$pod" --nccl
has "$err" "describes one server"
files a.yaml
finish
