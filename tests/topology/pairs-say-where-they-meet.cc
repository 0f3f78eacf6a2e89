// Where pairs of GPUs meet, counted against what the family says.
#include "sim/topology/pairs.h"

#include <map>

#include "tests/catch.h"
#include "tests/topology/clusters.h"

using namespace brigade;
using namespace brigade::testing;

namespace {

std::map<std::string, uint64_t> counts(const Pairs& pairs) {
  std::map<std::string, uint64_t> found;
  for (const PairClass& c : pairs.classes) found[c.way] = c.pairs;
  return found;
}

using Counts = std::map<std::string, uint64_t>;

}  // namespace

TEST_CASE("a rail-optimised pod: a node, a rail, across rails") {
  for (const uint64_t nodes : {2, 3, 5}) {
    for (const uint64_t gpus : {2, 4, 8}) {
      INFO(nodes << " nodes of " << gpus);
      const int g = static_cast<int>(gpus);
      const auto t = build(cluster({{node_type(NodeFamily::kSwitched, g, g), static_cast<int>(nodes)}},
                                   rail_optimised(static_cast<int>(nodes), 2)));
      const Pairs pairs = pairs_of(*t);
      CHECK(counts(pairs) ==
            Counts{{"NVLink through a switch", nodes * gpus * (gpus - 1)},
                   {"network, same rail, 1 switch", gpus * nodes * (nodes - 1)},
                   {"network, across rails, 3 switches", gpus * (gpus - 1) * nodes * (nodes - 1)}});
      CHECK(pairs.diameter == 6);  // GPU, NIC, leaf, spine, leaf, NIC, GPU
      CHECK(pairs.all());
    }
  }
}

TEST_CASE("ways inside a node") {
  const auto inside = [](const NodeType& type) { return counts(pairs_of(*build(cluster({{type, 1}}, {})))); };
  CHECK(inside(node_type(NodeFamily::kFullMesh, 4, 0)) == Counts{{"a direct link", 12}});
  // Four GPUs under two switches of one socket, or of two.
  CHECK(inside(pcie_node_type(NodeFamily::kNone, 4, 0, 2, 1)) == Counts{{"PCIe", 12}});
  CHECK(inside(pcie_node_type(NodeFamily::kNone, 4, 0, 2, 2)) ==
        Counts{{"PCIe", 4}, {"PCIe, across sockets", 8}});
  // DGX-1: of 56 ordered pairs 32 have NVLink, the others PCIe.
  const Counts dgx1 = inside(pcie_node_type(NodeFamily::kHybridCubeMesh, 8, 0, 4, 2));
  CHECK(dgx1.at("a direct link") == 32);
  CHECK(dgx1.at("PCIe, across sockets") == 24);
}

TEST_CASE("GPUs cabled from node to node, and a pair that nothing joins any more") {
  ClusterSpec spec;
  for (const char* name : {"node[0].gpu[0]", "node[1].gpu[0]", "node[2].gpu[0]"})
    spec.vertices.push_back({name, "gpu", {}, true, {}});
  spec.cables = {{"node[0].gpu[0]", "node[1].gpu[0]", cable(1, 1)},
                 {"node[1].gpu[0]", "node[2].gpu[0]", cable(1, 1)}};
  CHECK(counts(pairs_of(*build(spec))) ==
        Counts{{"a direct link to another node", 4}, {"through other GPUs, to another node", 2}});
  const auto cut = build(spec, {{"node[0].gpu[0] - node[1].gpu[0]", std::nullopt, true, {}}});
  CHECK(counts(pairs_of(*cut)) == Counts{{"a direct link to another node", 2}, {"no route", 4}});
}

TEST_CASE("a large cluster is looked at in part, and says so") {
  const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 8, 8), 256}}, rail_optimised(32, 4)));
  const Pairs pairs = pairs_of(*t);
  CHECK(!pairs.all());
  CHECK(pairs.devices == 2048);
  CHECK(pairs.looked_at == pairs.destinations * 2047);
  CHECK(pairs.diameter == 6);
}
