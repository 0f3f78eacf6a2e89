// Flows spread over equal routes evenly, always the same way, and independently at each choice.
#include <cmath>
#include <map>

#include "sim/base/random.h"
#include "tests/catch.h"
#include "tests/topology/clusters.h"

using namespace brigade;
using namespace brigade::testing;

namespace {

std::map<std::vector<LinkId>, int> spread(const Topology& t, VertexId from, VertexId to, int flows) {
  Random random(3);  // the seed
  std::map<std::vector<LinkId>, int> count;
  for (int i = 0; i < flows; ++i) ++count[route(t, t.router(), from, to, random.next())];
  return count;
}

void check_even(const std::map<std::vector<LinkId>, int>& count, size_t routes, int flows) {
  CHECK(count.size() == routes);
  for (const auto& [unused, n] : count) {
    // Five standard deviations of a fair draw.
    const double mean = double(flows) / double(routes);
    CHECK(std::abs(n - mean) < 5 * std::sqrt(mean) + 1);
  }
}

}  // namespace

TEST_CASE("flows spread over NVSwitches, NICs and spines") {
  constexpr int kFlows = 6000;
  NodeType four = node_type(NodeFamily::kSwitched, 2, 0);
  four.nvswitches = 4;
  const auto node = build(cluster({{four, 1}}, {}));
  check_even(spread(*node, 0, 1, kFlows), 4, kFlows);

  // 2 NICs x 3 spines x 2 NICs.
  const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 1, 2), 4}}, leaf_spine(2, 3)));
  const VertexId from = vertex(*t, "node[0].gpu[0]"), to = vertex(*t, "node[3].gpu[0]");
  check_even(spread(*t, from, to, kFlows), 12, kFlows);
}

TEST_CASE("a flow keeps its route, and consecutive flow numbers spread as well") {
  const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 1, 1), 4}}, leaf_spine(2, 8)));
  const VertexId from = vertex(*t, "node[0].gpu[0]"), to = vertex(*t, "node[3].gpu[0]");
  std::map<std::vector<LinkId>, int> count;
  for (uint64_t flow = 0; flow < 800; ++flow) {
    const auto r = route(*t, t->router(), from, to, flow);
    CHECK(r == route(*t, t->router(), from, to, flow));
    ++count[r];
  }
  check_even(count, 8, 800);
}

TEST_CASE("parallel cables written apart share the flows") {
  ClusterSpec spec;
  for (const char* name : {"a", "b"}) spec.vertices.push_back({name, "gpu", {}, false, {}});
  for (int i = 0; i < 3; ++i) spec.cables.push_back({"a", "b", cable(10, 100)});
  const auto t = build(spec);
  CHECK(t->links().size() == 6);
  check_even(spread(*t, 0, 1, 3000), 3, 3000);
}
