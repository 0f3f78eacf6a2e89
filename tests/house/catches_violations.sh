#!/usr/bin/env bash
# check.sh accepts a small clean house and refuses each planted violation, by name.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
house=$(mktemp -d)
trap 'rm -rf "$house"' EXIT

# A house that keeps all rules, built anew for each case.
build_house() {
  rm -rf "${house:?}"/*
  mkdir -p "$house"/{sim/{base,topology,network,collective,scenario,report},tools,tests/{base,oracle},scenarios}
  for folder in sim sim/{base,topology,network,collective,scenario,report} tools tests tests/oracle scenarios; do
    echo "# plate" >"$house/$folder/README.md"
  done
  touch "$house"/{CMakeLists.txt,README.md,LICENSE} "$house/tests/base/a.cc" "$house/scenarios/a.yaml"
  echo '#include "sim/base/time.h"' >"$house/sim/base/time.cc"
  printf '%s\n' '#include <boost/graph/adjacency_list.hpp>' '#include "sim/base/time.h"' >"$house/sim/topology/graph.cc"
  echo '#include <yaml-cpp/yaml.h>' >"$house/sim/scenario/document.cc"
  echo '#include <CLI/CLI.hpp>' >"$house/tools/main.cc"
}

failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# refuses FILE LINE EXPECTED: with LINE added to FILE, check.sh fails and says EXPECTED.
refuses() {
  local output
  build_house
  mkdir -p "$(dirname "$house/$1")"
  printf '%b\n' "$2" >>"$house/$1"
  if output=$("$here/check.sh" "$house"); then
    fail "accepted in $1: $2"
  elif [[ $output != *"$3"* ]]; then
    fail "expected \"$3\" for $1: $2; got: $output"
  fi
}

build_house
"$here/check.sh" "$house" >/dev/null || fail "the clean house is refused: $("$here/check.sh" "$house" || true)"

refuses sim/base/a.h '#include "sim/network/link.h"' 'sim/base/a.h:1: base may not include network'
refuses sim/network/a.cc '#include "sim/collective/ring.h"' 'network may not include collective'
refuses sim/collective/a.cc '#include "sim/network/link.h"' 'collective may not include network'
refuses sim/collective/a.cc '#include "sim/topology/spec.h"' 'collective may not include topology'
refuses sim/scenario/a.cc '\n  #  include "sim/report/text.h"' 'sim/scenario/a.cc:2: scenario may not include report'
refuses sim/base/a.cc '#include "../report/text.h"' 'sim includes only sim'
refuses sim/base/a.cc '#include "tests/catch.h"' 'sim includes only sim'
refuses sim/plugins/a.cc 'int a;' 'sim/plugins/: not a floor of the design'
refuses sim/report/a.cc '#include <yaml-cpp/yaml.h>' 'only sim/scenario knows YAML'
refuses tools/a.cc '#include "yaml-cpp/yaml.h"' 'only sim/scenario knows YAML'
refuses sim/network/a.cc '#include <boost/graph/graphviz.hpp>' 'only .cc files of sim/topology know Boost'
refuses sim/topology/a.h '#include <boost/graph/graphviz.hpp>' 'only .cc files of sim/topology know Boost'
refuses sim/report/a.cc '#include <pugixml.hpp>' 'only .cc files of sim/topology know pugixml'
refuses sim/report/a.cc '#include <simdjson.h>' 'only .cc files of sim/replay know simdjson'
refuses sim/report/a.cc '#include <CLI/CLI.hpp>' 'only tools/ knows CLI11'
refuses sim/report/a.h 'struct Row {\n};\nclass Row final : Base {' 'two headers of sim define the type Row: sim/report/a.h'
refuses tests/fuzz/a.cc 'int a;' 'tests/fuzz: has no README.md'
refuses topologies/a.yaml 'name: a' 'topologies: has no README.md'
refuses sim/base/a.cc "$(printf '//\\n%.0s' {1..401})" 'at most 400'
refuses sim/base/a.cc "// TO""DO: later" 'unfinished work'
refuses tests/base/b.cc "// FIX""ME" 'unfinished work'
refuses sim/base/a.cc 'int a = std::rand();' 'not the same on every machine'
refuses sim/base/a.cc 'std::random_device device;' 'not the same on every machine'
refuses sim/base/a.cc 'auto t = std::chrono::system_clock::now();' 'not the same on every machine'
refuses sim/base/a.cc 'std::this_thread::sleep_for(1s);' 'not the same on every machine'
refuses tests/base/b.cc 'auto p = "/home/someone/a.yaml";' 'a path of one machine'
refuses sim/base/a.cc 'using namespace std;' 'no using namespace in sim'
refuses notes.txt 'hello' 'notes.txt: does not belong on the top level'

# Three files of sim/topology may know Boost, a fourth may not.
build_house
echo '#include <boost/graph/graphviz.hpp>' | tee "$house/sim/topology/"{b,c}.cc >"$house/sim/topology/d.cc"
output=$("$here/check.sh" "$house" || true)
[[ $output == *"more than three files include Boost"* ]] || fail "four files may know Boost"

((failures == 0)) && echo "every planted violation was caught"
