// Least-cost routes by search: Dijkstra of Boost.Graph, backwards from one destination. Slow and general; the
// closed forms are tested against it, and it serves where no closed form can: written-out graphs, dead links.
//
// Which routes count:
// - a device passes nothing on unless it forwards; switches and NICs always do;
// - no route leads through a third node: a link into a node is usable only on the way to a device of that
// node, or
//   where the vertex that it enters is a device that forwards (cubes and tori of directly cabled GPUs);
// - fewest leaves of a node through its NICs first (two devices of one node keep inside it if they can), then
// the
//   least total cost of links;
// - links that are down do not exist.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "sim/topology/topology.h"

namespace brigade {

using RouteCost = uint64_t;  // leaves of nodes through NICs << 32 | total cost of the links
constexpr RouteCost kUnreachable = UINT64_MAX;
constexpr uint64_t link_costs(RouteCost c) { return c & 0xffffffffu; }

// All best routes to one destination, as a graph without cycles.
struct NextHops {
  std::vector<RouteCost> cost;  // from each vertex
  std::vector<uint32_t> first;  // vertex v goes on by one of links[first[v] .. first[v + 1])
  std::vector<LinkId> links;

  std::span<const LinkId> of(VertexId v) const {
    return {links.data() + first[v], links.data() + first[v + 1]};
  }
};

class ShortestPaths {
 public:
  // Keeps the spans: vertices and links must outlive it.
  ShortestPaths(std::span<const Vertex> vertices, std::span<const Link> links);
  ~ShortestPaths();
  NextHops to(VertexId destination) const;

 private:
  struct Reversed;
  std::span<const Vertex> vertices_;
  std::span<const Link> links_;
  std::unique_ptr<const Reversed> reversed_;
};

}  // namespace brigade
