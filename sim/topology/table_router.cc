// Covered by tests/topology/table-router-*.cc.
#include "sim/topology/table_router.h"

#include <algorithm>

#include "sim/topology/choice.h"
#include "sim/topology/graph.h"

namespace brigade {

TableRouter::TableRouter(std::span<const Vertex> vertices, std::span<const Link> links)
    : links_(links), paths_(vertices, links), slots_(vertices.size()) {
  const auto endpoints = std::count_if(vertices.begin(), vertices.end(), [](const Vertex& v) {
    return v.kind == VertexKind::kGpu || v.kind == VertexKind::kHost;
  });
  if (static_cast<size_t>(endpoints) * vertices.size() <= kPairsEager) make_all(vertices);
}

void TableRouter::make_all(std::span<const Vertex> vertices) {
  const auto is_endpoint = [&](VertexId v) {
    return vertices[v].kind == VertexKind::kGpu || vertices[v].kind == VertexKind::kHost;
  };
  uint64_t cost_max = 0, cost_min = UINT32_MAX;
  for (const Link& l : links_) cost_min = std::min<uint64_t>(cost_min, l.cost);
  for (VertexId to = 0; to < vertices.size(); ++to) {
    if (!is_endpoint(to)) continue;
    const NextHops& hops = table(to);
    for (VertexId from = 0; from < vertices.size(); ++from) {
      if (is_endpoint(from) && hops.cost[from] != kUnreachable) {
        cost_max = std::max(cost_max, link_costs(hops.cost[from]));
      }
    }
  }
  hops_max_ = static_cast<int>(cost_max / cost_min);
}

const NextHops& TableRouter::table(VertexId to) const {
  Slot& slot = slots_[to];
  std::call_once(slot.made, [&] { slot.hops = paths_.to(to); });
  return slot.hops;
}

int TableRouter::route(VertexId from, VertexId to, uint64_t flow, LinkId* out) const {
  if (from == to) return 0;
  const NextHops& hops = table(to);
  int n = 0;
  for (VertexId at = from; at != to;) {
    const std::span<const LinkId> next = hops.of(at);
    if (next.empty() || n == hops_max_) return -1;
    const LinkId l = next[choose(flow, at, static_cast<uint32_t>(next.size()))];
    out[n++] = l;
    at = links_[l].to;
  }
  return n;
}

}  // namespace brigade
