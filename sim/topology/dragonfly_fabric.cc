// Covered by tests/topology/closed-form-equals-search.cc and grids.cc.
#include "sim/topology/dragonfly_fabric.h"

#include <algorithm>

#include "sim/topology/choice.h"

namespace brigade {
namespace {

constexpr uint64_t kStageGlobal = 9;

// Number of the pair among all pairs of n, in the order 0-1, 0-2, ...
uint32_t pair_number(uint32_t a, uint32_t b, uint32_t n) {
  const auto [low, high] = std::minmax(a, b);
  return low * (2 * n - low - 1) / 2 + high - low - 1;
}

}  // namespace

uint32_t dragonfly_groups(const FabricSpec& spec, uint32_t nodes) {
  const uint32_t nodes_a_group = static_cast<uint32_t>(std::max(1, spec.nodes_per_leaf) * spec.routers);
  return (nodes + nodes_a_group - 1) / nodes_a_group;
}

DragonflyFabric::DragonflyFabric(const FabricSpec& spec, const std::vector<uint32_t>& nics)
    : local_(*spec.link),
      global_(*spec.global_link),
      routers_(static_cast<uint32_t>(spec.routers)),
      ports_(static_cast<uint32_t>(spec.global_links)),
      groups_(dragonfly_groups(spec, static_cast<uint32_t>(nics.size()))),
      local_cost_(cost_of(local_, kCostDefault)),
      global_cost_(cost_of(global_, kCostGlobalDefault)) {
  if (groups_ > 1) cables_a_pair_ = routers_ * ports_ / (groups_ - 1);
  tiers_ = {{"switch", groups_ * routers_}};
  for (uint32_t n = 0; n < nics.size(); ++n) {
    port0_.push_back(n / static_cast<uint32_t>(std::max(1, spec.nodes_per_leaf)));
  }
}

int64_t DragonflyFabric::cables() const {
  return int64_t{groups_} * routers_ * (routers_ - 1) / 2 +
         int64_t{groups_} * (groups_ - 1) / 2 * cables_a_pair_;
}

uint32_t DragonflyFabric::router_to(uint32_t group, uint32_t other, uint32_t t) const {
  const uint32_t port = t * (groups_ - 1) + (other < group ? other : other - 1);
  return group * routers_ + port / ports_;
}

void DragonflyFabric::add_cables(VertexId switch0, const Load&, Graph& graph) const {
  for (uint32_t g = 0; g < groups_; ++g) {
    const VertexId first = switch0 + g * routers_;
    for (uint32_t a = 0; a < routers_; ++a) {
      for (uint32_t b = a + 1; b < routers_; ++b) graph.cable(first + a, first + b, local_, kCostDefault);
    }
  }
  for (uint32_t a = 0; a < groups_; ++a) {
    for (uint32_t b = a + 1; b < groups_; ++b) {
      for (uint32_t t = 0; t < cables_a_pair_; ++t) {
        graph.cable(switch0 + router_to(a, b, t), switch0 + router_to(b, a, t), global_, kCostGlobalDefault);
      }
    }
  }
}

DragonflyFabric::Way DragonflyFabric::way(uint32_t from, uint32_t to, uint32_t t) const {
  const uint32_t a = from / routers_, b = to / routers_;
  Way way{router_to(a, b, t), router_to(b, a, t), global_cost_};
  way.cost += RouteCost{local_cost_} * ((way.exit != from) + (way.entry != to));
  return way;
}

RouteCost DragonflyFabric::cost(uint32_t from, uint32_t to) const {
  if (from == to) return 0;
  if (from / routers_ == to / routers_) return local_cost_;
  RouteCost best = kUnreachable;
  for (uint32_t t = 0; t < cables_a_pair_; ++t) best = std::min(best, way(from, to, t).cost);
  return best;
}

LinkId DragonflyFabric::local_link(uint32_t from, uint32_t to) const {
  const uint32_t group = from / routers_;
  const uint32_t cable =
      group * (routers_ * (routers_ - 1) / 2) + pair_number(from % routers_, to % routers_, routers_);
  return 2 * cable + (from > to);
}

LinkId DragonflyFabric::global_link(uint32_t from_group, uint32_t to_group, uint32_t t) const {
  const uint32_t cable0 = groups_ * (routers_ * (routers_ - 1) / 2);
  return 2 * (cable0 + pair_number(from_group, to_group, groups_) * cables_a_pair_ + t) +
         (from_group > to_group);
}

int DragonflyFabric::route(uint32_t from, uint32_t to, uint64_t flow, LinkId link0, LinkId* out) const {
  if (from == to) return 0;
  const uint32_t a = from / routers_, b = to / routers_;
  if (a == b) {
    out[0] = link0 + local_link(from, to);
    return 1;
  }
  const RouteCost best = cost(from, to);
  uint32_t equal = 0;
  for (uint32_t t = 0; t < cables_a_pair_; ++t) equal += way(from, to, t).cost == best;
  uint32_t left = choose(flow, kStageGlobal, equal), t = 0;
  while (way(from, to, t).cost != best || left-- > 0) ++t;
  const Way chosen = way(from, to, t);
  int hops = 0;
  if (chosen.exit != from) out[hops++] = link0 + local_link(from, chosen.exit);
  out[hops++] = link0 + global_link(a, b, t);
  if (chosen.entry != to) out[hops++] = link0 + local_link(chosen.entry, to);
  return hops;
}

int DragonflyFabric::hops_max() const {
  const int local = routers_ > 1;
  return groups_ > 1 ? 2 * local + 1 : local;
}

}  // namespace brigade
