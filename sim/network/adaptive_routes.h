// Adaptive routing: a segment whose head is at a vertex goes on by the least loaded of the links that begin a
// best way to its receiver, as loads are at that moment.
//
// Best ways are those of Dijkstra (topology/shortest_paths.h), searched once for each receiver and kept:
// memory grows with receivers x vertices. The load of a link is the time at which it will be free of what has
// reached it; among equals a hash of the segment decides.
//
// Timetables are settled on arrival, and so is the choice: where segments have the same choices, that is what
// a choice at the moment of service would give (the link that is free first); where their choices differ in
// part, a link once taken is not given away again. What is left out: loads further on, delayed or coarse
// reports of loads, flowlets.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "sim/topology/shortest_paths.h"

namespace brigade {

class AdaptiveRoutes {
 public:
  // Receivers x vertices that may be kept, about 2 GB.
  static constexpr uint64_t kEntriesMax = 100'000'000;

  explicit AdaptiveRoutes(const Topology& topology);

  // The links that begin a best way from `at` to `to`.
  std::span<const LinkId> choices(VertexId at, VertexId to);
  // Writes the links from `at` to `to`, drawn by `flow` among best ways, to `out` and returns their number.
  int follow(VertexId at, VertexId to, uint64_t flow, std::span<LinkId> out);

 private:
  const NextHops& towards(VertexId to);

  std::span<const Link> links_;
  ShortestPaths paths_;
  std::vector<std::unique_ptr<const NextHops>> known_;  // by receiver
};

}  // namespace brigade
