// One switch, leaf-spine, rails and fat trees: one to three tiers of switches.
//
// A NIC's leaf: kSwitch the only one; kLeafSpine node / nodes_per_leaf; kRailOptimised pod * rails + NIC,
// where a pod is nodes_per_leaf nodes, so that NICs of equal number meet in their pod's rail leaf; kFatTree
// the NIC's number in the cluster / ports down of a leaf. Leaves form groups, each with spines of its own:
// every leaf has one cable to every spine of its group. Spine s of every group has one cable to each core of
// plane s. A way that leaves its group so goes up by any spine s and any core of its plane, and comes down by
// spine s of the other group. The fat trees are those of Al-Fares et al. (SIGCOMM 2008, k-ary) and Oehring et
// al. (IPPS 1995, XGFT, with one port a NIC).
#pragma once
#include "sim/topology/fabric.h"

namespace brigade {

class TreeFabric : public Fabric {
 public:
  TreeFabric(const FabricSpec& spec, const std::vector<uint32_t>& nics);

  int64_t cables() const override;
  void add_cables(VertexId switch0, const Load& load, Graph& graph) const override;
  RouteCost cost(uint32_t from, uint32_t to) const override;
  RouteCost cost_at_least(uint32_t port0_a, uint32_t port0_b) const override;
  int route(uint32_t from, uint32_t to, uint64_t flow, LinkId link0, LinkId* out) const override;
  int hops_max() const override;

 private:
  void place_nics(const std::vector<uint32_t>& nics);
  void keep_nodes_whole(const std::vector<uint32_t>& nics);
  uint32_t group_of(uint32_t leaf) const;
  // Cables as given, or of what the tier below offers.
  CableSpec uplink(const Load& load) const;
  CableSpec core_uplink(const CableSpec& uplink) const;

  FabricSpec spec_;
  uint32_t rails_ = 1;  // leaves of a pod
  uint32_t leaves_ = 0, pods_per_group_ = 1, groups_ = 1;
  uint32_t spines_ = 0;           // of a group
  uint32_t cores_per_spine_ = 0;  // of a plane
  uint32_t uplink_cost_ = kCostDefault, core_cost_ = kCostDefault;
};

// Ports of the tiers of a fat tree, upwards: of a leaf down (NICs) and up (spines), of a spine down (leaves
// of a group) and up (cores of its plane), groups at most. Two tiers: no cores, one group.
struct FatTreeShape {
  int leaf_down = 0, leaf_up = 0, spine_down = 0, spine_up = 0, groups_max = 1;
};
FatTreeShape fat_tree_shape(const FabricSpec& spec);

}  // namespace brigade
