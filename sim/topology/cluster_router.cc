// Covered by tests/topology/closed-form-equals-search.cc.
#include "sim/topology/cluster_router.h"

#include <algorithm>
#include <utility>

#include "sim/topology/choice.h"

namespace brigade {
namespace {
constexpr uint64_t kStageFromNic = 4, kStageToNic = 5, kStageRail = 6;
}

ClusterRouter::ClusterRouter(std::vector<NodeRoutes> types, std::vector<Node> nodes,
                             std::vector<uint32_t> node_of, Fabric fabric, LinkId uplink0)
    : types_(std::move(types)),
      nodes_(std::move(nodes)),
      node_of_(std::move(node_of)),
      fabric_(std::move(fabric)),
      uplink0_(uplink0) {
  int inside = 0;
  for (const NodeRoutes& type : types_) inside = std::max(inside, type.hops_max());
  const int across = fabric_.leaves() == 0 ? 0 : fabric_.leaves() == 1 || fabric_.spines() == 0 ? 2 : 4;
  hops_max_ = across == 0 ? inside : 2 * inside + across;
}

int ClusterRouter::route(VertexId from, VertexId to, uint64_t flow, LinkId* out) const {
  if (from == to) return 0;
  const Node& a = nodes_[node_of_[from]];
  const Node& b = nodes_[node_of_[to]];
  const uint32_t device_a = from - a.vertex0, device_b = to - b.vertex0;
  const NodeRoutes& routes_a = types_[a.type];
  if (&a == &b) {
    const int inside = routes_a.route(device_a, device_b, flow, a.link0, out);
    if (inside >= 0) return inside;
  }
  const Nics nics = choose_nics(a, device_a, b, device_b, flow);
  if (nics.from == kNone) return -1;

  const NodeRoutes& routes_b = types_[b.type];
  const auto port = [](const Node& node, const NodeRoutes& routes, uint32_t nic) {
    return node.link0 + 2 * (routes.cables() + nic);
  };
  const uint32_t step = fabric_.leaf_step();
  int hops = routes_a.route(device_a, routes_a.layout().nic(nics.from), flow, a.link0, out);
  out[hops++] = port(a, routes_a, nics.from);
  hops += fabric_.route(a.leaf0 + nics.from * step, b.leaf0 + nics.to * step, flow, uplink0_, out + hops);
  out[hops++] = port(b, routes_b, nics.to) + 1;
  return hops + routes_b.route(routes_b.layout().nic(nics.to), device_b, flow, b.link0, out + hops);
}

ClusterRouter::Nics ClusterRouter::choose_nics(const Node& a, uint32_t device_a, const Node& b,
                                               uint32_t device_b, uint64_t flow) const {
  const NodeRoutes& routes_a = types_[a.type];
  const NodeRoutes& routes_b = types_[b.type];
  const std::span<const uint32_t> near_a = routes_a.nearest_nics(device_a);
  const std::span<const uint32_t> near_b = routes_b.nearest_nics(device_b);
  if (near_a.empty() || near_b.empty() || fabric_.leaves() == 0) return {};

  const Nics nearest{near_a[choose(flow, kStageFromNic, static_cast<uint32_t>(near_a.size()))],
                     near_b[choose(flow, kStageToNic, static_cast<uint32_t>(near_b.size()))]};
  // Where a node has one leaf, or pods differ, the NICs of both ends are independent.
  const bool one_leaf = fabric_.leaf_step() == 0;
  if ((one_leaf || a.leaf0 != b.leaf0) && (a.leaf0 == b.leaf0 || fabric_.spines() > 0)) return nearest;
  if (a.leaf0 != b.leaf0) return {};
  if (near_a.size() == 1 && near_b.size() == 1 && nearest.from == nearest.to) return nearest;

  RouteCost rail_cost = kUnreachable;
  const uint32_t rail = common_rail(routes_a, device_a, routes_b, device_b, flow, &rail_cost);
  if (fabric_.spines() > 0) {
    const RouteCost spine_cost = routes_a.nic_cost(device_a, nearest.from) +
                                 routes_b.nic_cost(device_b, nearest.to) + 2 * fabric_.uplink_cost();
    if (spine_cost < rail_cost) return nearest;
  }
  return {rail, rail};
}

uint32_t ClusterRouter::common_rail(const NodeRoutes& a, uint32_t device_a, const NodeRoutes& b,
                                    uint32_t device_b, uint64_t flow, RouteCost* cost) const {
  const uint32_t rails = std::min(a.layout().nics, b.layout().nics);
  const auto total = [&](uint32_t rail) {
    const RouteCost up = a.nic_cost(device_a, rail), down = b.nic_cost(device_b, rail);
    return up == kUnreachable || down == kUnreachable ? kUnreachable : up + down;
  };
  uint32_t equal = 0;
  for (uint32_t rail = 0; rail < rails; ++rail) {
    if (total(rail) < *cost) {
      *cost = total(rail);
      equal = 0;
    }
    equal += total(rail) == *cost && *cost != kUnreachable;
  }
  if (equal == 0) return kNone;
  uint32_t left = choose(flow, kStageRail, equal);
  for (uint32_t rail = 0;; ++rail) {
    if (total(rail) == *cost && left-- == 0) return rail;
  }
}

}  // namespace brigade
