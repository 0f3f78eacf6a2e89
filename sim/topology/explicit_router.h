// Ways that the user gives for some pairs of devices; all other pairs, and pairs whose given way has a dead
// link, go by another router.
#pragma once
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/topology/topology.h"

namespace brigade {

class ExplicitRouter : public Router {
 public:
  // A way as vertices, both ends included.
  struct Way {
    std::vector<VertexId> vertices;
    Place at;
  };
  // Ways whose neighbours no cable joins, or whose pair has one already, go to `errors`. Keeps the topology.
  ExplicitRouter(std::unique_ptr<const Router> otherwise, const Topology& topology,
                 const std::vector<Way>& ways, Diagnostics& errors);

  int route(VertexId from, VertexId to, uint64_t flow, LinkId* out) const override;
  int hops_max() const override { return hops_max_; }

 private:
  using Pair = std::pair<VertexId, VertexId>;
  // The cables that join two neighbours of a way.
  std::span<const std::pair<Pair, LinkId>> cables(Pair pair) const;

  std::unique_ptr<const Router> otherwise_;
  std::vector<std::pair<Pair, LinkId>> links_;                // those that ways use, sorted
  std::vector<std::pair<Pair, std::vector<VertexId>>> ways_;  // sorted
  int hops_max_ = 0;
};

}  // namespace brigade
