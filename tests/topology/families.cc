#include "tests/topology/families.h"

#include "absl/strings/str_cat.h"

namespace brigade::testing {
namespace {

NodeType with(NodeType t, const std::string& suffix, void (*change)(NodeType&)) {
  t.name += suffix;
  change(t);
  return t;
}

std::vector<NodeType> all_nodes() {
  using F = NodeFamily;
  const auto forward = [](NodeType& t) { t.forward = true; };
  const auto host = [](NodeType& t) { t.host = true; };
  return {
      node_type(F::kSwitched, 8, 8),
      with(node_type(F::kSwitched, 5, 5), "-4switches", [](NodeType& t) { t.nvswitches = 4; }),
      node_type(F::kSwitched, 8, 2),  // several GPUs share a NIC
      node_type(F::kSwitched, 3, 7),  // a GPU has several NICs
      node_type(F::kSwitched, 1, 1),
      node_type(F::kFullMesh, 4, 4),
      node_type(F::kFullMesh, 7, 3),
      node_type(F::kRing, 6, 6),  // GPUs that are no neighbours meet outside
      node_type(F::kRing, 2, 1),
      with(node_type(F::kRing, 7, 7), "-forward", forward),
      with(node_type(F::kSwitched, 4, 4), "-forward", forward),
      with(node_type(F::kSwitched, 4, 4), "-host", host),
      with(node_type(F::kFullMesh, 3, 3), "-dear-nvlink", [](NodeType& t) { t.nvlink.cost = 9; }),
      node_type(F::kHybridCubeMesh, 8, 4),
      pcie_node_type(F::kHybridCubeMesh, 8, 4, 4, 2),
      pcie_node_type(F::kSwitched, 8, 8, 4, 2),
      pcie_node_type(F::kNone, 6, 3, 3, 3),
      pcie_node_type(F::kNone, 4, 2, 1, 1),
      pcie_node_type(F::kRing, 8, 8, 2, 1),
      node_type(F::kNone, 4, 4),
      node_type(F::kNone, 0, 2),  // a host with NICs
  };
}

std::vector<std::pair<std::string, FabricSpec>> all_fabrics() {
  FabricSpec dear = rail_optimised(2, 2);
  dear.uplink = cable(100, 400);
  dear.uplink->cost = 3;
  FabricSpec dear_cores = three_tiers(rail_optimised(1, 2), 3, 2);
  dear_cores.core_uplink = cable(100, 400);
  dear_cores.core_uplink->cost = 7;
  return {{"one switch", one_switch()},
          {"leaf-spine 2 x 1", leaf_spine(2, 1)},
          {"leaf-spine 2 x 3", leaf_spine(2, 3)},
          {"leaf-spine, one leaf", leaf_spine(0, 2)},
          {"rails 2 x 2", rail_optimised(2, 2)},
          {"rails, dear uplinks", dear},
          {"leaf-spine, three tiers", three_tiers(leaf_spine(1, 2), 2, 4)},
          {"rails, three tiers", three_tiers(rail_optimised(1, 2), 2, 6)},
          {"rails, three tiers by rail", by_rail(three_tiers(rail_optimised(1, 3), 2, 3))},
          {"rails, three tiers by rail, dear cores", by_rail(dear_cores)},
          {"fat tree of 8 ports", fat_tree(8, 3)},
          {"fat tree of 20 ports, two tiers", fat_tree(20, 2)},
          {"fat tree, uneven", xgft({3, 4, 8}, {1, 2, 5})},
          {"fat tree, two uneven tiers", xgft({7, 6}, {1, 3})},
          {"torus 3 x 2", grid(FabricFamily::kTorus, {3, 2})},
          {"ring", grid(FabricFamily::kRing)},
          {"full mesh 2 x 3", grid(FabricFamily::kFullMesh, {2, 3})},
          {"dragonfly of 5 groups", dragonfly(1, 1, 4)},
          {"dragonfly of 3 groups", dragonfly(1, 2, 2)},
          {"rails without spines", rail_optimised(0, 0)}};
}

std::vector<std::pair<int, FabricSpec>> direct_grids() {
  using F = FabricFamily;
  return {{1, grid(F::kRing)},
          {2, grid(F::kRing)},
          {9, grid(F::kRing)},
          {12, grid(F::kRing)},
          {7, grid(F::kFullMesh)},
          {24, grid(F::kFullMesh, {2, 3, 4})},
          {8, grid(F::kHypercube)},
          {32, grid(F::kHypercube)},
          {16, grid(F::kTorus, {4, 4})},
          {35, grid(F::kTorus, {5, 7})},
          {30, grid(F::kTorus, {2, 5, 3})},
          {64, grid(F::kTorus, {4, 4, 4})}};
}

}  // namespace

std::vector<NamedCluster> all_families() {
  std::vector<NamedCluster> clusters;
  for (const NodeType& node : all_nodes()) {
    for (const auto& [name, fabric] : all_fabrics()) {
      // Rails without spines and without a way inside the node leave the cluster in pieces: an error, tested
      // apart.
      const bool joined = node.family != NodeFamily::kNone || node.pcie_switches > 0 || node.gpus == 0;
      if (!joined && name == "rails without spines") continue;
      clusters.push_back({absl::StrCat("5 x ", node.name, ", ", name), cluster({{node, 5}}, fabric)});
    }
  }
  const NodeType host = node_type(NodeFamily::kNone, 0, 1), big = node_type(NodeFamily::kSwitched, 8, 8);
  const NodeType small = pcie_node_type(NodeFamily::kFullMesh, 4, 2, 2, 1);
  for (const auto& [name, fabric] : all_fabrics()) {
    clusters.push_back({"three types, " + name, cluster({{big, 2}, {small, 2}, {host, 1}}, fabric)});
  }
  const NodeType gpu = node_type(NodeFamily::kNone, 1, 0), small_node = node_type(NodeFamily::kNone, 1, 1);
  for (const auto& [nodes, fabric] : direct_grids()) {
    clusters.push_back({absl::StrCat(nodes, " GPUs in a grid of family ", static_cast<int>(fabric.family)),
                        cluster({{gpu, nodes}}, fabric)});
  }
  for (const auto& [nodes, fabric] : std::vector<std::pair<int, FabricSpec>>{{72, dragonfly(2, 4, 2)},
                                                                             {40, dragonfly(2, 4, 2)},
                                                                             {24, dragonfly(1, 4, 3)},
                                                                             {11, dragonfly(1, 3, 1)}}) {
    clusters.push_back(
        {absl::StrCat("dragonfly of ", nodes, " nodes"), cluster({{small_node, nodes}}, fabric)});
  }
  clusters.push_back({"one node", cluster({{node_type(NodeFamily::kSwitched, 9, 0), 1}}, {})});
  clusters.push_back(
      {"one ring that forwards",
       cluster(
           {{with(node_type(NodeFamily::kRing, 9, 0), "-forward", [](NodeType& t) { t.forward = true; }), 1}},
           {})});
  return clusters;
}

}  // namespace brigade::testing
