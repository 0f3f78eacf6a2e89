// Covered by tests/topology/closed-form-equals-search.cc.
#include "sim/topology/cluster_router.h"

#include <algorithm>
#include <utility>

#include "sim/topology/choice.h"

namespace brigade {
namespace {
constexpr uint64_t kStageFromNic = 4, kStageToNic = 5, kStageNics = 6;
}

ClusterRouter::ClusterRouter(std::vector<NodeRoutes> types, std::vector<Node> nodes,
                             std::vector<uint32_t> node_of, std::unique_ptr<const Fabric> fabric,
                             LinkId fabric_link0, bool pxn)
    : types_(std::move(types)),
      nodes_(std::move(nodes)),
      node_of_(std::move(node_of)),
      fabric_(std::move(fabric)),
      fabric_link0_(fabric_link0),
      pxn_(pxn) {
  int to_nic = 0;
  for (const NodeRoutes& type : types_) {
    hops_max_ = std::max(hops_max_, type.hops_max());
    to_nic = std::max(to_nic, type.nic_hops_max());
  }
  if (!fabric_) return;
  const int peer = pxn_ ? hops_max_ : 0;
  hops_max_ = std::max(hops_max_, peer + fabric_->hops_max() + (fabric_->direct() ? 0 : 2 * to_nic + 2));
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
  if (fabric_ && fabric_->direct()) return fabric_->route(a.port0, b.port0, flow, fabric_link0_, out);
  if (pxn_) {
    const int by_peer = route_by_peer(a, device_a, b, device_b, flow, out);
    if (by_peer >= 0) return by_peer;
  }
  const Nics nics = choose_nics(a, device_a, b, device_b, flow);
  if (nics.from == kNone) return -1;

  const NodeRoutes& routes_b = types_[b.type];
  int hops = routes_a.route(device_a, routes_a.layout().nic(nics.from), flow, a.link0, out);
  hops += route_between(a, b, nics, flow, out + hops);
  return hops + routes_b.route(routes_b.layout().nic(nics.to), device_b, flow, b.link0, out + hops);
}

int ClusterRouter::route_between(const Node& a, const Node& b, Nics nics, uint64_t flow, LinkId* out) const {
  const auto port = [&](const Node& node, uint32_t nic) {
    return node.link0 + 2 * (types_[node.type].cables() + nic);
  };
  int hops = 0;
  out[hops++] = port(a, nics.from);
  hops += fabric_->route(fabric_->switch_of(a.port0, nics.from), fabric_->switch_of(b.port0, nics.to), flow,
                         fabric_link0_, out + hops);
  out[hops++] = port(b, nics.to) + 1;
  return hops;
}

int ClusterRouter::route_by_peer(const Node& a, uint32_t device_a, const Node& b, uint32_t device_b,
                                 uint64_t flow, LinkId* out) const {
  const NodeRoutes& routes_a = types_[a.type];
  const NodeRoutes& routes_b = types_[b.type];
  const Nics own = nearest_nics(a, device_a, b, device_b, flow);
  if (own.from == kNone || own.to >= routes_a.layout().nics) return -1;
  const uint32_t peer = routes_a.gpu_of_nic(own.to);
  if (peer == kNone || !routes_a.joined_by_nvlink(device_a, peer)) return -1;
  const uint32_t to = fabric_->switch_of(b.port0, own.to);
  const Nics rail{own.to, own.to};
  if (fabric_->cost(fabric_->switch_of(a.port0, rail.from), to) >=
      fabric_->cost(fabric_->switch_of(a.port0, own.from), to)) {
    return -1;
  }
  int hops = routes_a.route(device_a, peer, flow, a.link0, out);
  hops += routes_a.route(peer, routes_a.layout().nic(rail.from), flow, a.link0, out + hops);
  hops += route_between(a, b, rail, flow, out + hops);
  return hops + routes_b.route(routes_b.layout().nic(rail.to), device_b, flow, b.link0, out + hops);
}

ClusterRouter::Nics ClusterRouter::nearest_nics(const Node& a, uint32_t device_a, const Node& b,
                                                uint32_t device_b, uint64_t flow) const {
  const std::span<const uint32_t> near_a = types_[a.type].nearest_nics(device_a);
  const std::span<const uint32_t> near_b = types_[b.type].nearest_nics(device_b);
  if (near_a.empty() || near_b.empty() || !fabric_) return {};
  return {near_a[choose(flow, kStageFromNic, static_cast<uint32_t>(near_a.size()))],
          near_b[choose(flow, kStageToNic, static_cast<uint32_t>(near_b.size()))]};
}

ClusterRouter::Nics ClusterRouter::choose_nics(const Node& a, uint32_t device_a, const Node& b,
                                               uint32_t device_b, uint64_t flow) const {
  const Nics nearest = nearest_nics(a, device_a, b, device_b, flow);
  if (nearest.from == kNone) return {};
  const RouteCost between =
      fabric_->cost(fabric_->switch_of(a.port0, nearest.from), fabric_->switch_of(b.port0, nearest.to));
  if (between == fabric_->cost_at_least(a.port0, b.port0)) return between == kUnreachable ? Nics{} : nearest;
  return cheapest_nics(a, device_a, b, device_b, flow);
}

ClusterRouter::Nics ClusterRouter::cheapest_nics(const Node& a, uint32_t device_a, const Node& b,
                                                 uint32_t device_b, uint64_t flow) const {
  const NodeRoutes& routes_a = types_[a.type];
  const NodeRoutes& routes_b = types_[b.type];
  struct Cost {
    RouteCost total = kUnreachable, between = kUnreachable;
    auto operator<=>(const Cost&) const = default;
  };
  const auto for_all = [&](const auto& visit) {
    for (uint32_t from = 0; from < routes_a.layout().nics; ++from) {
      const RouteCost up = routes_a.nic_cost(device_a, from);
      for (uint32_t to = 0; up != kUnreachable && to < routes_b.layout().nics; ++to) {
        const RouteCost down = routes_b.nic_cost(device_b, to);
        if (down == kUnreachable) continue;
        const RouteCost between =
            fabric_->cost(fabric_->switch_of(a.port0, from), fabric_->switch_of(b.port0, to));
        if (between != kUnreachable) visit(Nics{from, to}, Cost{up + between + down, between});
      }
    }
  };
  Cost best;
  uint32_t equal = 0;
  for_all([&](Nics, const Cost& cost) {
    if (cost < best) equal = 0;
    best = std::min(best, cost);
    equal += cost == best;
  });
  Nics chosen;
  if (equal == 0) return chosen;
  uint32_t left = choose(flow, kStageNics, equal);
  for_all([&](const Nics& nics, const Cost& cost) {
    if (cost == best && left-- == 0) chosen = nics;
  });
  return chosen;
}

}  // namespace brigade
