#include "sim/workload/fold.h"

#include <algorithm>
#include <string_view>

#include "sim/base/random.h"

namespace brigade {
namespace {

uint32_t node_count(const ClusterSpec& cluster) {
  uint32_t nodes = 0;
  for (const NodeGroup& group : cluster.nodes) nodes += static_cast<uint32_t>(group.count);
  return nodes;
}

// The only type of node, without anything written out beside it; null if there is none.
const NodeType* only_type(const ClusterSpec& cluster) {
  if (cluster.nodes.empty() || !cluster.routes.empty()) return nullptr;
  if (!cluster.vertices.empty() || !cluster.cables.empty()) return nullptr;
  const std::string& name = cluster.nodes.front().type;
  for (const NodeGroup& group : cluster.nodes)
    if (group.type != name || group.count < 1) return nullptr;
  const auto type = std::find_if(cluster.types.begin(), cluster.types.end(),
                                 [&](const NodeType& t) { return t.name == name; });
  return type == cluster.types.end() ? nullptr : &*type;
}

// Every node hangs on the same switches in the same way.
bool nodes_are_alike(const FabricSpec& fabric, uint32_t nodes) {
  switch (fabric.family) {
    case FabricFamily::kSwitch:
      return true;
    case FabricFamily::kLeafSpine:
    case FabricFamily::kRailOptimised:
      return fabric.nodes_per_leaf == 0 || static_cast<uint32_t>(fabric.nodes_per_leaf) >= nodes;
    default:
      return false;
  }
}

// GPUs on one NVLink switch and nothing else.
bool gpus_are_alike(const NodeType& type) {
  return type.family == NodeFamily::kSwitched && type.nvswitches == 1 && type.nics == 0 &&
         type.pcie_switches == 0 && !type.host;
}

// Groups of ranks lie within a unit or have ranks of all: only those by node are known to.
bool groups_are_alike(const ShardedJobSpec& job, Fold::Unit unit) {
  if (job.shard_group == ShardGroup::kNode) return unit == Fold::Unit::kNode;
  return job.shard_group == ShardGroup::kAll && job.reshard_after_forward != Reshard::kToFewer;
}

// "node[*].gpu[0-3]": the same ranks of every node.
bool is_on_all_nodes(std::string_view selector) {
  constexpr std::string_view kAllNodes = "node[*].";
  return selector.starts_with(kAllNodes) && selector.find_first_of(",>") == std::string_view::npos;
}

bool is_on_all_gpus(std::string_view selector) {
  return selector == "node[*].gpu[*]" || selector == "node[0].gpu[*]";
}

}  // namespace

ClusterSpec with_units(const ClusterSpec& cluster, const Fold& fold, uint32_t units) {
  ClusterSpec out = cluster;
  if (fold.unit == Fold::Unit::kGpu) {
    for (NodeType& type : out.types) type.gpus = static_cast<int>(units);
  } else {
    out.nodes.resize(1);
    out.nodes.front().count = static_cast<int>(units);
    out.fabric.nodes_per_leaf = 0;
  }
  return out;
}

bool ranks_are_alike(const JobSpec& job, Fold::Unit unit) {
  if (job.verify) return false;
  if (const auto* c = std::get_if<CollectiveJobSpec>(&job.kind))
    return !c->callers && c->other_sizes.empty() && !c->groups;
  if (const auto* s = std::get_if<ShardedJobSpec>(&job.kind))
    return !s->offload && s->work.compute.jitter.kind == JitterKind::kNone &&  // hosts serve in an order
           groups_are_alike(*s, unit);
  const auto* ddp = std::get_if<DdpJobSpec>(&job.kind);
  return ddp != nullptr && ddp->compute.jitter.kind == JitterKind::kNone &&
         ddp->compute.interference.communication_share == 1 && ddp->model_parallel.ways() == 1 &&
         ddp->buckets.rule != BucketRule::kHorovod;  // what it will call is not known before the run
}

std::optional<Fold> find_units(const ClusterSpec& cluster, const NetworkSpec& network) {
  const NodeType* type = only_type(cluster);
  if (type == nullptr) return std::nullopt;
  if (network.model != NetworkModel::kPacket || network.overhead.ps != 0) return std::nullopt;
  const uint32_t nodes = node_count(cluster);
  const bool alike = nodes > 1 ? nodes_are_alike(cluster.fabric, nodes) : gpus_are_alike(*type);
  if (!alike) return std::nullopt;
  return Fold{.unit = nodes > 1 ? Fold::Unit::kNode : Fold::Unit::kGpu,
              .units = nodes > 1 ? nodes : static_cast<uint32_t>(std::max(0, type->gpus)),
              .simulated = Fold::kSimulated};
}

std::optional<Fold> find_fold(const ClusterSpec& cluster, bool changed, const NetworkSpec& network,
                              const std::vector<JobSpec>& jobs, uint32_t units_min) {
  if (changed || jobs.empty()) return std::nullopt;
  const std::optional<Fold> fold = find_units(cluster, network);
  if (!fold || fold->units < std::max(units_min, Fold::kUnitsMin)) return std::nullopt;
  for (const JobSpec& job : jobs) {
    if (!ranks_are_alike(job, fold->unit) || job.ranks.size() != 1 || job.placement) return std::nullopt;
    const std::string& selector = job.ranks.front();
    if (!(fold->unit == Fold::Unit::kNode ? is_on_all_nodes(selector) : is_on_all_gpus(selector)))
      return std::nullopt;
  }
  return fold;
}

LinkId links_of_unit(const Topology& simulated, const Fold& fold) {
  const std::span<const Link> links = simulated.links();
  if (fold.unit == Fold::Unit::kGpu) return static_cast<LinkId>(links.size() / fold.simulated);
  const auto touches_first = [&](const Link& l) {
    return simulated.vertices()[l.from].node == 0 || simulated.vertices()[l.to].node == 0;
  };
  return static_cast<LinkId>(std::count_if(links.begin(), links.end(), touches_first));
}

bool routes_are_alike(const Topology& simulated, const Fold& fold) {
  constexpr uint64_t kFlows = 64;  // a choice among two escapes 64 draws once in 2^63
  std::vector<VertexId> endpoints;
  for (VertexId v = 0; v < simulated.vertices().size(); ++v)
    if (simulated.is_endpoint(v)) endpoints.push_back(v);
  const size_t room = static_cast<size_t>(std::max(1, simulated.router().hops_max()));
  std::vector<LinkId> route(room), other(room);
  const size_t in_unit = endpoints.size() / fold.simulated;
  for (size_t a = 0; a < in_unit; ++a)
    for (const VertexId b : endpoints) {
      const int hops = simulated.router().route(endpoints[a], b, 0, route.data());
      for (uint64_t flow = 1; flow < kFlows; ++flow)
        if (simulated.router().route(endpoints[a], b, mix(flow), other.data()) != hops ||
            !std::equal(route.begin(), route.begin() + std::max(0, hops), other.begin()))
          return false;
    }
  return true;
}

}  // namespace brigade
