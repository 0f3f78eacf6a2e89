// Routes by table, hop by hop: for each destination the next hops of least cost, found by search
// (shortest_paths.h) on first use and kept. For written-out graphs, and for what dead links leave of a
// family.
//
// A table takes about 20 bytes a vertex. Up to kPairsEager pairs of endpoint and vertex all tables are made
// at once, and hops_max() is exact where all costs are equal. Beyond, hops_max() is kHopsMaxLazy and longer
// routes count as none.
#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "sim/topology/shortest_paths.h"
#include "sim/topology/topology.h"

namespace brigade {

class TableRouter : public Router {
 public:
  static constexpr size_t kPairsEager = 1 << 20;
  static constexpr int kHopsMaxLazy = 64;

  // Keeps the spans: vertices and links must outlive it.
  TableRouter(std::span<const Vertex> vertices, std::span<const Link> links);

  int route(VertexId from, VertexId to, uint64_t flow, LinkId* out) const override;
  int hops_max() const override { return hops_max_; }

 private:
  const NextHops& table(VertexId to) const;
  void make_all(std::span<const Vertex> vertices);

  std::span<const Link> links_;
  ShortestPaths paths_;
  int hops_max_ = kHopsMaxLazy;
  struct Slot {
    std::once_flag made;
    NextHops hops;
  };
  mutable std::vector<Slot> slots_;  // by destination; safe to fill from several threads
};

}  // namespace brigade
