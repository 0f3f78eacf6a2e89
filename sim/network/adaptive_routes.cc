#include "sim/network/adaptive_routes.h"

#include "sim/base/check.h"
#include "sim/topology/choice.h"

namespace brigade {

AdaptiveRoutes::AdaptiveRoutes(const Topology& topology)
    : links_(topology.links()),
      paths_(topology.vertices(), topology.links()),
      known_(topology.vertices().size()) {}

const NextHops& AdaptiveRoutes::towards(VertexId to) {
  std::unique_ptr<const NextHops>& known = known_[to];
  if (!known) known = std::make_unique<const NextHops>(paths_.to(to));
  return *known;
}

std::span<const LinkId> AdaptiveRoutes::choices(VertexId at, VertexId to) { return towards(to).of(at); }

int AdaptiveRoutes::follow(VertexId at, VertexId to, uint64_t flow, std::span<LinkId> out) {
  const NextHops& next = towards(to);
  size_t hops = 0;
  for (; at != to; at = links_[out[hops++]].to) {
    const std::span<const LinkId> choices = next.of(at);
    BRIGADE_CHECK(!choices.empty() && hops < out.size(), "no way on from vertex ", at, " to ", to, " after ",
                  hops, " links");
    out[hops] = choices[choose(flow, at, static_cast<uint32_t>(choices.size()))];
  }
  return static_cast<int>(hops);
}

}  // namespace brigade
