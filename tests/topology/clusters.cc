#include "tests/topology/clusters.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <functional>

#include "absl/strings/str_cat.h"
#include "sim/topology/graph.h"
#include "tests/catch.h"

namespace brigade::testing {

CableSpec cable(int64_t gb_per_s, int64_t latency_ns, int cables) {
  CableSpec c;
  c.bandwidth = Bandwidth::gb_per_s(gb_per_s);
  c.latency = nanoseconds(latency_ns);
  c.cables = cables;
  return c;
}

NodeType node_type(NodeFamily family, int gpus, int nics) {
  NodeType t;
  t.name = absl::StrCat("type-", static_cast<int>(family), "-", gpus, "-", nics);
  t.gpus = gpus;
  t.gpu.name = "test GPU";
  t.family = family;
  t.nvlink = cable(450, 500);
  t.nics = nics;
  t.nic_host = cable(64, 700);
  t.nic_port = cable(50, 1000);
  t.pcie = cable(32, 300);
  t.socket_link = cable(20, 200);
  return t;
}

NodeType pcie_node_type(NodeFamily family, int gpus, int nics, int switches, int sockets) {
  NodeType t = node_type(family, gpus, nics);
  t.name += absl::StrCat("-", switches, "-", sockets);
  t.pcie_switches = switches;
  t.sockets = sockets;
  return t;
}

FabricSpec one_switch() {
  FabricSpec f;
  f.family = FabricFamily::kSwitch;
  return f;
}

FabricSpec leaf_spine(int nodes_per_leaf, int spines) {
  FabricSpec f;
  f.family = FabricFamily::kLeafSpine;
  f.nodes_per_leaf = nodes_per_leaf;
  f.spines = spines;
  f.uplink_latency = nanoseconds(400);
  return f;
}

FabricSpec rail_optimised(int nodes_per_leaf, int spines) {
  FabricSpec f = leaf_spine(nodes_per_leaf, spines);
  f.family = FabricFamily::kRailOptimised;
  return f;
}

FabricSpec three_tiers(FabricSpec f, int group_size, int cores) {
  f.group_size = group_size;
  f.cores = cores;
  return f;
}

FabricSpec by_rail(FabricSpec f) {
  f.group_by_rail = true;
  return f;
}

FabricSpec grid(FabricFamily family, std::vector<int> sides) {
  FabricSpec f;
  f.family = family;
  f.sides = std::move(sides);
  f.link = cable(100, 400);
  return f;
}

FabricSpec dragonfly(int nodes_per_router, int routers, int global_links) {
  FabricSpec f = grid(FabricFamily::kDragonfly);
  f.nodes_per_leaf = nodes_per_router;
  f.routers = routers;
  f.global_links = global_links;
  f.global_link = cable(100, 2000);
  return f;
}

FabricSpec fat_tree(int ports, int tiers) {
  FabricSpec f;
  f.family = FabricFamily::kFatTree;
  f.ports = ports;
  f.tiers = tiers;
  f.uplink_latency = nanoseconds(400);
  return f;
}

FabricSpec xgft(std::vector<int> down, std::vector<int> up) {
  FabricSpec f = fat_tree(0, 0);
  f.down = std::move(down);
  f.up = std::move(up);
  return f;
}

ClusterSpec cluster(const std::vector<std::pair<NodeType, int>>& nodes, const FabricSpec& fabric) {
  ClusterSpec spec;
  spec.name = "test";
  for (const auto& [type, count] : nodes) {
    spec.types.push_back(type);
    spec.nodes.push_back({type.name, count, {}});
  }
  spec.fabric = fabric;
  return spec;
}

std::unique_ptr<const Topology> build(const ClusterSpec& spec, const std::vector<LinkChange>& changes) {
  Diagnostics errors;
  auto topology = build_topology(spec, changes, errors);
  INFO(errors.text());
  REQUIRE(errors.ok());
  REQUIRE(topology != nullptr);
  return topology;
}

std::string errors_of(const ClusterSpec& spec, const std::vector<LinkChange>& changes) {
  Diagnostics errors;
  const auto topology = build_topology(spec, changes, errors);
  CHECK(topology == nullptr);
  std::string text;
  for (const Diagnostic& d : errors.list()) absl::StrAppend(&text, text.empty() ? "" : "\n", d.message);
  return text;
}

std::vector<VertexId> endpoints(const Topology& t) {
  std::vector<VertexId> found;
  for (VertexId v = 0; v < t.vertices().size(); ++v) {
    if (t.is_endpoint(v)) found.push_back(v);
  }
  return found;
}

VertexId vertex(const Topology& t, const std::string& name) {
  Diagnostics errors;
  const std::vector<VertexId> found = t.select(name, {}, errors);
  INFO(name << " " << errors.text());
  REQUIRE(found.size() == 1);
  return found[0];
}

std::vector<LinkId> route(const Topology& t, const Router& r, VertexId from, VertexId to, uint64_t flow) {
  std::vector<LinkId> links(static_cast<size_t>(r.hops_max()));
  const int hops = r.route(from, to, flow, links.data());
  INFO(t.vertex_name(from) << " to " << t.vertex_name(to));
  REQUIRE(hops >= 0);
  links.resize(static_cast<size_t>(hops));
  return links;
}

namespace {

int64_t least_cost_within(const Topology& t, VertexId from, VertexId to,
                          const std::function<bool(const Vertex&)>& is_in) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                                      boost::property<boost::edge_weight_t, int64_t>>;
  Graph g(t.vertices().size());
  for (const Link& l : t.links()) {
    const Vertex &a = t.vertices()[l.from], &b = t.vertices()[l.to];
    if (l.up && is_in(a) && is_in(b) && (l.from == from || relays(a)))
      boost::add_edge(l.from, l.to, l.cost, g);
  }
  std::vector<int64_t> cost(t.vertices().size());
  boost::dijkstra_shortest_paths(g, from, boost::distance_map(cost.data()).distance_inf(INT64_MAX));
  return cost[to] == INT64_MAX ? -1 : cost[to];
}

}  // namespace

int64_t least_cost(const Topology& t, VertexId from, VertexId to) {
  const uint32_t a = t.vertices()[from].node, b = t.vertices()[to].node;
  if (a == b && a != kNone) {
    const int64_t inside = least_cost_within(t, from, to, [a](const Vertex& v) { return v.node == a; });
    if (inside >= 0) return inside;
  }
  return least_cost_within(t, from, to, [a, b](const Vertex& v) {
    return v.node == kNone || v.node == a || v.node == b || v.forward;
  });
}

std::string fault_of_route(const Topology& t, const Router& r, VertexId from, VertexId to, uint64_t flow) {
  std::vector<LinkId> links(static_cast<size_t>(r.hops_max()) + 64, kNone);
  const int hops = r.route(from, to, flow, links.data());
  const std::string what =
      absl::StrCat(t.vertex_name(from), " to ", t.vertex_name(to), ", flow ", flow, ": ");
  const int64_t best = least_cost(t, from, to);
  if (hops < 0) return best < 0 ? "" : absl::StrCat(what, "no route, but one costs ", best);
  if (hops > r.hops_max()) return absl::StrCat(what, hops, " links, hops_max ", r.hops_max());
  int64_t cost = 0;
  VertexId at = from;
  for (int i = 0; i < hops; ++i) {
    const Link& l = t.links()[links[static_cast<size_t>(i)]];
    const Vertex& v = t.vertices()[l.to];
    if (l.from != at) return absl::StrCat(what, "a gap before ", t.link_name(links[static_cast<size_t>(i)]));
    if (!l.up) return absl::StrCat(what, "a dead link");
    if (l.to != to && !relays(v)) return absl::StrCat(what, "through ", t.vertex_name(l.to));
    if (v.node != kNone && v.node != t.vertices()[from].node && v.node != t.vertices()[to].node &&
        !v.forward) {
      return absl::StrCat(what, "through the third node ", v.node);
    }
    cost += l.cost;
    at = l.to;
  }
  if (at != to) return absl::StrCat(what, "ends at ", t.vertex_name(at));
  return cost == best ? "" : absl::StrCat(what, "costs ", cost, " instead of ", best);
}

}  // namespace brigade::testing
