// Walks the schema of studies: each documented key has a row here, and its row changes what the sweep prints.
#include <map>
#include <set>

#include "sim/scenario/study.h"
#include "tests/study/small_study.h"

using namespace brigade;

namespace {

const std::string kStudy =
    "brigade: 1\n"
    "name: sizes\n"
    "base:\n"
    "  cluster:\n"
    "    node_types: {n: {gpus: 8, nvlink: {family: switched, bandwidth: 50 GB/s, latency: 5 us}}}\n"
    "    nodes: [{type: n, count: 1}]\n"
    "  jobs: {a: {kind: collective, ranks: \"node[*].gpu[*]\", size: 1 KB}}\n"
    "set: {network.segment: whole}\n"
    "axes:\n"
    "  - {name: size, path: jobs.a.size, show: true, from: 1 MB, to: 2 MB, step: +1 MB}\n"
    "  - {name: algorithm, path: jobs.a.algorithm, values: [naive, ring, direct]}\n"
    "  - zip: [{path: seed, values: [1, 2]}, {path: name, values: [a, b]}]\n"
    "columns:\n"
    "  - {name: time_us, path: \"jobs.a.rows[0].time_us\"}\n"
    "  - {name: events, path: simulation.events}\n"
    "relative: {of: time_us, better: lowest, within: size, show: true}\n"
    "crossovers:\n"
    "  - {of: time_us, along: size, between: algorithm, values: [naive, ring]}\n";

struct Change {
  std::string from, to;
};

const std::map<std::string, Change> kRows = {
    {"name", {"name: sizes", "name: other"}},
    {"base", {"gpus: 8", "gpus: 4"}},
    {"set", {"network.segment: whole", "network.segment: 10 KB"}},
    {"axes[].zip[].path", {"path: seed", "path: jobs.a.run.steps"}},
    {"axes[].zip[].name", {"{path: seed", "{name: s, path: seed"}},
    {"axes[].zip[].values", {"values: [1, 2]", "values: [1, 3]"}},
    {"axes[].zip[].files", {"values: [1, 2]", "files: [1, 3]"}},
    {"axes[].zip[].from", {"values: [1, 2]", "from: 3, to: 4, step: +1"}},
    {"axes[].zip[].to", {"values: [1, 2]", "from: 1, to: 3, step: +2"}},
    {"axes[].zip[].step", {"values: [1, 2]", "from: 2, to: 4, step: x2"}},
    {"axes[].zip[].show", {"{path: seed", "{show: false, path: seed"}},
    {"axes[].path", {"path: jobs.a.size", "path: network.segment"}},
    {"axes[].name", {"name: size, path", "name: bytes, path"}},
    {"axes[].values", {"[naive, ring, direct]", "[naive, ring, tree]"}},
    {"axes[].files", {"values: [naive, ring, direct]", "files: [naive, ring, tree]"}},
    {"axes[].from", {"from: 1 MB", "from: 1.5 MB"}},
    {"axes[].to", {"to: 2 MB", "to: 3 MB"}},
    {"axes[].step", {"step: +1 MB", "step: +500 KB"}},
    {"axes[].show", {"show: true, from", "show: false, from"}},
    {"columns[].path", {"simulation.events", "simulation.messages"}},
    {"columns[].name", {"name: events", "name: number"}},
    {"relative.of", {"{of: time_us, better", "{of: events, better"}},
    {"relative.better", {"better: lowest", "better: highest"}},
    {"relative.within", {"within: size", "within: algorithm"}},
    {"relative.show", {"within: size, show: true", "within: size, show: false"}},
    {"crossovers[].of", {"- {of: time_us", "- {of: events"}},
    {"crossovers[].along", {"along: size", "along: seed"}},
    {"crossovers[].between", {"between: algorithm, values: [naive, ring]", "between: seed"}},
    {"crossovers[].values", {"values: [naive, ring]", "values: [naive, direct]"}},
};

std::string printed(const std::string& yaml) {
  const Scratch scratch;
  Diagnostics errors;
  auto prepared = prepare_study(scratch.write("study.yaml", yaml), {}, {}, errors);
  if (!prepared) return scratch.shortened(errors.text());
  Swept swept{std::move(*prepared), {}};
  swept.result = run_sweep(swept.prepared, {.threads = 2});
  return swept.print(print_sweep_text) + swept.print(print_sweep_json);
}

void walk(const SchemaKey& key, const std::string& path, std::set<std::string>& leaves) {
  if (key.children.empty()) {
    leaves.insert(path);
    return;
  }
  for (const SchemaKey& child : key.children) {
    const std::string name = child.key.empty() ? path + "[]"
                             : path.empty()    ? child.key
                                               : path + "." + child.key;
    walk(child, name, leaves);
  }
}

}  // namespace

TEST_CASE("every documented key of a study changes the output") {
  std::set<std::string> documented, known = {"brigade"};  // the version has one value
  walk(study_schema(), "", documented);
  const std::string before = printed(kStudy);
  REQUIRE(before.find("ring overtakes naive") != std::string::npos);
  for (const auto& [key, change] : kRows) {
    CAPTURE(key);
    known.insert(key);
    const size_t at = kStudy.find(change.from);
    REQUIRE(at != std::string::npos);
    CHECK(printed(std::string(kStudy).replace(at, change.from.size(), change.to)) != before);
  }
  CHECK(documented == known);
}
