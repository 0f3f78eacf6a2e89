// Covered by tests/topology/closed-form-equals-search.cc and node-families.cc.
#include "sim/topology/node_routes.h"

#include <algorithm>

#include "sim/topology/choice.h"

namespace brigade {
namespace {

constexpr uint64_t kStageNvswitch = 1, kStagePath = 2;

// Arithmetic holds where NVLink is the cheapest cable of the node: then no detour can tie with it.
bool nvlink_is_cheapest(const NodeType& type, const NodeLayout& at) {
  const uint32_t nvlink = cost_of(type.nvlink, kCostDefault);
  const bool has_pcie = at.hosts > 0;
  return (!has_pcie || nvlink < cost_of(type.pcie, kCostPcieDefault)) &&
         (at.nics == 0 || nvlink < cost_of(type.nic_host, kCostPcieDefault));
}

}  // namespace

bool needs_route_table(const NodeType& type) {
  const NodeLayout at = layout_of(type);
  const bool arithmetic = type.family == NodeFamily::kSwitched || type.family == NodeFamily::kFullMesh;
  return !arithmetic || at.hosts > 0 || at.nics > 0;
}

NodeRoutes::NodeRoutes(const NodeType& type) : layout_(layout_of(type)) {
  if (nvlink_is_cheapest(type, layout_)) {
    switch (type.family) {
      case NodeFamily::kSwitched:
        closed_form_ = ClosedForm::kSwitched;
        break;
      case NodeFamily::kFullMesh:
        closed_form_ = ClosedForm::kFullMesh;
        break;
      case NodeFamily::kRing:
        closed_form_ = ClosedForm::kRing;
        break;
      case NodeFamily::kNone:
      case NodeFamily::kHybridCubeMesh:
        break;
    }
  }
  if (layout_.gpus > 1 && closed_form_ != ClosedForm::kNone) {
    hops_max_ = closed_form_ == ClosedForm::kSwitched ? 2 : 1;
  }
  const Graph node = blueprint_of(type);
  cables_ = static_cast<uint32_t>(node.links.size() / 2);
  nic_cost_.assign(size_t{layout_.size()} * layout_.nics, kUnreachable);
  if (needs_route_table(type) || closed_form_ == ClosedForm::kNone) fill_table(node);
  find_nearest_nics(type.own_nics);
}

int NodeRoutes::route(uint32_t from, uint32_t to, uint64_t flow, LinkId link0, LinkId* out) const {
  if (from == to) return 0;
  if (in_closed_form(from, to)) return gpu_route(from, to, flow, link0, out);
  if (pairs_.empty()) return -1;
  const Pair& pair = pairs_[from * layout_.size() + to];
  if (pair.routes == 0) return -1;
  const Path& path = paths_[pair.first + choose(flow, kStagePath, pair.routes)];
  for (uint32_t i = 0; i < path.hops; ++i) out[i] = link0 + path_links_[path.first + i];
  return static_cast<int>(path.hops);
}

bool NodeRoutes::in_closed_form(uint32_t from, uint32_t to) const {
  if (closed_form_ == ClosedForm::kNone || from >= layout_.gpus || to >= layout_.gpus) return false;
  if (closed_form_ != ClosedForm::kRing) return true;
  const uint32_t apart = from < to ? to - from : from - to;
  return apart == 1 || apart == layout_.gpus - 1;
}

// Follows the order of cables in node_blueprint.cc: link 2 i leads from the lower GPU of cable i, 2 i + 1
// back.
int NodeRoutes::gpu_route(uint32_t from, uint32_t to, uint64_t flow, LinkId link0, LinkId* out) const {
  const uint32_t n = layout_.gpus, low = std::min(from, to), high = std::max(from, to);
  if (closed_form_ == ClosedForm::kSwitched) {
    const uint32_t s = choose(flow, kStageNvswitch, layout_.nvswitches);
    out[0] = link0 + 2 * (from * layout_.nvswitches + s);
    out[1] = link0 + 2 * (to * layout_.nvswitches + s) + 1;
    return 2;
  }
  if (closed_form_ == ClosedForm::kFullMesh) {
    const uint32_t cable = low * (2 * n - low - 1) / 2 + (high - low - 1);
    out[0] = link0 + 2 * cable + (from > to);
    return 1;
  }
  // Cable i of a ring leads from GPU i to i + 1, the last one from the last GPU to the first.
  const bool closes = high - low > 1;
  out[0] = closes ? link0 + 2 * high + (from == low) : link0 + 2 * low + (from == high);
  return 1;
}

void NodeRoutes::fill_table(const Graph& node) {
  const ShortestPaths paths(node.vertices, node.links);
  const auto ends_here = [&](uint32_t v) {
    const VertexKind kind = node.vertices[v].kind;
    return kind == VertexKind::kGpu || kind == VertexKind::kHost || kind == VertexKind::kNic;
  };
  const auto is_nic = [&](uint32_t v) { return node.vertices[v].kind == VertexKind::kNic; };
  pairs_.resize(size_t{layout_.size()} * layout_.size());
  for (uint32_t to = 0; to < layout_.size(); ++to) {
    if (!ends_here(to)) continue;
    const NextHops hops = paths.to(to);
    for (uint32_t from = 0; from < layout_.size(); ++from) {
      if (from == to || !ends_here(from) || (is_nic(from) && is_nic(to))) continue;
      if (!is_nic(from) && is_nic(to)) nic_cost_[from * layout_.nics + to - layout_.nic(0)] = hops.cost[from];
      if (!in_closed_form(from, to)) add_paths(from, to, node, hops);
    }
  }
}

void NodeRoutes::add_paths(uint32_t from, uint32_t to, const Graph& node, const NextHops& hops) {
  Pair& pair = pairs_[size_t{from} * layout_.size() + to];
  pair.first = static_cast<uint32_t>(paths_.size());
  std::vector<LinkId> path;
  const auto walk = [&](const auto& self, uint32_t v) -> void {
    if (pair.routes == kRoutesMax) return;
    if (v == to) {
      paths_.push_back({static_cast<uint32_t>(path_links_.size()), static_cast<uint32_t>(path.size())});
      path_links_.insert(path_links_.end(), path.begin(), path.end());
      int& longest = from >= layout_.nic(0) || to >= layout_.nic(0) ? nic_hops_max_ : hops_max_;
      longest = std::max(longest, static_cast<int>(path.size()));
      ++pair.routes;
      return;
    }
    for (const LinkId l : hops.of(v)) {
      path.push_back(l);
      self(self, node.links[l].to);
      path.pop_back();
    }
  };
  walk(walk, from);
}

void NodeRoutes::find_nearest_nics(bool own) {
  const uint32_t gpus = layout_.gpus, nics = layout_.nics;
  const auto owns = [&](uint32_t gpu, uint32_t nic) {
    return nics <= gpus ? nic == gpu * nics / gpus : gpu == nic * gpus / nics;
  };
  nearest_first_.assign(1, 0);
  for (uint32_t device = 0; device < layout_.size(); ++device) {
    const auto row = nic_cost_.begin() + static_cast<ptrdiff_t>(size_t{device} * nics);
    const auto best = std::min_element(row, row + nics);
    const auto is_nearest = [&](uint32_t nic) { return row[nic] == *best && *best != kUnreachable; };
    bool only_own = false;
    for (uint32_t nic = 0; own && device < gpus && nic < nics; ++nic) {
      only_own |= is_nearest(nic) && owns(device, nic);
    }
    for (uint32_t nic = 0; nic < nics; ++nic) {
      if (is_nearest(nic) && (!only_own || owns(device, nic))) nearest_.push_back(nic);
    }
    nearest_first_.push_back(static_cast<uint32_t>(nearest_.size()));
  }
}

uint32_t NodeRoutes::gpu_of_nic(uint32_t nic) const {
  for (uint32_t gpu = 0; gpu < layout_.gpus; ++gpu) {
    const std::span<const uint32_t> near = nearest_nics(gpu);
    if (std::find(near.begin(), near.end(), nic) != near.end()) return gpu;
  }
  return kNone;
}

}  // namespace brigade
