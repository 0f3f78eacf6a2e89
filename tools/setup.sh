# shellcheck shell=bash
# What the tools share: find missing packages, configure, build. Sourced, never run.
#
# Speaks on stderr only, one line a phase; the full log of a phase is build/<phase>.log and is shown when it fails.
# The caller sets `root` (the checkout). The variable BRIGADE_CMAKE_ARGS holds further arguments for cmake, if any.

readonly build="$root/build"
read -ra cmake_args <<<"${BRIGADE_CMAKE_ARGS:-}"
readonly cmake_args
readonly packages=(
  g++ cmake ninja-build libboost-dev libboost-graph-dev libyaml-cpp-dev libabsl-dev catch2 libcli11-dev
  libeigen3-dev nlohmann-json3-dev libpugixml-dev libsimdjson-dev libbenchmark-dev zlib1g-dev graphviz fonts-dejavu-core
)

say() { printf 'brigade: %s\n' "$*" >&2; }

die() {
  say "$@"
  exit 1
}

# phase NAME COMMAND...: runs it without a terminal's input, shows its log if it fails.
phase() {
  local name=$1 log="$build/$1.log"
  shift
  # Without the lock's descriptor: a daemon that apt starts must not hold it.
  "$@" </dev/null >"$log" 2>&1 9>&- && return
  tail -n 60 "$log" >&2
  die "$name failed; the full log is $log"
}

# Sets `missing` to those of the given Debian packages that are not installed.
find_missing() {
  local installed package
  missing=()
  installed=" $(dpkg-query -W -f='${db:Status-Status}=${Package} ' "$@" 2>/dev/null || true)"
  for package in "$@"; do
    [[ $installed == *" installed=$package "* ]] || missing+=("$package")
  done
}

# install_packages PACKAGE...: with apt, as root or through sudo without a password; else says what to do and stops.
install_packages() {
  local missing as_root=()
  if ! command -v dpkg-query >/dev/null; then
    command -v cmake >/dev/null && command -v ninja >/dev/null && return
    die "needs what Debian calls: $*; this system has no apt, please install its counterparts"
  fi
  find_missing "$@"
  ((${#missing[@]} > 0)) || return 0
  if [[ $(id -u) != 0 ]]; then
    if ! sudo -n true 2>/dev/null; then
      die "please install the missing packages first: sudo apt-get install --no-install-recommends ${missing[*]}"
    fi
    as_root=(sudo -n)
  fi
  command -v apt-get >/dev/null || die "please install the missing packages first: ${missing[*]}"
  say "installing ${missing[*]}"
  phase install apt_get_install "${missing[@]}"
}

# The lists of a fresh image are empty, and those of an old one name packages that are gone: update on failure only.
apt_get_install() {
  local apt=(env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -o DPkg::Lock::Timeout=300)
  local install=(install -y --no-install-recommends "$@")
  "${as_root[@]}" "${apt[@]}" "${install[@]}" && return
  "${as_root[@]}" "${apt[@]}" update
  "${as_root[@]}" "${apt[@]}" "${install[@]}"
}

# up_to_date STAMP: nothing that the command is built from is newer. A folder is newer when a file came or went.
up_to_date() {
  [[ -e $1 && -z $(find "$root/CMakeLists.txt" "$root/sim" "$root/tools" -newer "$1" -print -quit) ]]
}

# configure ARGUMENT...: where that was never done, or where the build folder came from another place, or where
# there are arguments to cmake.
configure() {
  local cache="$build/CMakeCache.txt"
  if [[ -e $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    rm -rf "$cache" "$build/CMakeFiles"
  fi
  if [[ -e $build/build.ninja && -e $cache && $# -eq 0 ]]; then return; fi
  say "configuring"
  phase configure cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@"
}

# lock: one build at a time; held until unlock or the end of the script.
lock() {
  mkdir -p "$build"
  exec 9>"$build/lock"
  flock -n 9 && return
  say "waiting for another build"
  flock 9
}

unlock() { exec 9>&-; }

# build_target TARGET STAMP: its stamp carries the time at which the build began, so that a file saved meanwhile
# is newer.
build_target() {
  : >"$2.new"
  say "building $1"
  phase build cmake --build "$build" --target "$1"
  mv "$2.new" "$2"
}
