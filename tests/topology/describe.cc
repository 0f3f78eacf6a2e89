// The summary of a small cluster, word for word.
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
      "pairs of GPUs, by the way between them\n"
      "   20.0 %  NVLink through a switch               2 links, 1 us, 450 GB/s   e.g. node[0].gpu[1] -> "
      "node[0].gpu[0]\n"
      "   13.3 %  network, same rail, 1 switch          4 links, 3.4 us, 50 GB/s   e.g. node[1].gpu[0] -> "
      "node[0].gpu[0]\n"
      "   26.7 %  network, same rail, 3 switches        6 links, 4.2 us, 50 GB/s   e.g. node[2].gpu[0] -> "
      "node[0].gpu[0]\n"
      "   13.3 %  network, across rails, 1 switch       4 links, 3.4 us, 50 GB/s   e.g. node[1].gpu[1] -> "
      "node[0].gpu[0]\n"
      "   26.7 %  network, across rails, 3 switches     6 links, 4.2 us, 50 GB/s   e.g. node[2].gpu[1] -> "
      "node[0].gpu[0]\n"
      "diameter: the longest of these routes has 6 links\n"
      "injection into the fabric\n"
      "  3 nodes: 100 GB/s, 50 GB/s a GPU; NVLink inside 450 GB/s a GPU, 9:1\n"
      "fabric switches by level, bandwidth of one of them each way\n"
      "  level 1:      1 x  down 100 GB/s, up 200 GB/s, oversubscription 0.5:1   e.g. leaf[1]\n"
      "  level 1:      1 x  down 200 GB/s, up 200 GB/s, oversubscription 1:1   e.g. leaf[0]\n"
      "  level 2:      1 x  down 400 GB/s   e.g. spine[0]\n"
      "bisection\n"
      "  100 GB/s each way at most, 50 GB/s a device of the half, between the first 2 devices and the other "
      "4\n"
      "  the narrowest of 2 pairs of halves that the numbering suggests; by max-flow\n");
}

TEST_CASE("a dead cable and a pair without a route are named") {
  const ClusterSpec spec = cluster({{node_type(NodeFamily::kFullMesh, 2, 0), 1}}, {});
  const auto dead = build(spec, {{"node[0].gpu[0] - node[0].gpu[1]", std::nullopt, true, {}}});
  const std::string text = describe(*dead);
  CHECK(text.find("  down   e.g.") != std::string::npos);
  CHECK(text.find("100.0 %  no route") != std::string::npos);
  CHECK(text.find("nothing crosses between the first 1 devices and the other 1") != std::string::npos);
}

TEST_CASE("a two-level leaf-spine says how it is oversubscribed, level by level") {
  for (const double oversubscription : {1.0, 2.0, 4.0, 3.0}) {
    FabricSpec fabric = leaf_spine(4, 3);
    fabric.uplink.reset();
    fabric.oversubscription = oversubscription;
    const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 8, 8), 16}}, fabric));
    const std::string text = describe(*t);
    INFO(text);
    // 4 nodes x 8 NICs x 50 GB/s = 1.6 TB/s below each of 4 leaves.
    CHECK(text.find("level 1:      4 x  down 1.6 TB/s, up ") != std::string::npos);
    CHECK(text.find(", oversubscription " + std::to_string(static_cast<int>(oversubscription)) +
                    ":1   e.g. leaf[0]") != std::string::npos);
  }
}

TEST_CASE("65,536 GPUs are described") {
  const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 8, 8), 8192}}, rail_optimised(32, 64)));
  const std::string text = describe(*t);
  CHECK(text.find("65536 GPUs") != std::string::npos);
  CHECK(text.find("from all 65536 to 16 of them") != std::string::npos);
  CHECK(text.find("finer ones are not looked at in a cluster of this size") != std::string::npos);
}
