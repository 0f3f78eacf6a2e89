// Routes inside a node, one object a node type, in local vertex and link numbers.
//
// GPU pairs of switched nodes, full meshes and rings are arithmetic. All other pairs of devices and NICs
// (PCIe trees, the hybrid cube mesh, rings that relay) come from a table of a few kilobytes, filled once by
// search.
#pragma once
#include <span>
#include <vector>

#include "sim/topology/node_blueprint.h"
#include "sim/topology/shortest_paths.h"

namespace brigade {

class NodeRoutes {
 public:
  // A pair with more equal routes than this spreads over the first so many.
  static constexpr uint32_t kRoutesMax = 64;
  // Types that need the table have at most this many GPUs and NICs each (check_spec.h): it grows with the
  // square.
  static constexpr int kTableDevicesMax = 1024;

  explicit NodeRoutes(const NodeType& type);

  // Like Router::route, within the node whose first link is `link0`. -1 where the node itself has no route.
  int route(uint32_t from, uint32_t to, uint64_t flow, LinkId link0, LinkId* out) const;

  const NodeLayout& layout() const { return layout_; }
  // The NICs that are nearest to a device by cost; empty if none can be reached.
  std::span<const uint32_t> nearest_nics(uint32_t device) const {
    return {nearest_.data() + nearest_first_[device], nearest_.data() + nearest_first_[device + 1]};
  }
  // A GPU that has this NIC among its nearest ones, kNone if none has.
  uint32_t gpu_of_nic(uint32_t nic) const;
  // Whether NVLink alone leads from one to the other.
  bool joined_by_nvlink(uint32_t from, uint32_t to) const { return from != to && in_closed_form(from, to); }
  // Cost from a device to a NIC (the same back), kUnreachable if there is no route.
  RouteCost nic_cost(uint32_t device, uint32_t nic) const { return nic_cost_[device * layout_.nics + nic]; }
  int hops_max() const { return hops_max_; }
  // Of the routes between a device and a NIC.
  int nic_hops_max() const { return nic_hops_max_; }
  uint32_t cables() const { return cables_; }

 private:
  struct Pair {
    uint32_t first = 0;   // into paths_
    uint32_t routes = 0;  // equal ones
  };
  struct Path {
    uint32_t first = 0;  // into path_links_
    uint32_t hops = 0;
  };
  enum class ClosedForm : uint8_t { kNone, kSwitched, kFullMesh, kRing };

  int gpu_route(uint32_t from, uint32_t to, uint64_t flow, LinkId link0, LinkId* out) const;
  bool in_closed_form(uint32_t from, uint32_t to) const;
  void fill_table(const Graph& node);
  void add_paths(uint32_t from, uint32_t to, const Graph& node, const NextHops& hops);
  void find_nearest_nics(bool own);

  NodeLayout layout_;
  ClosedForm closed_form_ = ClosedForm::kNone;
  uint32_t cables_ = 0;
  int hops_max_ = 0, nic_hops_max_ = 0;
  std::vector<Pair> pairs_;  // by from * layout_.size() + to; empty if arithmetic covers all
  std::vector<Path> paths_;
  std::vector<LinkId> path_links_;
  std::vector<RouteCost> nic_cost_;  // by device (local vertex) and NIC
  std::vector<uint32_t> nearest_, nearest_first_;
};

// Whether some pairs of the type need the table.
bool needs_route_table(const NodeType& type);

}  // namespace brigade
