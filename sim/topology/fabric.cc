#include "sim/topology/fabric.h"

#include <algorithm>
#include <cmath>

#include "sim/topology/choice.h"

namespace brigade {
namespace {
constexpr uint64_t kStageSpine = 3;
}

Fabric::Fabric(const FabricSpec& spec, const std::vector<uint32_t>& nics) : spec_(spec) {
  const uint32_t nodes = static_cast<uint32_t>(nics.size());
  if (spec.family == FabricFamily::kNone || nodes == 0) return;
  const bool one = spec.family == FabricFamily::kSwitch || spec.nodes_per_leaf == 0;
  nodes_per_leaf_ = one ? nodes : static_cast<uint32_t>(spec.nodes_per_leaf);
  const bool rails = spec.family == FabricFamily::kRailOptimised;
  leaves_per_pod_ = rails ? *std::max_element(nics.begin(), nics.end()) : 1;
  leaf_step_ = rails ? 1 : 0;
  leaves_ = (nodes + nodes_per_leaf_ - 1) / nodes_per_leaf_ * leaves_per_pod_;
  spines_ = spec.family == FabricFamily::kSwitch ? 0 : static_cast<uint32_t>(spec.spines);
  if (spec.uplink) uplink_cost_ = cost_of(*spec.uplink, kCostDefault);
}

CableSpec Fabric::uplink(Bytes down_bytes_per_s) const {
  if (spec_.uplink) return *spec_.uplink;
  const double share = static_cast<double>(down_bytes_per_s.count) / spec_.oversubscription / spines_;
  CableSpec cable;
  cable.bandwidth = Bandwidth::per_second({std::max<int64_t>(1, std::llround(std::floor(share)))});
  cable.latency = spec_.uplink_latency;
  return cable;
}

int Fabric::route(uint32_t from_leaf, uint32_t to_leaf, uint64_t flow, LinkId link0, LinkId* out) const {
  if (from_leaf == to_leaf) return 0;
  if (spines_ == 0) return -1;
  const uint32_t spine = choose(flow, kStageSpine, spines_);
  out[0] = link0 + 2 * (from_leaf * spines_ + spine);
  out[1] = link0 + 2 * (to_leaf * spines_ + spine) + 1;
  return 2;
}

}  // namespace brigade
