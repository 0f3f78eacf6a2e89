// Closed-form routes where some links are dead. A closed-form route that is alive is still one of the
// cheapest, so it is kept; a dead one is drawn again with another flow (which leaves the spread over the
// living ones even), and only where all draws are dead the rest of the graph is searched (table_router.h).
#pragma once
#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "sim/topology/table_router.h"

namespace brigade {

class DetourRouter : public Router {
 public:
  DetourRouter(std::unique_ptr<const Router> closed_form, std::span<const Vertex> vertices,
               std::span<const Link> links)
      : owned_(std::move(closed_form)), closed_form_(owned_.get()), table_(vertices, links), links_(links) {}
  // Keeps the reference.
  DetourRouter(const Router& closed_form, std::span<const Vertex> vertices, std::span<const Link> links)
      : closed_form_(&closed_form), table_(vertices, links), links_(links) {}

  int route(VertexId from, VertexId to, uint64_t flow, LinkId* out) const override;
  int hops_max() const override { return std::max(closed_form_->hops_max(), table_.hops_max()); }

 private:
  static constexpr uint64_t kDraws = 8;
  std::unique_ptr<const Router> owned_;
  const Router* closed_form_;
  TableRouter table_;
  std::span<const Link> links_;
};

}  // namespace brigade
