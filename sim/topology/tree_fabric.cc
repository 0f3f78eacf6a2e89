// Covered by tests/topology/closed-form-equals-search.cc and fabric-families.cc.
#include "sim/topology/tree_fabric.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/topology/choice.h"

namespace brigade {
namespace {

constexpr uint64_t kStageSpine = 3, kStageCore = 7;

uint32_t divided_up(uint32_t n, uint32_t by) { return (n + by - 1) / by; }

// A cable of the share that each of `cables` gets of what comes from below.
CableSpec share_of(double down_bytes_per_s, double oversubscription, uint32_t cables, Duration latency) {
  CableSpec cable;
  const double share = std::floor(down_bytes_per_s / oversubscription / cables);
  cable.bandwidth = Bandwidth::per_second({std::max<int64_t>(1, std::llround(share))});
  cable.latency = latency;
  return cable;
}

}  // namespace

FatTreeShape fat_tree_shape(const FabricSpec& spec) {
  if (spec.ports > 0) {
    const int half = spec.ports / 2;
    if (spec.tiers == 2) return {half, half, spec.ports, 0, 1};
    return {half, half, half, half, spec.ports};
  }
  if (spec.down.size() == 2) return {spec.down[0], spec.up[1], spec.down[1], 0, 1};
  return {spec.down[0], spec.up[1], spec.down[1], spec.up[2], spec.down[2]};
}

TreeFabric::TreeFabric(const FabricSpec& spec, const std::vector<uint32_t>& nics) : spec_(spec) {
  place_nics(nics);
  const uint32_t pods = leaves_ / rails_;
  uint32_t cores = static_cast<uint32_t>(spec.cores);
  uint32_t group_size = static_cast<uint32_t>(spec.group_size);
  if (spec.family == FabricFamily::kFatTree) {
    const FatTreeShape shape = fat_tree_shape(spec);
    group_size = static_cast<uint32_t>(shape.spine_down);
    spines_ = static_cast<uint32_t>(shape.leaf_up);
    cores = spines_ * static_cast<uint32_t>(shape.spine_up);
  } else if (spec.family != FabricFamily::kSwitch) {
    spines_ = static_cast<uint32_t>(spec.spines);
  }
  pods_per_group_ = group_size == 0 ? pods : group_size;
  groups_ = divided_up(pods, pods_per_group_) * (spec.group_by_rail ? rails_ : 1);
  cores_per_spine_ = spines_ == 0 ? 0 : cores / spines_;
  tiers_ = {{spec.family == FabricFamily::kSwitch ? "switch" : "leaf", leaves_}};
  if (spines_ > 0) tiers_.push_back({"spine", groups_ * spines_});
  if (cores_per_spine_ > 0) tiers_.push_back({"core", cores_per_spine_ * spines_});
  if (spec.uplink) uplink_cost_ = cost_of(*spec.uplink, kCostDefault);
  if (spec.core_uplink) core_cost_ = cost_of(*spec.core_uplink, kCostDefault);
}

void TreeFabric::place_nics(const std::vector<uint32_t>& nics) {
  const uint32_t nodes = static_cast<uint32_t>(nics.size());
  const bool one = spec_.family == FabricFamily::kSwitch || spec_.nodes_per_leaf == 0;
  const uint32_t nodes_per_leaf = one ? nodes : static_cast<uint32_t>(spec_.nodes_per_leaf);
  if (spec_.family == FabricFamily::kFatTree) {
    ports_step_ = 1;
    ports_per_switch_ = static_cast<uint32_t>(fat_tree_shape(spec_).leaf_down);
    port0_.assign(nodes, 0);
    std::exclusive_scan(nics.begin(), nics.end(), port0_.begin(), uint32_t{0});
    leaves_ = divided_up(port0_.back() + nics.back(), ports_per_switch_);
    keep_nodes_whole(nics);
    return;
  }
  if (spec_.family == FabricFamily::kRailOptimised) {
    ports_step_ = 1;
    rails_ = *std::max_element(nics.begin(), nics.end());
  }
  for (uint32_t n = 0; n < nodes; ++n) port0_.push_back(n / nodes_per_leaf * rails_);
  leaves_ = divided_up(nodes, nodes_per_leaf) * rails_;
}

// Where every node has all its NICs on one leaf, ports are counted in leaves: routers then need not search.
void TreeFabric::keep_nodes_whole(const std::vector<uint32_t>& nics) {
  for (size_t n = 0; n < nics.size(); ++n) {
    const uint32_t last = port0_[n] + std::max(nics[n], 1u) - 1;
    if (port0_[n] / ports_per_switch_ != last / ports_per_switch_) return;
  }
  for (uint32_t& port : port0_) port /= ports_per_switch_;
  ports_step_ = 0;
  ports_per_switch_ = 1;
}

uint32_t TreeFabric::group_of(uint32_t leaf) const {
  if (groups_ == 1) return 0;
  if (!spec_.group_by_rail) return leaf / (pods_per_group_ * rails_);
  return leaf / rails_ / pods_per_group_ * rails_ + leaf % rails_;
}

CableSpec TreeFabric::uplink(const Load& load) const {
  if (spec_.uplink) return *spec_.uplink;
  const bool full = spec_.family == FabricFamily::kFatTree;
  const double down = full ? static_cast<double>(load.port_max.count) * fat_tree_shape(spec_).leaf_down
                           : static_cast<double>(std::max_element(load.down.begin(), load.down.end())->count);
  return share_of(down, spec_.oversubscription, spines_, spec_.uplink_latency);
}

CableSpec TreeFabric::core_uplink(const CableSpec& uplink) const {
  if (spec_.core_uplink) return *spec_.core_uplink;
  uint32_t leaves = pods_per_group_ * (spec_.group_by_rail ? 1 : rails_);
  if (spec_.family != FabricFamily::kFatTree) leaves = std::min(leaves, leaves_);
  const double down = static_cast<double>(bandwidth_of(uplink).bytes_per_s().count) * leaves;
  return share_of(down, spec_.core_oversubscription, cores_per_spine_, spec_.uplink_latency);
}

int64_t TreeFabric::cables() const {
  return int64_t{leaves_} * spines_ + int64_t{groups_} * spines_ * cores_per_spine_;
}

void TreeFabric::add_cables(VertexId switch0, const Load& load, Graph& graph) const {
  if (spines_ == 0) return;
  const VertexId spine0 = switch0 + leaves_, core0 = spine0 + groups_ * spines_;
  const CableSpec up = uplink(load);
  for (uint32_t leaf = 0; leaf < leaves_; ++leaf) {
    for (uint32_t s = 0; s < spines_; ++s) {
      graph.cable(switch0 + leaf, spine0 + group_of(leaf) * spines_ + s, up, kCostDefault);
    }
  }
  if (cores_per_spine_ == 0) return;
  const CableSpec top = core_uplink(up);
  for (uint32_t spine = 0; spine < groups_ * spines_; ++spine) {
    for (uint32_t c = 0; c < cores_per_spine_; ++c) {
      graph.cable(spine0 + spine, core0 + spine % spines_ * cores_per_spine_ + c, top, kCostDefault);
    }
  }
}

RouteCost TreeFabric::cost(uint32_t from, uint32_t to) const {
  if (from == to) return 0;
  if (spines_ == 0) return kUnreachable;
  if (group_of(from) == group_of(to)) return RouteCost{2} * uplink_cost_;
  return cores_per_spine_ == 0 ? kUnreachable : RouteCost{2} * (uplink_cost_ + core_cost_);
}

RouteCost TreeFabric::cost_at_least(uint32_t port0_a, uint32_t port0_b) const {
  // A node's NICs may be on several leaves.
  if (spec_.family == FabricFamily::kFatTree && !one_switch_a_node()) return 0;
  return cost(port0_a, port0_b);  // with rails: the first rails of both pods: no other two are nearer
}

int TreeFabric::route(uint32_t from, uint32_t to, uint64_t flow, LinkId link0, LinkId* out) const {
  if (from == to) return 0;
  if (spines_ == 0) return -1;
  const uint32_t a = group_of(from), b = group_of(to);
  if (a != b && cores_per_spine_ == 0) return -1;
  const uint32_t s = choose(flow, kStageSpine, spines_);
  int hops = 0;
  out[hops++] = link0 + 2 * (from * spines_ + s);
  if (a != b) {
    const LinkId core_link0 = link0 + 2 * leaves_ * spines_;
    const uint32_t c = choose(flow, kStageCore, cores_per_spine_);
    out[hops++] = core_link0 + 2 * ((a * spines_ + s) * cores_per_spine_ + c);
    out[hops++] = core_link0 + 2 * ((b * spines_ + s) * cores_per_spine_ + c) + 1;
  }
  out[hops++] = link0 + 2 * (to * spines_ + s) + 1;
  return hops;
}

int TreeFabric::hops_max() const {
  if (leaves_ == 1 || spines_ == 0) return 0;
  return groups_ > 1 && cores_per_spine_ > 0 ? 4 : 2;
}

}  // namespace brigade
