#!/usr/bin/env bash
# tools/brigade on machines that miss packages, root, apt or nothing: apt, sudo, cmake and the rest are played by
# small scripts that write down how they were called.
# shellcheck disable=SC2016  # the actors' bodies expand when they play
set -euo pipefail
unset BRIGADE_CMAKE_ARGS  # of whoever runs the tests
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
calls="$stage/calls"

# actor NAME BODY: a program in the stage's PATH.
actor() {
  printf '#!/bin/bash\necho "%s $*" >>"%s"\n%s\n' "$1" "$calls" "$2" >"$stage/bin/$1"
  chmod +x "$stage/bin/$1"
}

# A checkout and a machine on which all is installed.
set_stage() {
  rm -rf "${stage:?}"/*
  mkdir -p "$stage"/{bin,house/{tools,sim/base},away}
  cp "$root"/tools/{brigade,setup.sh} "$stage/house/tools/"
  touch "$stage/house/CMakeLists.txt" "$stage/house/sim/base/a.cc"
  local name
  for name in bash env cat grep find mkdir mv rm tail touch true dirname readlink flock chmod sleep; do
    ln -s "$(type -P "$name")" "$stage/bin/$name"
  done
  : >"$calls"
  actor id 'echo 0'
  actor dpkg-query 'shift 2; for p in "$@"; do [[ $p == "${MISSING:-}" ]] || printf "installed=%s " "$p"; done'
  actor apt-get '[[ $* == *update* || -z ${LISTS_EMPTY:-} || -e "$0.updated" ]] || exit 100
[[ $* != *update* ]] || touch "$0.updated"'
  actor sudo 'exit 1'
  actor ninja ''
  actor cmake '
[[ -z ${CMAKE_FAILS:-} ]] || { echo "no such compiler"; exit 1; }
if [[ $1 == --build ]]; then
  [[ -z ${SLOW:-} ]] || sleep 0.3
  printf "#!/bin/bash\nprintf \"<%%s>\" \"\$PWD\" \"\$@\"\nexit 7\n" >"$2/brigade"; chmod +x "$2/brigade"
else
  touch "$4/build.ninja"; echo "CMAKE_HOME_DIRECTORY:INTERNAL=$2" >"$4/CMakeCache.txt"
fi'
}

# brigade ARGUMENT...: runs it in another folder; sets status, out, err.
brigade() {
  status=0
  (cd "$stage/away" && PATH="$stage/bin" "$stage/house/tools/brigade" "$@") \
    >"$stage/out" 2>"$stage/err" || status=$?
  out=$(<"$stage/out") err=$(<"$stage/err")
}

failures=0
# expect WHAT TEXT PATTERN
expect() {
  # shellcheck disable=SC2053  # a pattern
  if [[ $2 != $3 ]]; then
    echo "FAILED: $1: \"$2\" is not like \"$3\"; calls: $(<"$calls"); stderr: ${err:-}"
    failures=$((failures + 1))
  fi
}

# All installed: builds, and becomes the command with its arguments, folder, status, and a clean stdout.
set_stage
brigade run "a b.yaml"
expect "the command's status" "$status" 7
expect "the command's arguments" "$out" "<$stage/away><run><a b.yaml>"
expect "phases go to stderr" "$err" "*configuring*building brigade*"
expect "nothing was installed" "$(grep -c apt-get "$calls" || true)" 0

# A second call goes straight to the command: nothing but the command runs.
: >"$calls"
brigade run
expect "second call" "$status|$out|$err" "7|<$stage/away><run>|"
expect "second call starts nothing" "$(<"$calls")" ""

# A changed, a new and a removed source file each cause a build, without configuring again.
for change in "touch sim/base/a.cc" "touch sim/base/b.cc" "rm sim/base/b.cc" "touch tools/main.cc" "touch CMakeLists.txt"; do
  : >"$calls"
  sleep 0.02
  (cd "$stage/house" && $change)
  brigade run
  expect "build after: $change" "$(<"$calls")" "*cmake --build*"
  expect "no configuring after: $change" "$(grep -c 'cmake -S' "$calls" || true)" 0
done

# A build folder that was copied along from another place is configured anew.
: >"$calls"
echo "CMAKE_HOME_DIRECTORY:INTERNAL=elsewhere" >"$stage/house/build/CMakeCache.txt"
sleep 0.02
touch "$stage/house/sim/base/a.cc"
brigade run
expect "a moved folder is configured" "$(<"$calls")" "*cmake -S $stage/house*"

# Root: installs what is missing and nothing else.
set_stage
MISSING=catch2 brigade run
expect "as root" "$status" 7
expect "as root installs" "$(<"$calls")" "*apt-get *install -y --no-install-recommends catch2*"
expect "as root without sudo" "$(grep -c '^sudo' "$calls" || true)" 0

# The package lists of a fresh image are empty: update, then once more.
set_stage
MISSING=catch2 LISTS_EMPTY=1 brigade run
expect "empty lists" "$status" 7
expect "empty lists are updated" "$(<"$calls")" "*install*catch2*update*install*catch2*"

# No root, no sudo: says what to install, and stops.
set_stage
actor id 'echo 1000'
MISSING=libcli11-dev brigade run
expect "without root" "$status|$out" "1|"
expect "without root says what" "$err" "*sudo apt-get install --no-install-recommends libcli11-dev*"
expect "without root builds nothing" "$(grep -c '^cmake' "$calls" || true)" 0

# No root, but sudo without a password.
set_stage
actor id 'echo 1000'
actor sudo 'shift; exec "$@"'
MISSING=libcli11-dev brigade run
expect "with sudo" "$status" 7
expect "with sudo installs" "$(<"$calls")" "*sudo -n env *apt-get *install*libcli11-dev*"

# No apt: names the packages where the tools are missing, builds where they are there.
set_stage
rm "$stage/bin/dpkg-query" "$stage/bin/apt-get"
brigade run
expect "without apt, all there" "$status" 7
rm -rf "$stage/house/build" "$stage/bin/ninja"
brigade run
expect "without apt" "$status|$out" "1|"
expect "without apt says what" "$err" "*libyaml-cpp-dev*no apt*"

# A phase that fails shows its log.
set_stage
CMAKE_FAILS=1 brigade run
expect "a failing phase" "$status|$out" "1|"
expect "a failing phase shows its log" "$err" "*no such compiler*configure failed*configure.log*"

# Calls at the same time build once.
set_stage
for i in 1 2 3; do
  (cd "$stage/away" && SLOW=1 PATH="$stage/bin" "$stage/house/tools/brigade" "$i" >"$stage/out$i" 2>/dev/null) &
done
wait
expect "three calls at once" "$(cat "$stage"/out[123])" "<$stage/away><1><$stage/away><2><$stage/away><3>"
expect "three calls build once" "$(grep -c 'cmake --build' "$calls")" 1

((failures == 0)) && echo "the set-up does as promised"
