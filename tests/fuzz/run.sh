#!/usr/bin/env bash
# run.sh [SECONDS]: each target under libFuzzer with ASan and UBSan, one a core; 30 s each unless told. Findings stay in
# build-asan/.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
build=${BRIGADE_FUZZ_BUILD:-$root/build-asan}
targets=(scenario topology import trace)
seconds=${1:-30}

command -v clang++ >/dev/null || { echo "needs clang and libclang-rt-14-dev" >&2; exit 2; }
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 \
  -DBRIGADE_SANITIZE=ON -DBRIGADE_FUZZ=ON >/dev/null
cmake --build "$build" --target "${targets[@]/#/libfuzzer_}"
cd "$build"
# fuzz TARGET: tells at its end what it did.
fuzz() {
  mkdir -p "corpus/$1"
  local status=0
  tests/libfuzzer_"$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 -print_final_stats=1 \
    -verbosity=0 "corpus/$1" "$root/tests/fuzz/corpus/$1" >"corpus/$1.log" 2>&1 || status=1
  printf 'fuzzed %s for %s s\n%s\n' "$1" "$seconds" "$(cat "corpus/$1.log")"
  return $status
}
export -f fuzz
export root seconds
echo "fuzzing ${targets[*]}, $(nproc) at a time"
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'fuzz {}'
