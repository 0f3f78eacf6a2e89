#include "sim/topology/fabric.h"

#include "sim/topology/dragonfly_fabric.h"
#include "sim/topology/grid_fabric.h"
#include "sim/topology/tree_fabric.h"

namespace brigade {

uint32_t Fabric::switches() const {
  uint32_t count = 0;
  for (const Tier& tier : tiers_) count += tier.count;
  return count;
}

RouteCost Fabric::cost_at_least(uint32_t port0_a, uint32_t port0_b) const {
  return one_switch_a_node() ? cost(switch_of(port0_a, 0), switch_of(port0_b, 0)) : 0;
}

std::unique_ptr<const Fabric> make_fabric(const FabricSpec& spec, const std::vector<uint32_t>& nics) {
  if (spec.family == FabricFamily::kNone || nics.empty()) return nullptr;
  if (is_grid(spec.family)) return std::make_unique<GridFabric>(spec, nics);
  if (spec.family == FabricFamily::kDragonfly) return std::make_unique<DragonflyFabric>(spec, nics);
  return std::make_unique<TreeFabric>(spec, nics);
}

}  // namespace brigade
