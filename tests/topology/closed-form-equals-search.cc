// Every route of every family: real links end to end, least cost by Boost's Dijkstra, within hops_max().
#include "sim/base/random.h"
#include "tests/catch.h"
#include "tests/topology/families.h"

using namespace brigade;
using namespace brigade::testing;

TEST_CASE("closed-form routes cost what search finds") {
  for (const NamedCluster& c : all_families()) {
    const auto t = build(c.spec);
    const std::vector<VertexId> devices = endpoints(*t);
    Random random(20240601);  // the seed
    std::string fault;
    for (int i = 0; i < 150 && fault.empty(); ++i) {
      const VertexId from = devices[random.below(devices.size())], to = devices[random.below(devices.size())];
      fault = fault_of_route(*t, t->router(), from, to, random.next());
    }
    INFO(c.name);
    CHECK(fault == "");
  }
}

TEST_CASE("all pairs of a small cluster of each fabric") {
  const NodeType node = pcie_node_type(NodeFamily::kSwitched, 4, 4, 2, 1);
  const NodeType one = node_type(NodeFamily::kNone, 1, 1), bare = node_type(NodeFamily::kNone, 1, 0);
  using F = FabricFamily;
  const std::vector<ClusterSpec> clusters = {
      cluster({{node, 3}}, one_switch()),
      cluster({{node, 3}}, leaf_spine(2, 2)),
      cluster({{node, 3}}, rail_optimised(2, 2)),
      cluster({{node, 3}}, rail_optimised(0, 0)),
      cluster({{node, 5}}, three_tiers(rail_optimised(1, 2), 2, 4)),
      cluster({{node, 5}}, by_rail(three_tiers(rail_optimised(1, 3), 2, 3))),
      cluster({{node, 4}}, fat_tree(6, 3)),
      cluster({{node, 4}}, fat_tree(12, 2)),
      cluster({{one, 15}}, fat_tree(4, 3)),
      cluster({{one, 15}}, dragonfly(1, 3, 2)),
      cluster({{one, 21}}, dragonfly(1, 3, 2)),
      cluster({{bare, 9}}, grid(F::kRing)),
      cluster({{bare, 16}}, grid(F::kHypercube)),
      cluster({{bare, 6}}, grid(F::kFullMesh)),
      cluster({{bare, 15}}, grid(F::kTorus, {5, 3})),
      cluster({{bare, 24}}, grid(F::kTorus, {2, 3, 4}))};
  for (const ClusterSpec& spec : clusters) {
    const auto t = build(spec);
    for (const VertexId from : endpoints(*t)) {
      for (const VertexId to : endpoints(*t))
        CHECK(fault_of_route(*t, t->router(), from, to, from * 31 + to) == "");
    }
  }
}

TEST_CASE("hops_max is reached, and a route to oneself is empty") {
  for (const NamedCluster& c : all_families()) {
    const auto t = build(c.spec);
    const VertexId v = endpoints(*t).front();
    LinkId none = kNone;
    CHECK(t->router().route(v, v, 7, &none) == 0);
    CHECK(none == kNone);
  }
  const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 8, 8), 4}}, rail_optimised(2, 2)));
  CHECK(route(*t, t->router(), vertex(*t, "node[0].gpu[0]"), vertex(*t, "node[3].gpu[5]"), 1).size() == 6);
}
