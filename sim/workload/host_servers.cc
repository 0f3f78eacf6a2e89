#include "sim/workload/host_servers.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/workload/memory_traffic.h"
#include "sim/workload/parameter_homes.h"

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

// The host of each rank; false where one has none.
bool find_hosts(HostPlan& plan, std::vector<int64_t>& ranks_of, const JobContext& context,
                Diagnostics& errors) {
  std::map<VertexId, Rank> number;
  for (const VertexId device : context.devices) {
    const std::optional<VertexId> host = nearest_host(device, context.topology);
    if (!host) {
      errors.error(context.at, absl::StrCat("job \"", context.name, "\": offload needs a host for ",
                                            context.topology.vertex_name(device),
                                            "; its node has none (`host: true`, or a PCIe tree)"));
      return false;
    }
    const auto [it, is_new] = number.emplace(*host, static_cast<Rank>(plan.hosts.size()));
    if (is_new) {
      plan.hosts.push_back(*host);
      ranks_of.push_back(0);
    }
    plan.host_of_rank.push_back(it->second);
    ++ranks_of[it->second];
  }
  return true;
}

// Bytes of a rank's share by what becomes of them.
struct ShareBytes {
  Bytes gradients, parameters, on_nvme, states, moved, buffers;
};

ShareBytes share_bytes(const ShardInput& in, int64_t state_bytes) {
  const PrecisionSpec& precision = in.spec.work.precision;
  const OffloadSpec& offload = *in.spec.offload;
  const int64_t share = padded(parameter_count(in.model), in.ranks) / in.ranks;
  const Bytes parameter{in.parameter_bytes};
  ShareBytes bytes{.gradients = share * Bytes{in.gradient_bytes},
                   .parameters = share * parameter,
                   .on_nvme = {},
                   .states = share * Bytes{state_bytes},
                   .moved = share * Bytes{optimizer_bytes_per_parameter(in.spec.work.optimizer, precision)},
                   .buffers = {}};
  if (!in.spec.fetches_from_host()) return bytes;
  const ParameterHomes homes = parameter_homes(in);
  bytes.parameters = (homes.host_elements + homes.nvme_elements) * parameter;
  bytes.on_nvme = homes.nvme_elements * parameter;
  if (homes.nvme_elements > 0) bytes.buffers = offload.buffer_count * (offload.buffer_size * parameter);
  return bytes;
}

}  // namespace

std::optional<HostPlan> plan_hosts(const ShardInput& in, const StepProgram& program, int64_t state_bytes,
                                   const JobContext& context, Diagnostics& errors) {
  const OffloadSpec& offload = *in.spec.offload;
  const ShareBytes bytes = share_bytes(in, state_bytes);
  const bool updates = in.spec.updates_on_host(), keeps = in.spec.fetches_from_host();
  const bool states_on_nvme = offload.optimizer == Home::kNvme;
  HostPlan plan;
  std::vector<int64_t> ranks_of;
  if (!find_hosts(plan, ranks_of, context, errors)) return std::nullopt;
  const auto serve = [&](Bytes moved, Bandwidth rate) {
    const double seconds = static_cast<double>(moved.count) / static_cast<double>(rate.bytes_per_s().count);
    if (seconds <= kServiceSecondsMax) return rate.time(moved);
    errors.error(context.at, absl::StrCat("job \"", context.name, "\": a host would take ", seconds,
                                          " s for a rank's share; at most 30 days"));
    return Duration{};
  };
  const Bytes states_read = states_on_nvme ? bytes.states : Bytes{};
  const Bytes updated_there = in.spec.work.precision.has_master ? Bytes{} : bytes.on_nvme;
  plan.tasks.resize(HostPlan::kOthers);
  if (updates)
    plan.tasks[HostPlan::kUpdate] = {.up = {},
                                     .down = keeps ? Bytes{} : bytes.parameters,
                                     .service = {serve(states_read + updated_there, offload.nvme_read),
                                                 serve(bytes.moved, offload.host_rate),
                                                 serve(states_read + bytes.on_nvme, offload.nvme_write)}};
  if (keeps)
    plan.tasks[HostPlan::kStore] = {
        .up = bytes.parameters,
        .down = {},
        .service = {Duration{}, Duration{}, serve(bytes.on_nvme, offload.nvme_write)}};
  plan.reads = program.reads.size();
  for (const Bytes read : program.reads)
    plan.tasks.push_back(
        {.up = {}, .down = {}, .service = {serve(read, offload.nvme_read), Duration{}, Duration{}}});
  plan.calls = program.calls.size();
  for (const StepCall& call : program.calls)
    plan.tasks.push_back({.up = {}, .down = call.copied, .service = {}});
  for (const StepCall& call : program.calls)
    plan.tasks.push_back({.up = call.to_host, .down = {}, .service = {}});
  if (!errors.ok()) return std::nullopt;
  const int64_t most = *std::max_element(ranks_of.begin(), ranks_of.end());
  plan.nvme_memory = most * (states_read + bytes.on_nvme);
  if (updates) plan.host_memory += most * (states_on_nvme ? bytes.gradients : bytes.gradients + bytes.states);
  if (keeps) plan.host_memory += most * (bytes.parameters - bytes.on_nvme + bytes.buffers);
  return plan;
}

void HostServers::begin(const JobContext& context, Simulation& simulation) {
  job_ = context.id;
  std::vector<VertexId> ends = context.devices;
  ends.insert(ends.end(), plan_.hosts.begin(), plan_.hosts.end());
  comm_ = simulation.add_communicator(job_, std::move(ends), absl::StrCat(context.name, " offload"));
}

void HostServers::submit(Rank r, uint32_t task, Simulation& simulation) {
  const HostTask& t = plan_.tasks[task];
  const Rank host = plan_.host_of_rank[r];
  if (t.up.count > 0)
    return simulation.send(comm_, {.from = r, .to = ranks() + host, .bytes = t.up, .tag = task});
  const std::optional<Done> at_once = enter(host, 0, {r, task}, simulation);
  BRIGADE_CHECK(!at_once, "task ", task, " of rank ", r, " asks nothing of its host");
}

bool HostServers::concerns(const Notice& notice) const {
  if (notice.what == Notice::What::kTimer) return notice.token != kRankTimer;
  return notice.what == Notice::What::kMessage && notice.comm == comm_;
}

std::optional<HostServers::Done> HostServers::on(const Notice& notice, Simulation& simulation) {
  if (notice.what == Notice::What::kTimer) {
    const size_t host = notice.rank, stage = notice.token - 1u;
    std::deque<Done>& queue = queues_[host][stage];
    const Done served = queue.front();
    queue.pop_front();
    if (!queue.empty()) serve(host, stage, simulation);
    return enter(host, stage + 1, served, simulation);
  }
  if (notice.rank < ranks()) return Done{notice.rank, notice.index};
  return enter(notice.rank - ranks(), 0, {notice.peer, notice.index}, simulation);
}

std::optional<HostServers::Done> HostServers::enter(size_t host, size_t stage, Done task,
                                                    Simulation& simulation) {
  const HostTask& t = plan_.tasks[task.task];
  while (stage < kStages && t.service[stage].ps == 0) ++stage;
  if (stage < kStages) {
    queues_[host][stage].push_back(task);
    if (queues_[host][stage].size() == 1) serve(host, stage, simulation);
    return std::nullopt;
  }
  if (t.down.count == 0) return task;
  simulation.send(
      comm_, {.from = ranks() + static_cast<Rank>(host), .to = task.rank, .bytes = t.down, .tag = task.task});
  return std::nullopt;
}

void HostServers::serve(size_t host, size_t stage, Simulation& simulation) {
  const HostTask& t = plan_.tasks[queues_[host][stage].front().task];
  simulation.timer(job_, static_cast<Rank>(host), simulation.now() + t.service[stage],
                   static_cast<uint8_t>(stage + 1));
}

}  // namespace brigade
