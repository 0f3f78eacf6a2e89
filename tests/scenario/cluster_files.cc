// A cluster in a file of its own: paths beside the file, parameters, files that name files.
#include "tests/catch.h"
#include "tests/scenario/scratch.h"

using namespace brigade;

namespace {

constexpr const char* kCluster =
    "brigade: 1\n"
    "name: two GPUs a node\n"
    "parameters: {nodes: 2, rate: 100 GB/s}\n"
    "node_types: {n: {gpus: 2, nvlink: {family: ring, bandwidth: $rate, latency: 1 us}}}\n"
    "nodes: [{type: n, count: $nodes}]\n";

std::string scenario_with(const std::string& cluster) {
  return absl::StrCat("brigade: 1\ncluster: ", cluster,
                      "\njobs: {a: {kind: collective, ranks: x, size: 1 B}}\n");
}

struct Loaded {
  std::optional<Scenario> scenario;
  std::vector<std::string> errors;
};

Loaded load(const Scratch& scratch, const std::string& cluster,
            const std::vector<std::string>& overrides = {}) {
  const std::string file = scratch.write("scenarios/a.yaml", scenario_with(cluster));
  Diagnostics errors;
  std::optional<Scenario> scenario = load_scenario(file, overrides, errors);
  return {std::move(scenario), lines_of(errors, file, scratch)};
}

}  // namespace

TEST_CASE("parameters have defaults, which a scenario and --set replace") {
  const Scratch scratch;
  scratch.write("topologies/c.yaml", kCluster);
  const auto nodes = [&](const std::string& cluster, const std::vector<std::string>& overrides) {
    const Loaded loaded = load(scratch, cluster, overrides);
    CAPTURE(loaded.errors);
    REQUIRE(loaded.scenario.has_value());
    CHECK(loaded.scenario->cluster.name == "two GPUs a node");
    return loaded.scenario->cluster.nodes.at(0).count;
  };
  CHECK(nodes("{file: ../topologies/c.yaml}", {}) == 2);
  CHECK(nodes("{file: ../topologies/c.yaml, nodes: 16}", {}) == 16);
  CHECK(nodes("{file: ../topologies/c.yaml, nodes: 16}", {"cluster.nodes=3"}) == 3);
  CHECK(nodes("{file: ../topologies/c.yaml}", {"cluster.nodes=4"}) == 4);

  const Loaded fast = load(scratch, "{file: ../topologies/c.yaml, rate: 400 GB/s}");
  REQUIRE(fast.scenario.has_value());
  CHECK(fast.scenario->cluster.types.at(0).nvlink.bandwidth == Bandwidth::gb_per_s(400));
  const Loaded named = load(scratch, "{file: ../topologies/c.yaml, name: mine}");
  REQUIRE(named.scenario.has_value());
  CHECK(named.scenario->cluster.name == "mine");
}

TEST_CASE("a cluster written into the scenario may have parameters") {
  const Scratch scratch;
  const Loaded loaded =
      load(scratch, "{parameters: {n: 7}, node_types: {t: {gpus: 1}}, nodes: [{type: t, count: $n}]}");
  CAPTURE(loaded.errors);
  REQUIRE(loaded.scenario.has_value());
  CHECK(loaded.scenario->cluster.nodes.at(0).count == 7);
  CHECK(loaded.scenario->cluster.name == "a");
}

TEST_CASE("mistakes with cluster files") {
  const Scratch scratch;
  scratch.write("topologies/c.yaml", kCluster);
  scratch.write("topologies/none.yaml",
                "brigade: 1\nnode_types: {n: {gpus: 2}}\nnodes: [{type: n, count: $nods}]\n");
  scratch.write("topologies/self.yaml", "brigade: 1\nfile: self.yaml\n");
  scratch.write("topologies/to.yaml", "brigade: 1\nfile: fro.yaml\n");
  scratch.write("topologies/fro.yaml", "brigade: 1\nfile: ./../topologies/to.yaml\n");
  scratch.write("topologies/bad.yaml", "brigade: 1\nnode_typs: {}\nnodes: [{type: n}]\n");
  scratch.write("topologies/list.yaml", "brigade: 1\nparameters: {nodes: [1]}\nnodes: [{type: n}]\n");
  struct Row {
    const char* cluster;
    std::vector<std::string> errors;
  };
  const std::vector<Row> rows = {
      {"{file: ../topologies/c.yaml, node: 3}",
       {R"(2:39: unknown parameter "node" of topologies/c.yaml; did you mean "nodes"?)"}},
      {"{file: ../topologies/c.yaml, nodes: 0}",
       {R"(topologies/c.yaml:5:26: count "0" is out of range; allowed: 1 to 1048576)"}},
      {"{file: ../topologies/none.yaml, nodes: 3}",
       {R"(2:42: unknown parameter "nodes" of topologies/none.yaml, which has none)"}},
      {"{file: ../topologies/none.yaml}",
       {R"(topologies/none.yaml:3:26: unknown parameter "$nods"; no parameters are declared here)"}},
      {"{file: ../topologies/self.yaml}",
       {"topologies/self.yaml:2:7: a file that includes itself: scenarios/a.yaml -> topologies/self.yaml -> "
        "topologies/self.yaml"}},
      {"{file: ../topologies/to.yaml}",
       {"topologies/fro.yaml:2:7: a file that includes itself: scenarios/a.yaml -> topologies/to.yaml -> "
        "topologies/fro.yaml -> topologies/to.yaml"}},
      {"{file: a.yaml}", {"2:17: a file that includes itself: scenarios/a.yaml -> scenarios/a.yaml"}},
      {"{file: ../topologies}", {R"(2:17: cannot read "topologies": is a directory, not a file)"}},
      {"{file: b.yaml}", {R"(2:17: cannot read "scenarios/b.yaml": no such file)"}},
      {"{file: [b.yaml]}", {"2:17: file is a list; expected a path"}},
      {"{file: ../topologies/bad.yaml}",
       {R"(topologies/bad.yaml:2:1: unknown key "node_typs" in cluster; did you mean "node_types"?)",
        R"(topologies/bad.yaml:3:16: unknown type "n")"}},
      {"{file: ../topologies/list.yaml}",
       {R"(topologies/list.yaml:2:14: parameter "nodes" is a list; expected one value)"}},
      {"c.yaml", {"2:10: cluster is text; expected a map"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.cluster);
    CHECK(load(scratch, row.cluster).errors == row.errors);
  }
}

TEST_CASE("a cluster file may be another one with other parameters") {
  const Scratch scratch;
  scratch.write("topologies/c.yaml", kCluster);
  scratch.write("topologies/big.yaml",
                "brigade: 1\nname: big\nparameters: {racks: 4}\nfile: c.yaml\nnodes: $racks\n");
  const Loaded loaded = load(scratch, "{file: ../topologies/big.yaml, racks: 9}");
  CAPTURE(loaded.errors);
  REQUIRE(loaded.scenario.has_value());
  CHECK(loaded.scenario->cluster.name == "big");
  CHECK(loaded.scenario->cluster.nodes.at(0).count == 9);
}

TEST_CASE("load_cluster reads cluster files and the clusters of scenarios") {
  const Scratch scratch;
  const std::string cluster = scratch.write("topologies/c.yaml", kCluster);
  const std::string scenario =
      scratch.write("scenarios/a.yaml", scenario_with("{file: ../topologies/c.yaml, nodes: 5}"));
  Diagnostics errors;
  CHECK(load_cluster(cluster, {}, errors).value().cluster.nodes.at(0).count == 2);
  CHECK(load_cluster(cluster, {"nodes=6"}, errors).value().cluster.nodes.at(0).count == 6);
  CHECK(load_cluster(scenario, {}, errors).value().cluster.nodes.at(0).count == 5);
  CHECK(load_cluster(scenario, {"cluster.nodes=7"}, errors).value().cluster.nodes.at(0).count == 7);
  CHECK(errors.ok());
  CHECK_FALSE(load_cluster(cluster, {"node=6"}, errors).has_value());
  CHECK(scratch.shortened(errors.text()) ==
        "--set node: error: unknown parameter \"node\" of topologies/c.yaml; did you mean \"nodes\"?\n");
}
