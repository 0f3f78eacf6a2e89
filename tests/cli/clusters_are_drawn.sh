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
  # Of many equal nodes two are simulated, and all are drawn.
  scenario many.yaml <<<'  a: {kind: collective, ranks: "node[*].gpu[*]", size: 1 KB}'
  sed -i 's/nvlink: {family: ring, bandwidth: 1 GB.s, latency: 1 us}/nics: {count: 2, host: {bandwidth: 8 GB\/s, latency: 1 us}, port: {bandwidth: 1 GB\/s, latency: 1 us}}/
    s/count: 1}\]/count: 200}]\n  fabric: {family: switch}/' many.yaml
  call 0 run many.yaml --svg folded.svg
  call 0 run many.yaml --svg whole.svg --no-fold
  has folded.svg "x 200"
  cmp -s folded.svg whole.svg || fail "the drawings differ"
  rm pod.svg busy.svg folded.svg whole.svg many.yaml
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
