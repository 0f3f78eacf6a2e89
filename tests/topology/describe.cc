// The summary and the DOT of a small cluster, word for word.
#include "sim/topology/describe.h"

#include "tests/catch.h"
#include "tests/topology/clusters.h"

using namespace brigade;
using namespace brigade::testing;

TEST_CASE("a cluster in words") {
  NodeType node = node_type(NodeFamily::kSwitched, 2, 2);
  node.gpu.name = "H100";
  node.gpu.peak_flop_per_s["bf16"] = 989e12;
  node.gpu.memory = gigabytes(80);
  node.gpu.memory_bandwidth = Bandwidth::gb_per_s(3350);
  const auto t = build(cluster({{node, 3}}, leaf_spine(2, 1)));
  CHECK(
      describe(*t) ==
      "test: 3 nodes, 6 GPUs, 3 NVLink switches, 6 NICs, 3 fabric switches, 20 cables\n"
      "devices\n"
      "  6 x H100, bf16 989 TFLOP/s, memory 80 GB at 3.35 TB/s\n"
      "cables, per direction\n"
      "       6 x gpu - nvswitch         450 GB/s      500 ns   e.g. node[0].gpu[0] -> node[0].nvswitch[0]\n"
      "       6 x gpu - nic               64 GB/s      700 ns   e.g. node[0].gpu[0] -> node[0].nic[0]\n"
      "       6 x nic - switch            50 GB/s        1 us   e.g. node[0].nic[0] -> leaf[0]\n"
      "       2 x switch - switch        200 GB/s      400 ns   e.g. leaf[0] -> spine[0]\n"
      "routes from node[0].gpu[0]\n"
      "       1 to its own node, e.g. node[0].gpu[1]: 2 links, 1 us, 450 GB/s\n"
      "       2 to other nodes, e.g. node[1].gpu[0]: 4 links, 3.4 us, 50 GB/s\n"
      "       2 to other nodes, e.g. node[2].gpu[0]: 6 links, 4.2 us, 50 GB/s\n"
      "injection into the fabric\n"
      "  3 nodes: 100 GB/s, 50 GB/s a GPU\n");
}

TEST_CASE("a cluster as Graphviz DOT, dead cables dashed") {
  ClusterSpec spec = cluster({{node_type(NodeFamily::kFullMesh, 2, 0), 1}}, {});
  spec.name = "a \"pair\"";
  CHECK(graphviz(*build(spec)) ==
        "graph \"a \\\"pair\\\"\" {\n"
        "  node [shape=box];\n"
        "  subgraph cluster_0 {\n"
        "    label=\"node[0]\";\n"
        "    v0 [label=\"node[0].gpu[0]\"];\n"
        "    v1 [label=\"node[0].gpu[1]\"];\n"
        "  }\n"
        "  v0 -- v1 [label=\"450 GB/s\"];\n"
        "}\n");
  const auto dead = build(spec, {{"node[0].gpu[0] -> node[0].gpu[1]", std::nullopt, true, {}}});
  CHECK(graphviz(*dead).find("style=dashed") != std::string::npos);
  CHECK(describe(*dead).find("no route") != std::string::npos);
}
