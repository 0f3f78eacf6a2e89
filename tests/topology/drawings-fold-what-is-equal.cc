// Drawings: small clusters whole, large ones folded without losing a vertex or a cable, exceptions by
// themselves.
#include "sim/topology/drawing.h"

#include "absl/strings/match.h"
#include "sim/topology/fold.h"
#include "tests/catch.h"
#include "tests/topology/clusters.h"

using namespace brigade;
using namespace brigade::testing;

namespace {

std::unique_ptr<const Topology> pods(int nodes, int nodes_per_pod,
                                     const std::vector<LinkChange>& changes = {}) {
  return build(cluster({{node_type(NodeFamily::kSwitched, 8, 8), nodes}}, rail_optimised(nodes_per_pod, 4)),
               changes);
}

void check_complete(const Topology& t, const Folded& f) {
  size_t vertices = 0, cables = 0, in_nodes = f.alone.size();
  for (const FoldedVertex& v : f.vertices) vertices += v.count;
  for (const FoldedCable& c : f.cables) cables += c.links.size();
  for (const FoldedNode& n : f.nodes) in_nodes += n.vertices.size();
  CHECK(vertices == t.vertices().size());
  CHECK(cables == t.links().size() / 2);
  CHECK(in_nodes == f.vertices.size());
}

}  // namespace

TEST_CASE("folding keeps every vertex and every cable") {
  for (const int nodes : {1, 2, 4, 16, 64}) {
    for (const int per_pod : {1, 4, 16}) {
      INFO(nodes << " nodes, " << per_pod << " a pod");
      const auto t = pods(nodes, per_pod);
      check_complete(*t, fold(*t));
      check_complete(*t, fold_nothing(*t));
      const auto flat =
          build(cluster({{node_type(NodeFamily::kSwitched, 4, 4), nodes}}, leaf_spine(per_pod, 3)));
      check_complete(*flat, fold(*flat));
    }
  }
}

TEST_CASE("a pod of 16 equal nodes is one node, its leaves, and the spines") {
  const auto t = pods(16, 16);
  const Folded f = fold(*t);
  REQUIRE(f.nodes.size() == 1);
  CHECK(f.nodes[0].count == 16);
  CHECK(f.vertices.size() == 17 + 8 + 1);
  const std::string dot = drawing(*t, {});
  CHECK(absl::StrContains(dot, "node[0..15]   x 16"));
  CHECK(absl::StrContains(dot, "spine[0..3]  x 4"));
  CHECK(absl::StrContains(dot, "equal parts are drawn once"));
}

TEST_CASE("a thousand GPUs in pods are one node, one leaf, one spine") {
  const auto t = pods(128, 32);
  const Folded f = fold(*t);
  CHECK(f.vertices.size() == 17 + 2);
  CHECK(absl::StrContains(drawing(*t, {}), "node[0..127]   x 128"));
  CHECK(absl::StrContains(drawing(*t, {}), "leaf[0..31]  x 32"));
}

TEST_CASE("what differs is drawn by itself") {
  const auto t = pods(16, 16, {{"node[5].nic[3]", 0.1, false, {}}});
  const Folded f = fold(*t);
  REQUIRE(f.nodes.size() == 2);
  CHECK(f.nodes[0].count == 15);
  CHECK(f.nodes[1].example == 5);
  CHECK(f.nodes[1].count == 1);
}

TEST_CASE("the whole graph is there without folding, dead cables dashed") {
  ClusterSpec spec = cluster({{node_type(NodeFamily::kFullMesh, 2, 0), 1}}, {});
  spec.name = "a \"pair\"";
  const std::string dot = drawing(*build(spec), {.fold = false});
  CHECK(absl::StrContains(dot, "digraph \"a \\\"pair\\\"\" {\n"));
  CHECK(absl::StrContains(dot, "v0 -> v1 [penwidth=5.1, color=\"#4d9221\", constraint=false];\n"));
  const auto dead = build(spec, {{"node[0].gpu[0] -> node[0].gpu[1]", std::nullopt, true, {}}});
  CHECK(absl::StrContains(drawing(*dead, {.fold = false}), "style=dashed, label=\"down\""));
}

TEST_CASE("after a run links have the colour of the busiest of their equals") {
  const auto t = pods(16, 16);
  std::vector<double> busy(t->links().size());
  busy[0] = 1;  // node[0].gpu[0] -> node[0].nvswitch[0]
  const std::string dot = drawing(*t, {.fold = true, .utilization = busy});
  CHECK(absl::StrContains(dot, "color=\"#960026\", label=\"100 %\""));
  CHECK(absl::StrContains(dot, "color=\"#c8c8c8\""));
  CHECK(absl::StrContains(dot, "how busy links were"));
}

TEST_CASE("what does not fold and cannot be read is not drawn") {
  ClusterSpec spec;  // a line of switches, each with its own speed
  for (int i = 0; i < 1600; ++i)
    spec.vertices.push_back({"s" + std::to_string(i), i == 0 ? "gpu" : "switch", {}, false, {}});
  for (int i = 0; i + 1 < 1600; ++i)
    spec.cables.push_back({"s" + std::to_string(i), "s" + std::to_string(i + 1), cable(i + 1, 1)});
  const auto t = build(spec);
  CHECK(drawing(*t, {}) == "");
  CHECK(drawing(*t, {.fold = false}) != "");
}
