#!/usr/bin/env bash
# 0 fine, 1 a failed simulation, 2 usage or input error, 3 a file cannot be written, 130 interrupted.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

bench good.yaml
call 0 run good.yaml
call 0 check good.yaml
call 0 --version
call 0 --help
call 0 run --help

# A deadlock and a peer that cannot be reached are diagnosed.
scenario deadlock.yaml <<'YAML'
  a: {kind: collective, ranks: "node[*].gpu[*]", size: 1 KB, collective: send_recv, algorithm: listed,
      sends: [{from: 0, to: 1}], receives: [{from: 0, to: 1}, {from: 1, to: 0}]}
YAML
call 1 run deadlock.yaml
silent "$out"
has "$err" "rank 0"
call 1 run deadlock.yaml --json
silent "$out"
bench cut.yaml
echo 'changes: [{links: "node[0].gpu[1]", state: down}]' >>cut.yaml
call 1 run cut.yaml
silent "$out"
has "$err" "node[0].gpu[1]"
call 0 check cut.yaml

# A link that dies in mid-run, with no other way: the run ends when all know, with ranks, round and link.
bench dies.yaml
echo 'changes: [{links: "node[0].gpu[1]", state: down, at: 1 us}]' >>dies.yaml
call 1 run dies.yaml
silent "$out"
has "$err" "has no route to"
has "$err" "links that are down: "
has "$err" "waits in round"

for usage in "run" "rnu good.yaml" "run good.yaml --jsno" "run good.yaml --json --csv" "run good.yaml extra" \
  "run good.yaml --links many" "run good.yaml --seed x" "run good.yaml --set seed" "run good.yaml --set sed=1" \
  "run good.yaml --trace" "run good.yaml --trace-level job" "run good.yaml --trace t.json --no-trace" \
  "schedule" "schedule ring" "schedule rng -n 4" "schedule ring -n 0" "schedule ring -n 65" \
  "schedule ring -n 4 --values 1,2" "schedule tree -n 4 --collective broadcast --root 4" "topology" "schema extra"; do
  # shellcheck disable=SC2086
  call 2 $usage
  silent "$out"
  lines "$err" 1 .
done
call 2
silent "$out"
call 2 rnu good.yaml
has "$err" 'unknown command "rnu"; did you mean "run"?'
call 2 run good.yaml --jsno
has "$err" 'unknown option "--jsno"; did you mean "--json"?'

for unwritable in nowhere/t.json . good.yaml/t.json; do
  call 3 run good.yaml --trace "$unwritable"
  silent "$out"
  has "$err" "cannot write $unwritable"
  call 3 run good.yaml -o "$unwritable"
  silent "$out"
done
if [[ -e /dev/full ]]; then
  called="brigade run good.yaml >/dev/full"
  code=0
  "$brigade" run good.yaml >/dev/full 2>"$err" || code=$?
  ((code == 3)) || fail "exit code $code, expected 3"
fi

# Interrupted while it waits for a reader of its result, which is after the last byte of the timeline.
mkfifo timeline result
called="an interrupted brigade run good.yaml"
set -m  # or the command would ignore Ctrl-C, as all in the background do
"$brigade" run good.yaml --trace timeline -o result 2>"$err" &
cat timeline >/dev/null
kill -INT $!
code=0
wait $! || code=$?
((code == 130)) || fail "exit code $code, expected 130"

files cut.yaml deadlock.yaml dies.yaml good.yaml result timeline
finish
