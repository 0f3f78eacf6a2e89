// The switches between nodes, in closed form: which switch a NIC is cabled to, and the way from switch to
// switch.
//
// kSwitch: one switch. kLeafSpine: leaf = node / nodes_per_leaf. kRailOptimised: nodes come in pods of
// nodes_per_leaf; leaf = pod * rails + NIC, so that NICs of equal number meet in their pod's rail leaf. Every
// leaf is cabled to every spine once: cable leaf * spines + spine.
#pragma once
#include <vector>

#include "sim/topology/graph.h"
#include "sim/topology/spec.h"

namespace brigade {

class Fabric {
 public:
  Fabric() = default;
  // `nics` of each node, in node order.
  Fabric(const FabricSpec& spec, const std::vector<uint32_t>& nics);

  uint32_t leaves() const { return leaves_; }
  uint32_t spines() const { return spines_; }
  uint32_t leaf_of(uint32_t node, uint32_t nic) const { return first_leaf_of(node) + nic * leaf_step_; }
  // NIC n of the node is cabled to leaf first_leaf_of(node) + n * leaf_step().
  uint32_t first_leaf_of(uint32_t node) const { return node / nodes_per_leaf_ * leaves_per_pod_; }
  uint32_t leaf_step() const { return leaf_step_; }
  uint32_t uplink_cost() const { return uplink_cost_; }

  // The leaf-to-spine cable; `down_bytes_per_s` is what the busiest leaf's NICs offer.
  CableSpec uplink(Bytes down_bytes_per_s) const;

  // Links from leaf to leaf (none if they are one), where `link0` is the first leaf-to-spine link. -1 without
  // spines.
  int route(uint32_t from_leaf, uint32_t to_leaf, uint64_t flow, LinkId link0, LinkId* out) const;

 private:
  FabricSpec spec_;
  uint32_t nodes_per_leaf_ = 1, leaves_per_pod_ = 0, leaf_step_ = 0;
  uint32_t leaves_ = 0, spines_ = 0;
  uint32_t uplink_cost_ = kCostDefault;
};

}  // namespace brigade
