#include "sim/workload/host_optimizer.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/workload/memory_traffic.h"

namespace brigade {
namespace {

// Null where there is none that the device can reach.
std::optional<VertexId> nearest_host(VertexId device, const Topology& topology) {
  std::vector<LinkId> route(static_cast<size_t>(std::max(1, topology.router().hops_max())));
  const uint32_t node = topology.vertices()[device].node;
  std::optional<VertexId> nearest;
  int fewest = 0;
  for (VertexId v = 0; v < topology.vertices().size(); ++v) {
    const Vertex& vertex = topology.vertices()[v];
    if (vertex.kind != VertexKind::kHost || vertex.node != node) continue;
    const int hops = topology.router().route(device, v, 0, route.data());
    if (hops <= 0 || (nearest && hops >= fewest)) continue;
    nearest = v;
    fewest = hops;
  }
  return nearest;
}

constexpr double kServiceSecondsMax = 30.0 * 24 * 3600;

}  // namespace

std::optional<HostPlan> plan_hosts(const ShardedJobSpec& spec, int64_t share, int64_t state_bytes,
                                   const JobContext& context, Diagnostics& errors) {
  const OffloadSpec& offload = *spec.offload;
  const PrecisionSpec& precision = spec.work.precision;
  HostPlan plan;
  std::map<VertexId, Rank> number;
  std::vector<int64_t> ranks_of;
  for (const VertexId device : context.devices) {
    const std::optional<VertexId> host = nearest_host(device, context.topology);
    if (!host) {
      errors.error(context.at, absl::StrCat("job \"", context.name, "\": offload needs a host for ",
                                            context.topology.vertex_name(device),
                                            "; its node has none (`host: true`, or a PCIe tree)"));
      return std::nullopt;
    }
    const auto [it, is_new] = number.emplace(*host, static_cast<Rank>(plan.hosts.size()));
    if (is_new) {
      plan.hosts.push_back(*host);
      ranks_of.push_back(0);
    }
    plan.host_of_rank.push_back(it->second);
    ++ranks_of[it->second];
  }
  plan.gradients = share * Bytes{bytes_of(reduced_dtype(precision))};
  plan.parameters = share * Bytes{bytes_of(precision.parameters)};
  const Bytes states = share * Bytes{state_bytes};
  const Bytes moved = share * Bytes{optimizer_bytes_per_parameter(spec.work.optimizer, precision)};
  const auto serve = [&](size_t stage, Bytes bytes, Bandwidth rate) {
    const double seconds = static_cast<double>(bytes.count) / static_cast<double>(rate.bytes_per_s().count);
    if (seconds > kServiceSecondsMax)
      errors.error(context.at, absl::StrCat("job \"", context.name, "\": a host would take ", seconds,
                                            " s for a rank's share; at most 30 days"));
    else
      plan.service[stage] = rate.time(bytes);
  };
  serve(1, moved, offload.host_rate);
  if (offload.nvme) {
    serve(0, states, offload.nvme_read);
    serve(2, states, offload.nvme_write);
  }
  if (!errors.ok()) return std::nullopt;
  const int64_t most = *std::max_element(ranks_of.begin(), ranks_of.end());
  plan.nvme_memory = offload.nvme ? most * states : Bytes{};
  plan.host_memory = most * (offload.nvme ? plan.gradients : plan.gradients + states);
  return plan;
}

void HostOptimizer::begin(const JobContext& context, Simulation& simulation) {
  job_ = context.id;
  std::vector<VertexId> ends = context.devices;
  ends.insert(ends.end(), plan_.hosts.begin(), plan_.hosts.end());
  comm_ = simulation.add_communicator(job_, std::move(ends), absl::StrCat(context.name, " offload"));
}

void HostOptimizer::submit(Rank r, Simulation& simulation) {
  simulation.send(comm_,
                  {.from = r, .to = ranks() + plan_.host_of_rank[r], .bytes = plan_.gradients, .tag = 0});
}

bool HostOptimizer::concerns(const Notice& notice) const {
  if (notice.what == Notice::What::kTimer) return notice.token != kRankTimer;
  return notice.what == Notice::What::kMessage && notice.comm == comm_;
}

std::optional<Rank> HostOptimizer::on(const Notice& notice, Simulation& simulation) {
  if (notice.what == Notice::What::kTimer) {
    const size_t host = notice.rank, stage = notice.token - 1u;
    std::deque<Rank>& queue = queues_[host][stage];
    const Rank served = queue.front();
    queue.pop_front();
    if (!queue.empty()) serve(host, stage, simulation);
    enter(host, stage + 1, served, simulation);
    return std::nullopt;
  }
  if (notice.rank < ranks()) return notice.rank;
  enter(notice.rank - ranks(), 0, notice.peer, simulation);
  return std::nullopt;
}

void HostOptimizer::enter(size_t host, size_t stage, Rank r, Simulation& simulation) {
  while (stage < kStages && plan_.service[stage].ps == 0) ++stage;
  if (stage == kStages) {
    simulation.send(
        comm_, {.from = ranks() + static_cast<Rank>(host), .to = r, .bytes = plan_.parameters, .tag = 1});
    return;
  }
  queues_[host][stage].push_back(r);
  if (queues_[host][stage].size() == 1) serve(host, stage, simulation);
}

void HostOptimizer::serve(size_t host, size_t stage, Simulation& simulation) {
  simulation.timer(job_, static_cast<Rank>(host), simulation.now() + plan_.service[stage],
                   static_cast<uint8_t>(stage + 1));
}

}  // namespace brigade
