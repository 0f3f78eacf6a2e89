// The frozen cluster: vertices, directed links, devices, and routes. Built once (build.h), then only read.
//
// Ids are dense: links of one host lie next to each other, so that the two links of a hop share a cache line.
// Names are made on demand: "node[2].nic[5]", "leaf[0]", or as written in the file.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/bandwidth.h"
#include "sim/base/diagnostic.h"
#include "sim/base/ids.h"
#include "sim/base/time.h"
#include "sim/topology/spec.h"

namespace brigade {

enum class VertexKind : uint8_t { kGpu, kHost, kNvswitch, kPcie, kNic, kSwitch };

struct Vertex {
  VertexKind kind = VertexKind::kSwitch;
  bool forward = false;    // relays although it is an endpoint
  uint16_t level = 0;      // of a family's fabric switch: its tier, 0 the one of leaves
  uint32_t node = kNone;   // the server that it belongs to
  uint32_t index = 0;      // gpu[index] of its node, leaf[index] of the cluster
  uint32_t model = kNone;  // into Topology::models(), of a GPU or host
};

struct Link {
  VertexId from = kNone, to = kNone;
  Bandwidth bandwidth;
  Duration latency;
  uint32_t cost = 1;
  bool up = true;
};

// Closed form a family, or tables for written-out graphs.
class Router {
 public:
  virtual ~Router() = default;
  // Writes the links of the route of `flow` to `out` (room for hops_max()) and returns their number; 0 if
  // from == to; -1 if there is no route. from and to are endpoints. Devices of one node keep inside it if
  // they can; then the least total cost wins; among equals `flow` decides (ECMP). Safe to call from several
  // threads.
  virtual int route(VertexId from, VertexId to, uint64_t flow, LinkId* out) const = 0;
  virtual int hops_max() const = 0;
};

class Topology {
 public:
  const std::string& name() const { return name_; }
  std::span<const Vertex> vertices() const { return vertices_; }
  std::span<const Link> links() const { return links_; }
  std::span<const DeviceModel> models() const { return models_; }
  const Router& router() const { return *router_; }
  uint32_t nodes() const { return nodes_; }

  bool is_endpoint(VertexId v) const {
    return vertices_[v].kind == VertexKind::kGpu || vertices_[v].kind == VertexKind::kHost;
  }
  std::string vertex_name(VertexId v) const;
  // "node[0].gpu[3] -> node[0].nvswitch[0]"
  std::string link_name(LinkId l) const;
  // The other direction of the same cable.
  LinkId reverse(LinkId l) const { return l ^ 1; }

  // All vertices that a selector names, in id order: "node[*].gpu[0-3]", "node[2].nic[5]", "leaf[0]",
  // "node[1]" (all vertices of the node), lists "node[0].gpu[1,3]". Errors (nothing matched, index out of
  // range, syntax) are added with `at` and say what exists.
  std::vector<VertexId> select(std::string_view selector, const Place& at, Diagnostics& errors) const;
  // All links that a selector names, in id order: of a vertex selector those that touch its vertices, of "a
  // -> b" the direction from a to b, of "a - b" both. Link names are selectors.
  std::vector<LinkId> select_links(std::string_view selector, const Place& at, Diagnostics& errors) const;
  // What there is to select: "node[0-15].gpu[0-7], node[0-15].nic[0-7], leaf[0-7]".
  std::string selectable() const;

 private:
  friend class TopologyBuilder;
  std::string name_;
  std::vector<Vertex> vertices_;
  std::vector<Link> links_;  // 2 i and 2 i + 1 are the two directions of cable i
  std::vector<DeviceModel> models_;
  std::vector<std::string> names_;       // by vertex, written-out graphs only
  std::vector<const char*> tier_words_;  // by Vertex::level: "leaf", "spine", "core"
  std::unique_ptr<const Router> router_;
  uint32_t nodes_ = 0;
};

// Routes of the topology where some links are down beside those that it knows of: its own ones as far as they
// live, else what the graph leaves. `links` are its own but for `up`; both must outlive the router.
std::unique_ptr<const Router> routes_around(const Topology& topology, std::span<const Link> links);

// Builds, checks (connected endpoints, duplicate names, zero counts, sizes that do not divide), applies the
// changes (a dead link may cut endpoints off: their route is then -1), picks the router. Null if `errors` got
// any.
std::unique_ptr<const Topology> build_topology(const ClusterSpec& spec,
                                               const std::vector<LinkChange>& changes, Diagnostics& errors);

}  // namespace brigade
