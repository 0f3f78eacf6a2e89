// Covered by tests/topology/dead-links.cc.
#include "sim/topology/detour_router.h"

#include <algorithm>

#include "sim/base/random.h"

namespace brigade {

int DetourRouter::route(VertexId from, VertexId to, uint64_t flow, LinkId* out) const {
  for (uint64_t draw = 0; draw < kDraws; ++draw) {
    const int hops = closed_form_->route(from, to, draw == 0 ? flow : mix(flow + draw), out);
    if (hops < 0) break;
    if (std::all_of(out, out + hops, [&](LinkId l) { return links_[l].up; })) return hops;
  }
  return table_.route(from, to, flow, out);
}

std::unique_ptr<const Router> routes_around(const Topology& topology, std::span<const Link> links) {
  return std::make_unique<DetourRouter>(topology.router(), topology.vertices(), links);
}

}  // namespace brigade
