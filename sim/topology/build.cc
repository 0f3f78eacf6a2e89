// ClusterSpec -> Topology: stamps out the nodes, hangs them on the fabric, adds what is written out, checks,
// and picks the router. Covered by tests/topology/*.cc.
#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/topology/check_fabric.h"
#include "sim/topology/check_spec.h"
#include "sim/topology/cluster_router.h"
#include "sim/topology/connectivity.h"
#include "sim/topology/detour_router.h"
#include "sim/topology/explicit_router.h"
#include "sim/topology/table_router.h"
#include "sim/topology/written_graph.h"

namespace brigade {
namespace {

bool same(const DeviceModel& a, const DeviceModel& b) {
  return a.name == b.name && a.peak_flop_per_s == b.peak_flop_per_s && a.memory == b.memory &&
         a.memory_bandwidth == b.memory_bandwidth;
}

bool is_device(const Vertex& v) { return v.kind == VertexKind::kGpu || v.kind == VertexKind::kHost; }

}  // namespace

class TopologyBuilder {
 public:
  TopologyBuilder(const ClusterSpec& spec, Diagnostics& errors) : spec_(spec), errors_(errors) {}

  std::unique_ptr<const Topology> build(const std::vector<LinkChange>& changes) {
    const int errors_before = errors_.errors();
    const auto failed = [&] { return errors_.errors() > errors_before; };
    check_spec(spec_, errors_);
    if (!failed()) add_families();
    // What is written out can be checked although families are wrong, unless it names their vertices.
    if (is_written() && (!failed() || spec_.nodes.empty())) {
      name_families();
      add_written(
          spec_, [this](const DeviceModel& m) { return model_id(m); }, graph_, topology_->names_, errors_);
    }
    if (failed()) return nullptr;
    check_pieces();
    topology_->name_ = spec_.name;
    topology_->vertices_ = std::move(graph_.vertices);
    topology_->links_ = std::move(graph_.links);
    for (const Vertex& v : topology_->vertices_) {
      if (v.node != kNone) topology_->nodes_ = std::max(topology_->nodes_, v.node + 1);
    }
    for (const LinkChange& c : changes) {
      if (c.timed())
        topology_->select_links(c.links, c.at,
                                errors_);  // they act in the engine; here their names are checked
      else
        apply(c);
    }
    if (failed()) return nullptr;
    pick_router();
    add_routes();
    if (failed()) return nullptr;
    return std::move(topology_);
  }

 private:
  bool is_written() const { return !spec_.vertices.empty() || !spec_.cables.empty(); }

  uint32_t model_id(const DeviceModel& model) {
    if (model.name.empty() && model.peak_flop_per_s.empty() && !model.memory && !model.memory_bandwidth)
      return kNone;
    std::vector<DeviceModel>& models = topology_->models_;
    const auto known =
        std::find_if(models.begin(), models.end(), [&](const DeviceModel& m) { return same(m, model); });
    if (known != models.end()) return static_cast<uint32_t>(known - models.begin());
    models.push_back(model);
    return static_cast<uint32_t>(models.size() - 1);
  }

  void add_families() {
    std::map<std::string, uint32_t> type_ids;  // in the order of first use
    std::vector<uint32_t> nics;
    std::vector<NodePorts> ports;
    uint32_t vertices = 0;
    for (const NodeGroup& group : spec_.nodes) {
      const auto [known, is_new] = type_ids.emplace(group.type, static_cast<uint32_t>(types_.size()));
      if (is_new) add_type(group.type);
      const NodeLayout& at = routes_[known->second].layout();
      for (int i = 0; i < group.count; ++i) {
        nodes_.push_back({.vertex0 = vertices, .link0 = 0, .type = known->second, .port0 = 0});
        nics.push_back(at.nics);
        ports.push_back({.nics = at.nics, .vertices = at.size()});
        vertices += at.size();
      }
    }
    const int errors_before = errors_.errors();
    check_fabric_size(spec_.fabric, ports, errors_);
    if (errors_.errors() > errors_before) return;
    fabric_ = make_fabric(spec_.fabric, nics);
    if (fabric_ && fabric_->cables() > kCablesInAllMax) {
      return errors_.error(spec_.fabric.at,
                           absl::StrCat("the fabric has ", fabric_->cables(),
                                        " cables between switches; allowed: ", kCablesInAllMax));
    }
    fabric_vertex0_ = vertices;
    graph_.vertices.reserve(vertices + (fabric_ ? fabric_->switches() : 0));
    Fabric::Load load;
    if (fabric_) load.down.resize(fabric_->switches());
    for (uint32_t n = 0; n < nodes_.size(); ++n) add_node(n, load);
    if (fabric_) add_fabric(load);
  }

  void add_type(const std::string& name) {
    const auto type = std::find_if(spec_.types.begin(), spec_.types.end(),
                                   [&](const NodeType& t) { return t.name == name; });
    types_.push_back(&*type);
    routes_.emplace_back(*type);
    Graph blueprint = blueprint_of(*type);
    const uint32_t gpu = model_id(type->gpu), host = model_id(type->host_model);
    for (Vertex& v : blueprint.vertices) {
      if (is_device(v)) v.model = v.kind == VertexKind::kGpu ? gpu : host;
    }
    blueprints_.push_back(std::move(blueprint));
  }

  void add_node(uint32_t n, Fabric::Load& load) {
    ClusterRouter::Node& node = nodes_[n];
    const Graph& blueprint = blueprints_[node.type];
    node.link0 = static_cast<LinkId>(graph_.links.size());
    node.port0 = fabric_ ? fabric_->port0_of(n) : 0;
    for (Vertex v : blueprint.vertices) {
      v.node = n;
      v.forward |= fabric_ && fabric_->direct();
      graph_.vertices.push_back(v);
    }
    for (Link l : blueprint.links) {
      l.from += node.vertex0;
      l.to += node.vertex0;
      graph_.links.push_back(l);
    }
    if (!fabric_) return;
    const NodeLayout& at = routes_[node.type].layout();
    const CableSpec& port = types_[node.type]->nic_port;
    const Bytes offered = bandwidth_of(port).bytes_per_s();
    for (uint32_t i = 0; i < at.nics; ++i) {
      const uint32_t to = fabric_->switch_of(node.port0, i);
      graph_.cable(node.vertex0 + at.nic(i), fabric_vertex0_ + to, port, kCostDefault);
      load.down[to] += offered;
      load.port_max = std::max(load.port_max, offered);
    }
  }

  void add_fabric(const Fabric::Load& load) {
    fabric_link0_ = static_cast<LinkId>(graph_.links.size());
    for (const Fabric::Tier& tier : fabric_->tiers()) {
      const uint16_t level = static_cast<uint16_t>(topology_->tier_words_.size());
      topology_->tier_words_.push_back(tier.word);
      for (uint32_t i = 0; i < tier.count; ++i) {
        graph_.vertices.push_back({.kind = VertexKind::kSwitch, .level = level, .index = i});
      }
    }
    fabric_->add_cables(fabric_->direct() ? 0 : fabric_vertex0_, load, graph_);
  }

  // Written cables may name the vertices of families.
  void name_families() {
    topology_->vertices_ = graph_.vertices;
    std::vector<std::string> names;
    for (VertexId v = 0; v < graph_.vertices.size(); ++v) names.push_back(topology_->vertex_name(v));
    topology_->names_ = std::move(names);
  }

  void check_pieces() {
    const std::vector<VertexId> pieces = one_device_a_piece(graph_.vertices, graph_.links);
    if (pieces.empty()) errors_.error(spec_.at, "the cluster has no gpu and no host");
    if (pieces.size() < 2) return;
    topology_->vertices_ = graph_.vertices;
    errors_.error(spec_.at, absl::StrCat("the cluster falls into ", pieces.size(), " pieces: no cables join ",
                                         topology_->vertex_name(pieces[0]), " and ",
                                         topology_->vertex_name(pieces[1])));
  }

  void apply(const LinkChange& change) {
    if (change.bandwidth_share && !(*change.bandwidth_share > 0 && *change.bandwidth_share <= 1)) {
      return errors_.error(
          change.at, absl::StrCat("bandwidth is ", *change.bandwidth_share * 100,
                                  " % of the link's; allowed: above 0 % (a dead link is `down`) to 100 %"));
    }
    for (const LinkId l : topology_->select_links(change.links, change.at, errors_)) {
      Link& link = topology_->links_[l];
      if (change.down) link.up = false;
      if (!change.bandwidth_share) continue;
      const double share = *change.bandwidth_share * static_cast<double>(link.bandwidth.bytes_per_s().count);
      link.bandwidth = Bandwidth::per_second({std::max<int64_t>(1, static_cast<int64_t>(share + 0.5))});
    }
  }

  void pick_router() {
    const std::span<const Vertex> vertices = topology_->vertices_;
    const std::span<const Link> links = topology_->links_;
    if (is_written()) {
      refuse_for_tables();
      topology_->router_ = std::make_unique<TableRouter>(vertices, links);
      return;
    }
    std::vector<uint32_t> node_of;
    for (VertexId v = 0; v < fabric_vertex0_; ++v) node_of.push_back(vertices[v].node);
    topology_->router_ =
        std::make_unique<ClusterRouter>(std::move(routes_), std::move(nodes_), std::move(node_of),
                                        std::move(fabric_), fabric_link0_, spec_.fabric.pxn);
    const bool all_up = std::all_of(links.begin(), links.end(), [](const Link& l) { return l.up; });
    if (all_up) return;
    topology_->router_ = std::make_unique<DetourRouter>(std::move(topology_->router_), vertices, links);
  }

  // What tables search, and so cannot keep.
  void refuse_for_tables() {
    if (spec_.fabric.pxn)
      errors_.error(spec_.fabric.at, "fabric: pxn is not for clusters with written-out cables");
    for (const NodeType* type : types_) {
      if (!type->own_nics) continue;
      errors_.error(type->at, absl::StrCat("node type \"", type->name,
                                           "\": affinity own is not for clusters with written-out cables"));
    }
  }

  void add_routes() {
    std::vector<ExplicitRouter::Way> ways;
    for (const WrittenRoute& route : spec_.routes) {
      std::vector<std::string> names{route.from};
      names.insert(names.end(), route.via.begin(), route.via.end());
      names.push_back(route.to);
      ExplicitRouter::Way way{{}, route.at};
      for (const std::string& name : names) {
        const std::vector<VertexId> found = topology_->select(name, route.at, errors_);
        if (found.size() > 1) {
          errors_.error(route.at,
                        absl::StrCat("\"", name, "\" names ", found.size(), " vertices; a route takes one"));
        }
        way.vertices.insert(way.vertices.end(), found.begin(), found.end());
      }
      if (way.vertices.size() != names.size()) continue;
      for (const VertexId end : {way.vertices.front(), way.vertices.back()}) {
        if (topology_->is_endpoint(end)) continue;
        errors_.error(route.at, absl::StrCat(topology_->vertex_name(end), " neither sends nor receives"));
      }
      if (way.vertices.front() == way.vertices.back()) {
        errors_.error(route.at, absl::StrCat("a route from ", route.from, " to itself"));
      }
      ways.push_back(std::move(way));
    }
    if (ways.empty()) return;
    topology_->router_ =
        std::make_unique<ExplicitRouter>(std::move(topology_->router_), *topology_, ways, errors_);
  }

  const ClusterSpec& spec_;
  Diagnostics& errors_;
  std::unique_ptr<Topology> topology_ = std::make_unique<Topology>();
  Graph graph_;
  std::vector<const NodeType*> types_;  // these three by type, in the order of first use
  std::vector<Graph> blueprints_;
  std::vector<NodeRoutes> routes_;
  std::vector<ClusterRouter::Node> nodes_;
  std::unique_ptr<const Fabric> fabric_;
  VertexId fabric_vertex0_ = 0;
  LinkId fabric_link0_ = 0;
};

std::unique_ptr<const Topology> build_topology(const ClusterSpec& spec,
                                               const std::vector<LinkChange>& changes, Diagnostics& errors) {
  return TopologyBuilder(spec, errors).build(changes);
}

}  // namespace brigade
