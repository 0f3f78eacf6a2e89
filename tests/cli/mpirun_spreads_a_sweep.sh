#!/usr/bin/env bash
# mpirun -n N brigade sweep: the same bytes from 2 to 4 processes; a process that dies loses no point.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
if ! command -v mpirun >/dev/null || [[ $(ldd "$brigade") != *libmpi* ]]; then
  echo "skipped: needs mpirun (openmpi-bin) and a brigade built where MPI was found (libopenmpi-dev)"
  exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export ASAN_OPTIONS=detect_leaks=0  # of the MPI library

bench base.yaml
cat >study.yaml <<'YAML'
brigade: 1
base: base.yaml
axes:
  - {path: jobs.a.collective, values: [all_reduce, broadcast]}
  - {path: jobs.a.algorithm, values: [ring, chain]}
  - {path: jobs.a.size, from: 20 KB, to: 2 MB, step: +40 KB}
YAML
call 1 sweep study.yaml --no-results --csv
cp "$out" "$scratch/whole"
for n in 2 3 4; do
  called="mpirun -n $n"
  code=0
  mpirun --oversubscribe -n $n "$brigade" sweep study.yaml --csv --restart >"$out" 2>"$err" || code=$?
  ((code == 1)) || fail "exit code $code, expected 1"
  cmp -s "$out" "$scratch/whole" || fail "other bytes"
  lines "$err" 1 '^brigade: 100 of 200 points failed'
  lines study.results.jsonl 201 .
done
called="mpirun of a study with a mistake"
code=0
mpirun --oversubscribe -n 3 "$brigade" sweep base.yaml >"$out" 2>"$err" || code=$?
((code == 2)) || fail "exit code $code, expected 2"
lines "$err" 1 'base.yaml: error: is a scenario, not a study'
rm study.results.jsonl study.yaml

# Points long enough to kill a process among them: many segments, and a late rank, so that no two ranks do the same.
{
  sed 's/gpus: 2/gpus: 8/; s/family: ring/family: switched/' base.yaml
  echo 'changes: [{ranks: 0, start: 1 us}]'
} >late.yaml
cat >slow.yaml <<'YAML'
brigade: 1
base: late.yaml
set: {network.segment: 1 KB, jobs.a.algorithm: naive}
axes: [{path: jobs.a.size, from: 20 MB, to: 35 MB, step: +1 MB}]
YAML
call 0 sweep slow.yaml --no-results --csv
cp "$out" "$scratch/whole"

# rank_2 MPIRUN: the process of rank 2, a child of that process.
rank_2() {
  local child
  for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
    grep -qzxF OMPI_COMM_WORLD_RANK=2 "/proc/$child/environ" 2>/dev/null || continue
    [[ $(readlink "/proc/$child/exe" 2>/dev/null) == "$brigade" ]] || continue
    echo "$child"
    return
  done
}
# kill_one ARGUMENT...: mpirun with these, whose rank 2 dies when two points have ended.
kill_one() {
  rm -f slow.results.jsonl
  called="mpirun $*, one process killed"
  mpirun "$@" --oversubscribe -n 3 "$brigade" sweep slow.yaml --csv --patience 2 >"$out" 2>"$err" &
  local mpi=$! victim=
  while kill -0 $mpi 2>/dev/null && [[ -z $victim ]]; do victim=$(rank_2 $mpi); done
  while kill -0 $mpi 2>/dev/null && (($(cat slow.results.jsonl 2>/dev/null | wc -l) < 2)); do :; done
  [[ -z $victim ]] || kill -KILL "$victim" || true
  code=0
  wait $mpi || code=$?
}

# mpirun ends all and says so; the sweep is gone on with.
kill_one
((code != 0)) || fail "mpirun says nothing of a killed process"
has "$err" "rank 2"
call 0 sweep slow.yaml --resume --csv
cmp -s "$out" "$scratch/whole" || fail "the resumed sweep prints other bytes"
# Or the others run the points of the one that died.
kill_one --enable-recovery
((code == 0)) || fail "exit code $code, expected 0"
cmp -s "$out" "$scratch/whole" || fail "other bytes"
has "$err" "brigade: rank 2 was lost; "
files base.yaml late.yaml slow.yaml slow.results.jsonl
finish
