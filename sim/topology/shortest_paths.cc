// Covered by tests/topology/closed-form-equals-search.cc and table-router-*.cc.
#include "sim/topology/shortest_paths.h"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <utility>

#include "sim/topology/graph.h"

namespace brigade {
namespace {

using Csr = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, LinkId>;
using Edge = boost::graph_traits<Csr>::edge_descriptor;

bool leaves_by_nic(const Vertex& from, const Vertex& to) {
  return from.kind == VertexKind::kNic && from.node != kNone && from.node != to.node;
}

bool usable(const Link& l, std::span<const Vertex> vertices, VertexId destination) {
  const Vertex& to = vertices[l.to];
  if (!l.up || (l.to != destination && !relays(to))) return false;
  const bool enters = to.node != kNone && to.node != vertices[l.from].node;
  return !enters || to.node == vertices[destination].node || to.forward;
}

RouteCost weight(const Link& l, std::span<const Vertex> vertices) {
  return (RouteCost{leaves_by_nic(vertices[l.from], vertices[l.to])} << 32) + l.cost;
}

}  // namespace

struct ShortestPaths::Reversed {
  Csr graph;
};

ShortestPaths::ShortestPaths(std::span<const Vertex> vertices, std::span<const Link> links)
    : vertices_(vertices), links_(links) {
  std::vector<std::pair<VertexId, VertexId>> edges;
  std::vector<LinkId> ids;
  for (LinkId l = 0; l < links.size(); ++l) {
    edges.emplace_back(links[l].to, links[l].from);
    ids.push_back(l);
  }
  reversed_ = std::make_unique<Reversed>(Reversed{
      Csr(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), ids.begin(), vertices.size())});
}

ShortestPaths::~ShortestPaths() = default;

NextHops ShortestPaths::to(VertexId destination) const {
  const Csr& g = reversed_->graph;
  NextHops best;
  best.cost.assign(vertices_.size(), kUnreachable);
  const auto weights = boost::make_function_property_map<Edge, RouteCost>([&](const Edge& e) {
    const Link& l = links_[g[e]];
    return usable(l, vertices_, destination) ? weight(l, vertices_) : kUnreachable;
  });
  const auto cost = boost::make_iterator_property_map(best.cost.begin(), boost::get(boost::vertex_index, g));
  // Boost adds with plain + unless told otherwise, and the weight of an unusable link would wrap around.
  boost::dijkstra_shortest_paths(g, destination,
                                 boost::weight_map(weights)
                                     .distance_map(cost)
                                     .distance_inf(kUnreachable)
                                     .distance_combine(boost::closed_plus<RouteCost>(kUnreachable)));

  const auto is_step = [&](const Link& l) {
    return best.cost[l.to] != kUnreachable && usable(l, vertices_, destination) &&
           best.cost[l.from] == best.cost[l.to] + weight(l, vertices_);
  };
  best.first.assign(vertices_.size() + 1, 0);
  for (const Link& l : links_) best.first[l.from + 1] += is_step(l);
  for (size_t v = 0; v < vertices_.size(); ++v) best.first[v + 1] += best.first[v];
  best.links.resize(best.first.back());
  std::vector<uint32_t> at(best.first.begin(), best.first.end() - 1);
  for (LinkId l = 0; l < links_.size(); ++l) {
    if (is_step(links_[l])) best.links[at[links_[l].from]++] = l;
  }
  return best;
}

}  // namespace brigade
