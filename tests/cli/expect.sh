# shellcheck shell=bash
# Sourced by the tests: `brigade` is the command, the working directory is empty and gone after the test.
set -euo pipefail
brigade=$(readlink -f "$1")
source_dir=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/work"
cd "$scratch/work"
out=$scratch/out err=$scratch/err
called=
failures=0

fail() {
  echo "FAILED: $called: $*"
  failures=$((failures + 1))
}

# call CODE ARGUMENT...: runs the command, which must end with CODE; what it printed is in $out and $err.
call() {
  local expected=$1 code=0
  shift
  called="brigade $*"
  "$brigade" "$@" >"$out" 2>"$err" </dev/null || code=$?
  ((code == expected)) || { fail "exit code $code, expected $expected"; cat "$err"; }
}

# python CODE: reads $out; without python3 that is left out, visibly.
python() {
  command -v python3 >/dev/null || { echo "left out, for there is no python3: $1"; return; }
  python3 -c "$1" <"$out" || fail "JSON cannot be read"
}

# has FILE TEXT: $out or $err contains TEXT.
has() { grep -qF -e "$2" "$1" || { fail "no \"$2\" in"; cat "$1"; }; }
lacks() { ! grep -qF -e "$2" "$1" || fail "unexpected \"$2\""; }
silent() { [[ ! -s $1 ]] || { fail "expected to print nothing, but"; cat "$1"; }; }
# lines FILE COUNT PATTERN: as many lines match.
lines() {
  local count
  count=$(grep -cE -e "$3" "$1" || true)
  ((count == $2)) || { fail "$count lines match $3, expected $2"; cat "$1"; }
}
# files NAME...: what is in the working directory, and nothing else.
files() {
  local found
  found=$(find . -mindepth 1 -printf '%P\n' | sort | tr '\n' ' ')
  [[ $found == "$(printf '%s\n' "$@" | sort | tr '\n' ' ')" ]] || fail "files: $found"
}

# scenario FILE: one that is fine; further lines of jobs come from the standard input.
scenario() {
  cat >"$1" <<'YAML'
brigade: 1
cluster:
  models: {g: {peak: {fp32: 1 TFLOP/s}}}
  node_types: {n: {gpus: 2, gpu: g, nvlink: {family: ring, bandwidth: 1 GB/s, latency: 1 us}}}
  nodes: [{type: n, count: 1}]
jobs:
YAML
  cat >>"$1"
}
bench() { scenario "$1" <<<'  a: {kind: collective, ranks: "node[*].gpu[*]", size: 1 KB}'; }

finish() {
  ((failures == 0)) || exit 1
  echo "as expected"
}
