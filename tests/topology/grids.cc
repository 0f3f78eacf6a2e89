// Tori, hypercubes, rings, full meshes and dragonflies: switches, cables and ways have the numbers of the
// textbooks.
#include <algorithm>
#include <map>
#include <set>

#include "tests/catch.h"
#include "tests/topology/clusters.h"

using namespace brigade;
using namespace brigade::testing;

namespace {

NodeType bare_gpu() { return node_type(NodeFamily::kNone, 1, 0); }
NodeType with_nic() { return node_type(NodeFamily::kNone, 1, 1); }

// Links of the longest route between any two devices.
size_t diameter(const Topology& t) {
  size_t longest = 0;
  for (const VertexId from : endpoints(t)) {
    for (const VertexId to : endpoints(t))
      longest = std::max(longest, route(t, t.router(), from, to, 1).size());
  }
  return longest;
}

}  // namespace

TEST_CASE("GPUs cabled to each other: cables and diameters") {
  struct Row {
    FabricSpec fabric;
    int nodes;
    size_t cables, diameter;
  };
  using F = FabricFamily;
  for (const Row& row :
       std::vector<Row>{{grid(F::kRing), 1, 0, 0},
                        {grid(F::kRing), 2, 1, 1},
                        {grid(F::kRing), 7, 7, 3},
                        {grid(F::kRing), 8, 8, 4},
                        {grid(F::kFullMesh), 6, 15, 1},
                        {grid(F::kFullMesh, {3, 4}), 12, 12 + 18, 2},  // 4 lines of 3 points, 3 lines of 4
                        {grid(F::kHypercube), 16, 32, 4},
                        {grid(F::kTorus, {4, 4}), 16, 32, 4},
                        {grid(F::kTorus, {3, 5}), 15, 30, 3},
                        {grid(F::kTorus, {2, 3, 4}), 24, 12 + 24 + 24, 4},  // a side of two has one cable
                        {grid(F::kTorus, {1, 5}), 5, 5, 2},
                        {grid(F::kTorus, {4, 4, 4}), 64, 192, 6}}) {
    const auto t = build(cluster({{bare_gpu(), row.nodes}}, row.fabric));
    INFO(row.nodes << " nodes");
    CHECK(t->vertices().size() == static_cast<size_t>(row.nodes));
    CHECK(t->links().size() == 2 * row.cables);
    CHECK(diameter(*t) == row.diameter);
    CHECK(t->router().hops_max() == static_cast<int>(row.diameter));
  }
}

TEST_CASE("switches at the points carry nodes_per_leaf nodes each") {
  FabricSpec fabric = grid(FabricFamily::kTorus, {3, 3});
  fabric.nodes_per_leaf = 2;
  const auto t = build(cluster({{with_nic(), 17}}, fabric));
  CHECK(t->selectable() == "node[0-16].gpu[0], node[0-16].nic[0], switch[0-8]");
  CHECK(diameter(*t) == 6);  // GPU - NIC - switch, two more switches, and down
  CHECK(route(*t, t->router(), vertex(*t, "node[0].gpu[0]"), vertex(*t, "node[1].gpu[0]"), 1).size() == 4);
}

TEST_CASE("a torus goes the shorter way round, and both where they are equally long") {
  const auto t = build(cluster({{bare_gpu(), 8}}, grid(FabricFamily::kRing)));
  const auto next = [&](VertexId to, uint64_t flow) {
    return t->links()[route(*t, t->router(), 0, to, flow)[0]].to;
  };
  std::map<VertexId, int> ways;
  for (uint64_t flow = 0; flow < 400; ++flow) {
    CHECK(next(3, flow) == 1);
    CHECK(next(5, flow) == 7);
    ++ways[next(4, flow)];
  }
  CHECK(ways.size() == 2);
  CHECK(ways[1] > 150);
  CHECK(ways[7] > 150);
}

TEST_CASE("a full dragonfly has a cable between every two groups, and ways of at most three links") {
  // a = 4 routers, h = 2: 4 x 2 + 1 = 9 groups at most; p = 2.
  for (const int groups : {1, 2, 3, 5, 9}) {
    const auto t = build(cluster({{with_nic(), groups * 8}}, dragonfly(2, 4, 2)));
    const int pairs = groups * (groups - 1) / 2;
    const int cables_a_pair = groups == 1 ? 0 : 8 / (groups - 1);
    std::set<std::pair<VertexId, VertexId>> joined;
    std::vector<int> global_ports(t->vertices().size());
    int globals = 0;
    for (const Link& l : t->links()) {
      const Vertex &a = t->vertices()[l.from], &b = t->vertices()[l.to];
      if (a.kind != VertexKind::kSwitch || b.kind != VertexKind::kSwitch || a.index / 4 == b.index / 4)
        continue;
      ++globals;
      ++global_ports[l.from];
      joined.insert({a.index / 4, b.index / 4});
    }
    INFO(groups << " groups");
    CHECK(globals == 2 * pairs * cables_a_pair);
    CHECK(joined.size() == static_cast<size_t>(2 * pairs));
    CHECK(*std::max_element(global_ports.begin(), global_ports.end()) <= 2);
    CHECK(diameter(*t) <= 7);  // three between switches
  }
}

TEST_CASE("mistakes in grids and dragonflies") {
  struct Row {
    ClusterSpec spec;
    std::string message;
  };
  using F = FabricFamily;
  FabricSpec no_link = grid(F::kRing), cheap = dragonfly(1, 2, 1), two = grid(F::kRing);
  no_link.link.reset();
  cheap.global_link->cost = 1;
  two.nodes_per_leaf = 2;
  const std::vector<Row> rows = {
      {cluster({{bare_gpu(), 4}}, no_link), "fabric: needs the cable between neighbours: link"},
      {cluster({{bare_gpu(), 4}}, grid(F::kTorus)), "fabric: a torus needs the lengths of its sides"},
      {cluster({{bare_gpu(), 4}}, grid(F::kRing, {4})),
       "fabric: sides follow from the nodes here; only torus and full_mesh take them"},
      {cluster({{bare_gpu(), 6}}, grid(F::kHypercube)),
       "fabric: 6 points are no hypercube; allowed: a power of two"},
      {cluster({{bare_gpu(), 6}}, grid(F::kTorus, {2, 2})),
       "fabric: its sides make 4 points, and the nodes need 6"},
      {cluster({{bare_gpu(), 3}}, grid(F::kTorus, {2, 2})),
       "fabric: its sides make 4 points, and the nodes need 3"},
      {cluster({{bare_gpu(), 1000}}, grid(F::kRing)), "fabric: ways of up to 500 links; allowed: 200"},
      {cluster({{node_type(NodeFamily::kSwitched, 2, 0), 4}}, grid(F::kRing)),
       "fabric: joins NICs, or nodes that are a single device; these have neither"},
      {cluster({{bare_gpu(), 4}}, two),
       "fabric: nodes without NICs stand at a point each: nodes_per_leaf is 2"},
      {cluster({{with_nic(), 8}}, dragonfly(1, 2, 1)),
       "fabric: 4 groups, and 2 routers of 1 global links reach 2 other ones"},
      {cluster({{with_nic(), 4}}, cheap),
       "fabric: a global link costs 1 and a local one 1; allowed: at least twice as much, or ways through a "
       "third "
       "group would be as cheap"},
      {cluster({{with_nic(), 4}}, dragonfly(1, 0, 1)), "fabric: routers is 0; allowed: 1 to 1024"},
  };
  for (const Row& row : rows) {
    INFO(row.message);
    CHECK(errors_of(row.spec).substr(0, row.message.size()) == row.message);
  }
}
