#!/usr/bin/env bash
# tracing_off_costs_nothing.sh WITH WITHOUT: the instructions that both programs execute are within 1 %.
# Ends with 77 (skipped) where there is no valgrind.
set -euo pipefail
if ! command -v valgrind >/dev/null; then
  echo "skipped: valgrind is not installed, so instructions cannot be counted"
  exit 77
fi
out=$(mktemp)
trap 'rm -f "$out" "$out.log"' EXIT

# Instructions of a program, of all its functions.
count() {
  valgrind --tool=callgrind --callgrind-out-file="$out" "$1" 2>"$out.log" >/dev/null || {
    cat "$out.log"
    return 1
  }
  sed -n 's/^==[0-9]*== Collected : \([0-9]*\).*/\1/p' "$out.log"
}

with=$(count "$1")
without=$(count "$2")
echo "instructions with tracing off: $with, without tracing: $without"
[[ -n $with && -n $without ]]
difference=$((with > without ? with - without : without - with))
if ((difference * 100 > without)); then
  echo "FAILED: they differ by more than 1 %"
  exit 1
fi
