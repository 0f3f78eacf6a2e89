// Covered by tests/topology/given-routes.cc.
#include "sim/topology/explicit_router.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "sim/topology/choice.h"

namespace brigade {
namespace {

constexpr size_t kLinksMax = 250;  // of a way

}  // namespace

ExplicitRouter::ExplicitRouter(std::unique_ptr<const Router> otherwise, const Topology& topology,
                               const std::vector<Way>& ways, Diagnostics& errors)
    : otherwise_(std::move(otherwise)), hops_max_(otherwise_->hops_max()) {
  std::set<Pair> used;
  for (const Way& way : ways) {
    for (size_t i = 1; i < way.vertices.size(); ++i) used.insert({way.vertices[i - 1], way.vertices[i]});
  }
  std::set<Pair> joined;
  for (LinkId l = 0; l < topology.links().size(); ++l) {
    const Link& link = topology.links()[l];
    if (!used.count({link.from, link.to})) continue;
    joined.insert({link.from, link.to});
    if (link.up) links_.push_back({{link.from, link.to}, l});
  }
  std::sort(links_.begin(), links_.end());
  for (const Way& way : ways) {
    if (way.vertices.size() - 1 > kLinksMax) {
      errors.error(way.at,
                   absl::StrCat("the route has ", way.vertices.size() - 1, " links; allowed: ", kLinksMax));
    }
    for (size_t i = 1; i < way.vertices.size(); ++i) {
      if (joined.count({way.vertices[i - 1], way.vertices[i]})) continue;
      errors.error(way.at,
                   absl::StrCat("no cable joins ", topology.vertex_name(way.vertices[i - 1]), " and ",
                                topology.vertex_name(way.vertices[i]), ", which follow on the route"));
    }
    ways_.push_back({{way.vertices.front(), way.vertices.back()}, way.vertices});
    hops_max_ = std::max(hops_max_, static_cast<int>(way.vertices.size()) - 1);
  }
  std::sort(ways_.begin(), ways_.end());
  for (size_t i = 1; i < ways_.size(); ++i) {
    if (ways_[i].first != ways_[i - 1].first) continue;
    const auto [from, to] = ways_[i].first;
    const auto at = std::find_if(ways.rbegin(), ways.rend(), [from = from, to = to](const Way& way) {
      return way.vertices.front() == from && way.vertices.back() == to;
    });
    errors.error(at->at, absl::StrCat("another route leads from ", topology.vertex_name(from), " to ",
                                      topology.vertex_name(to), " already"));
  }
}

std::span<const std::pair<ExplicitRouter::Pair, LinkId>> ExplicitRouter::cables(Pair pair) const {
  const auto less = [](const std::pair<Pair, LinkId>& a, const std::pair<Pair, LinkId>& b) {
    return a.first < b.first;
  };
  const auto [first, last] = std::equal_range(links_.begin(), links_.end(), std::pair{pair, LinkId{0}}, less);
  return {first, last};
}

int ExplicitRouter::route(VertexId from, VertexId to, uint64_t flow, LinkId* out) const {
  const Pair pair{from, to};
  const auto way = std::lower_bound(ways_.begin(), ways_.end(), pair,
                                    [](const auto& way, const Pair& p) { return way.first < p; });
  if (way == ways_.end() || way->first != pair) return otherwise_->route(from, to, flow, out);
  const std::vector<VertexId>& vertices = way->second;
  for (size_t i = 1; i < vertices.size(); ++i) {
    const auto between = cables({vertices[i - 1], vertices[i]});
    if (between.empty()) return otherwise_->route(from, to, flow, out);
    out[i - 1] = between[choose(flow, vertices[i - 1], static_cast<uint32_t>(between.size()))].second;
  }
  return static_cast<int>(vertices.size()) - 1;
}

}  // namespace brigade
