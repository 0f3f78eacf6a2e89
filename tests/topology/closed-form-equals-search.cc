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
  for (const FabricSpec& fabric :
       {one_switch(), leaf_spine(2, 2), rail_optimised(2, 2), rail_optimised(0, 0)}) {
    const auto t = build(cluster({{node, 3}}, fabric));
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
