// A user's mistakes in a cluster: each is named, all at once, none builds.
#include "absl/strings/str_split.h"
#include "tests/catch.h"
#include "tests/topology/clusters.h"

using namespace brigade;
using namespace brigade::testing;

namespace {

NodeType good() {
  NodeType t = node_type(NodeFamily::kSwitched, 8, 8);
  t.name = "hgx";
  return t;
}

ClusterSpec with(void (*change)(ClusterSpec&)) {
  ClusterSpec spec = cluster({{good(), 2}}, leaf_spine(2, 2));
  change(spec);
  return spec;
}

ClusterSpec written(void (*change)(ClusterSpec&)) {
  ClusterSpec spec;
  spec.vertices = {{"a", "gpu", {}, false, {}}, {"b", "gpu", {}, false, {}}, {"s", "switch", {}, false, {}}};
  spec.cables = {{"a", "s", cable(1, 1)}, {"b", "s", cable(1, 1)}};
  change(spec);
  return spec;
}

}  // namespace

TEST_CASE("mistakes in families") {
  struct Row {
    ClusterSpec spec;
    std::string message;
  };
  const std::vector<Row> rows = {
      {with([](ClusterSpec& s) { s.types[0].gpus = -1; }),
       "node type \"hgx\": gpus is -1; allowed: 0 to 1048576"},
      {with([](ClusterSpec& s) { s.types[0].nvswitches = 0; }),
       "node type \"hgx\": nvlink switches is 0; allowed: 1 to 64"},
      {with([](ClusterSpec& s) { s.types[0].family = NodeFamily::kHybridCubeMesh, s.types[0].gpus = 4; }),
       "node type \"hgx\": the hybrid cube mesh joins 8 gpus, not 4"},
      {with([](ClusterSpec& s) { s.types[0].gpus = 0; }),
       "node type \"hgx\": nvlink needs gpus, and there are none"},
      {with([](ClusterSpec& s) { s.types[0].gpus = 2000; }),
       "node type \"hgx\": gpus is 2000; allowed: up to 1024 (more only on NVLink switches alone, without "
       "nics, host or pcie)"},
      {with([](ClusterSpec& s) { s.types[0].pcie_switches = 3; }),
       "node type \"hgx\": 8 gpus do not divide by 3 pcie switches\nnode type \"hgx\": 8 nics do not divide "
       "by 3 pcie switches"},
      {with([](ClusterSpec& s) { s.types[0].pcie_switches = 4, s.types[0].sockets = 3; }),
       "node type \"hgx\": 4 pcie switches do not divide by 3 sockets"},
      {with([](ClusterSpec& s) { s.types[0].sockets = 2; }),
       "node type \"hgx\": 2 sockets need pcie switches to divide among them"},
      {with([](ClusterSpec& s) { s.types[0].nic_port.cables = 0; }),
       "node type \"hgx\": nic port cable: cables is 0; allowed: 1 to 1024"},
      {with([](ClusterSpec& s) { s.types[0].nvlink.cost = 0; }),
       "node type \"hgx\": nvlink: cost is 0; allowed: 1 to 1000000"},
      {with([](ClusterSpec& s) { s.types[0].nvlink.latency = nanoseconds(-1); }),
       "node type \"hgx\": nvlink: negative latency"},
      {with([](ClusterSpec& s) { s.types.push_back(s.types[0]); }), "node type \"hgx\": the name is taken"},
      {with([](ClusterSpec& s) { s.nodes[0].type = "hgz"; }),
       "unknown node type \"hgz\"; did you mean \"hgx\"?"},
      {with([](ClusterSpec& s) { s.nodes[0].count = 0; }),
       "nodes of type \"hgx\": count is 0; allowed: 1 to 16777216"},
      {with([](ClusterSpec& s) { s.nodes[0].count = 16'000'000; }),
       "cluster: about 288000000 devices, switches and nics; allowed: 16777216\n"
       "cluster: about 656000000 cables; allowed: 134217728"},
      {with([](ClusterSpec& s) { s.nodes.clear(); }), "the cluster has no nodes and no vertices"},
      {with([](ClusterSpec& s) { s.fabric.spines = 0; }), "fabric: spines is 0; allowed: 1 to 4096"},
      {with([](ClusterSpec& s) { s.fabric.oversubscription = 0; }),
       "fabric: oversubscription is 0; it must be above 0 (1 for full bandwidth)"},
      {with([](ClusterSpec& s) { s.fabric.oversubscription = 2, s.fabric.uplink = cable(1, 1); }),
       "fabric: give uplink or oversubscription, not both"},
      {with([](ClusterSpec& s) { s.fabric.cores = 3; }),
       "fabric: 3 cores do not divide by 2 spines: each spine of a group has cores of its own"},
      {with([](ClusterSpec& s) { s.fabric.group_by_rail = true; }),
       "fabric: group_by_rail needs rails: family rail_optimised"},
      {with([](ClusterSpec& s) { s.fabric = fat_tree(0, 3); }),
       "fabric: needs ports, or down and up with one number a tier, for two or three tiers; given: 0 down, 0 "
       "up"},
      {with([](ClusterSpec& s) { s.fabric = fat_tree(7, 3); }),
       "fabric: 7 ports do not divide into as many down as up"},
      {with([](ClusterSpec& s) {
         s.fabric = xgft({4, 4}, {2, 4});
       }),
       "fabric: up starts with 2; allowed: 1, a NIC has one port"},
      {with([](ClusterSpec& s) { s.fabric = fat_tree(4, 2); }),
       "fabric: 16 NICs, and the fat tree has ports for 8"},
      {with([](ClusterSpec& s) { s.fabric = fat_tree(4, 3), s.fabric.nodes_per_leaf = 2; }),
       "fabric: nodes_per_leaf has no place in a fat tree: NICs fill the ports of a leaf"},
      {with([](ClusterSpec& s) { s.types[0].nics = 0; }), "a fabric needs nodes with nics, and none has any"},
      // Counts that mean nothing here are looked at all the same: cables and switches are counted with them.
      {with([](ClusterSpec& s) {
         s.types[0].family = NodeFamily::kNone, s.types[0].nvswitches = -1, s.types[0].nics = 0;
       }),
       "node type \"hgx\": nvlink switches is -1; allowed: 0 to 64"},
      {with([](ClusterSpec& s) { s.fabric = {}; }),
       "the cluster falls into 2 pieces: no cables join node[0].gpu[0] and node[1].gpu[0]"},
      {with(
           [](ClusterSpec& s) { s.types[0].family = NodeFamily::kNone, s.types[0].nics = 4, s.fabric = {}; }),
       "the cluster falls into 8 pieces: no cables join node[0].gpu[0] and node[0].gpu[2]"},
  };
  for (const Row& row : rows) CHECK(errors_of(row.spec) == row.message);
}

TEST_CASE("mistakes in what is written out") {
  struct Row {
    ClusterSpec spec;
    std::string message;
  };
  const std::vector<Row> rows = {
      {written([](ClusterSpec& s) { s.vertices[1].name = "a"; }),
       "the name \"a\" is taken\nunknown vertex \"b\"; allowed: a, a, s"},
      {written([](ClusterSpec& s) { s.vertices[2].kind = "swich"; }),
       "unknown kind \"swich\"; did you mean \"switch\"?"},
      {written([](ClusterSpec& s) {
         s.vertices[0].model = "h100";
         s.models["h200"];
       }),
       "unknown model \"h100\"; did you mean \"h200\"?"},
      {written([](ClusterSpec& s) {
         s.cables[1].b = "a";
         s.cables[1].a = "a";
       }),
       "a cable from \"a\" to itself"},
      {written([](ClusterSpec& s) { s.cables.pop_back(); }), "no cable leads to \"b\""},
      {written([](ClusterSpec& s) {
         s.vertices.push_back({"c d", "gpu", {}, false, {}});
       }),
       "\"c d\" is no name: no spaces, commas or *; brackets only around numbers"},
      {written([](ClusterSpec& s) {
         s.vertices.push_back({"c[x]", "gpu", {}, false, {}});
       }),
       "\"c[x]\" is no name: no spaces, commas or *; brackets only around numbers"},
      {written([](ClusterSpec& s) { s.vertices[0].kind = s.vertices[1].kind = "nic"; }),
       "the cluster has no gpu and no host"},
      {written([](ClusterSpec& s) {
         s.vertices.push_back({"c", "gpu", {}, false, {}});
         s.vertices.push_back({"d", "gpu", {}, false, {}});
         s.cables.push_back({"c", "d", cable(1, 1)});
       }),
       "the cluster falls into 2 pieces: no cables join a and c"},
  };
  for (const Row& row : rows) CHECK(errors_of(row.spec) == row.message);
}

TEST_CASE("mistakes in changes") {
  const ClusterSpec spec = with([](ClusterSpec&) {});
  CHECK(errors_of(spec, {{"node[9].nic[0]", 0.5, false, {}}}).find("matches nothing") != std::string::npos);
  for (const double share : {0.0, -0.5, 1.5}) {
    CHECK(errors_of(spec, {{"node[0].nic[0]", share, false, {}}}).find("allowed: above 0 %") !=
          std::string::npos);
  }
}

TEST_CASE("all mistakes come at once, each with its place") {
  ClusterSpec spec = with([](ClusterSpec& s) {
    s.types[0].sockets = 2;
    s.types[0].at = {"c.yaml", 4, 3};
    s.nodes[0].type = "hgz";
    s.nodes[0].at = {"c.yaml", 9, 1};
    s.fabric.spines = -1;
    s.fabric.at = {"c.yaml", 12, 1};
  });
  Diagnostics errors;
  CHECK(build_topology(spec, {}, errors) == nullptr);
  REQUIRE(errors.list().size() == 3);
  CHECK(errors.list()[0].place.line == 4);
  CHECK(errors.list()[1].place.line == 9);
  CHECK(errors.list()[2].place.line == 12);
}
