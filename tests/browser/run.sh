#!/usr/bin/env bash
# Opens the sample of tests/trace, and any traces named as arguments, in the parser of Chrome DevTools and in
# speedscope in headless Chromium. Says what it skips, and then exits with 77. Screenshots are left in build/browser.
#
#   tests/browser/run.sh [TRACE.json[.gz]...]
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${BRIGADE_BROWSER_OUT:-$root/build/browser}
test_trace=${BRIGADE_TEST_TRACE:-$root/build/tests/test_trace}
skipped=0

skip() {
  echo "SKIPPED: $*"
  skipped=1
}

# has COMMAND PACKAGE: the command is there, or its Debian package could be installed.
has() {
  command -v "$1" >/dev/null && return
  [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null || return 1
  echo "installing $2"
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$2" >"$out/install-$2.log" 2>&1 || true
  command -v "$1" >/dev/null
}

node_major() { node --version | sed 's/^v\([0-9]*\).*/\1/'; }

# packages_ready: node_modules holds what package-lock.json says.
packages_ready() {
  has node nodejs && has npm npm || { skip "no node or npm, and they could not be installed"; return 1; }
  (($(node_major) >= 18)) || { skip "needs Node 18, found $(node --version)"; return 1; }
  cmp -s "$here/package-lock.json" "$here/node_modules/.installed-lock.json" && return
  (cd "$here" && npm ci --no-audit --no-fund >"$out/npm.log" 2>&1) ||
    { skip "npm ci failed; its log is $out/npm.log"; return 1; }
  cp "$here/package-lock.json" "$here/node_modules/.installed-lock.json"
}

# check_parser TRACE [EXPECTED]: expected are our own counts, or without them those of the lines of the file.
check_parser() {
  local trace=$1 expected=${2:-$out/expected.json}
  (($# == 2)) || node "$here/load.mjs" --raw "$trace" >"$expected"
  node "$here/load.mjs" "$trace" >"$out/found.json"
  diff -u "$expected" "$out/found.json"
  echo "ok: trace_engine finds every slice and arrow of $trace"
}

check_viewer() {
  local trace=$1 shot
  shot=$out/$(basename "$trace").png
  node "$here/open.mjs" "$(command -v chromium)" "$trace" "$shot"
  echo "ok: speedscope opens $trace; see $shot"
}

mkdir -p "$out"
packages_ready || exit 77
[[ -x $test_trace ]] || { echo "build first (tools/test): there is no $test_trace" >&2; exit 1; }
BRIGADE_SAMPLE_DIR=$out "$test_trace" "[.sample]" >/dev/null
viewer=true
has chromium chromium || { skip "speedscope: chromium is not there and could not be installed"; viewer=false; }
for sample in "$out/sample.json" "$out/sample.json.gz"; do
  check_parser "$sample" "$out/sample.counts.json"
  if $viewer; then check_viewer "$sample"; fi
done
for trace in "$@"; do
  check_parser "$trace"
  if $viewer; then check_viewer "$trace"; fi
done
((skipped == 0)) || exit 77
