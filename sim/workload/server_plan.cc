#include "sim/workload/server_plan.h"
#include "sim/workload/jitter.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/base/units.h"
#include "sim/workload/buckets.h"
#include "sim/workload/ranks.h"

namespace brigade {
namespace {

Duration slowed(Duration d, double share) {
  return share == 1 ? d : Duration{std::llround(static_cast<double>(d.ps) / share)};
}

// Each tensor, in registration order, goes to the shard that has the fewest bytes so far, the first of them.
std::vector<Rank> shards_by_tensor(const std::vector<TensorInfo>& tensors, Rank shards) {
  std::vector<int64_t> load(shards);
  std::vector<Rank> shard_of;
  for (const TensorInfo& t : tensors) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += t.elements * bytes_of(t.dtype);
    shard_of.push_back(static_cast<Rank>(least - load.begin()));
  }
  return shard_of;
}

// Bytes of the unit on each shard. By bytes: each dtype's elements are cut into parts that add up, the first
// of them one element larger where they do not divide.
std::vector<int64_t> bytes_by_shard(const std::vector<TensorIndex>& unit, const std::vector<TensorInfo>& all,
                                    const std::vector<Rank>& shard_of, Rank shards) {
  std::vector<int64_t> bytes(shards);
  if (!shard_of.empty()) {
    for (const TensorIndex t : unit) bytes[shard_of[t]] += all[t].elements * bytes_of(all[t].dtype);
    return bytes;
  }
  std::map<DType, int64_t> elements;
  for (const TensorIndex t : unit) elements[all[t].dtype] += all[t].elements;
  for (const auto& [dtype, count] : elements)
    for (Rank j = 0; j < shards; ++j)
      bytes[j] += (count / shards + (static_cast<int64_t>(j) < count % shards)) * bytes_of(dtype);
  return bytes;
}

void cut(ServerPlan& plan, const ParameterServerJobSpec& spec, const std::vector<LayerSpan>& spans) {
  const std::vector<TensorInfo> tensors = gradient_tensors(plan.model, spec.work.precision);
  std::vector<Rank> shard_of;
  if (spec.shard_by == ShardBy::kTensors) shard_of = shards_by_tensor(tensors, plan.shards);
  std::vector<int64_t> load(plan.shards);
  for (size_t u = 0; u < spans.size(); ++u) {
    ServerUnit unit{
        .first_piece = static_cast<uint32_t>(plan.pieces.size()), .pieces = 0, .message_class = 0};
    // The front layers, which the next forward needs first, have the highest of the classes.
    if (spec.priorities)
      unit.message_class = static_cast<MessageClass>(kClasses - 1 - u * kClasses / spans.size());
    const std::vector<int64_t> bytes = bytes_by_shard(spans[u].tensors, tensors, shard_of, plan.shards);
    for (Rank j = 0; j < plan.shards; ++j) {
      if (bytes[j] == 0) continue;
      ++unit.pieces;
      load[j] += bytes[j];
      plan.pieces.push_back(
          {static_cast<uint32_t>(u), j, static_cast<Rank>(j % plan.servers.size()), {bytes[j]}});
    }
    plan.units.push_back(unit);
  }
  for (const int64_t bytes : load) {
    plan.gradient += {bytes};
    plan.largest_shard = std::max(plan.largest_shard, {bytes});
  }
}

ServerCompute compute_of(const ComputeTimeline& timeline, const std::vector<LayerSpan>& spans, double share) {
  ServerCompute c{.forward_begin = {},
                  .ready = {},
                  .forward = slowed(timeline.forward, share),
                  .backward = slowed(timeline.backward, share)};
  for (const LayerSpan& span : spans) {
    c.forward_begin.push_back(slowed(span.forward_begin, share));
    c.ready.push_back(slowed(span.ready, share));
  }
  return c;
}

std::vector<LayerSpan> spans_of(const ServerPlan& plan, const ParameterServerJobSpec& spec,
                                const Rates& rates, Duration backward) {
  if (spec.transfer == Transfer::kLayers) return layer_spans(plan.model, spec.work, rates);
  LayerSpan whole{.tensors = {}, .forward_begin = {}, .ready = backward};
  for (TensorIndex t = 0; t < plan.model.parameters.size(); ++t) whole.tensors.push_back(t);
  return {whole};
}

bool add_compute(ServerPlan& plan, const ParameterServerJobSpec& spec, const JobContext& context,
                 Diagnostics& errors) {
  const RatesNeeded needed = rates_needed(plan.model, spec.work);
  static const DeviceModel kUnknownDevice{
      .name = "unnamed", .peak_flop_per_s = {}, .memory = {}, .memory_bandwidth = {}, .at = {}};
  std::vector<std::pair<uint32_t, double>> kinds;  // device model, speed
  for (size_t w = 0; w < context.devices.size(); ++w) {
    const std::pair kind{context.topology.vertices()[context.devices[w]].model, context.compute_share[w]};
    const auto it = std::find(kinds.begin(), kinds.end(), kind);
    plan.kind_of_worker.push_back(static_cast<uint32_t>(it - kinds.begin()));
    if (it != kinds.end()) continue;
    kinds.push_back(kind);
    const DeviceModel& device = kind.first == kNone ? kUnknownDevice : context.topology.models()[kind.first];
    const auto rates =
        rates_of(device, spec.work.precision, spec.work.compute, needed, spec.work.model.at, errors);
    if (!rates || !check_compute(plan.model, spec.work, *rates, errors)) return false;
    const ComputeTimeline timeline = timeline_of(plan.model, spec.work, *rates);
    const std::vector<LayerSpan> spans = spans_of(plan, spec, *rates, timeline.backward);
    if (plan.units.empty()) cut(plan, spec, spans);
    plan.compute.push_back(compute_of(timeline, spans, kind.second));
  }
  return true;
}

std::vector<std::string> assumptions_of(const ParameterServerJobSpec& spec) {
  std::vector<std::string> list{"all workers have the parameters when they start"};
  if (spec.work.compute.jitter.kind != JitterKind::kNone) list.push_back(describe(spec.work.compute.jitter));
  list.push_back(spec.update_rate
                     ? absl::StrCat("a server adds up and updates ", to_string(*spec.update_rate),
                                    " of gradients, one message after the other")
                     : "servers add up and update in no time");
  list.push_back(
      "who sends, sends one message after the other; answers that one update releases go together");
  list.push_back(
      "a push asks for its pull: no message of its own does; parameters are as large as gradients");
  return list;
}

}  // namespace

std::optional<ServerPlan> plan_server(const ParameterServerJobSpec& spec, const JobContext& context,
                                      Diagnostics& errors) {
  const std::string job = absl::StrCat("job \"", context.name, "\"");
  const int before = errors.errors();
  ServerPlan plan;
  plan.servers = find_endpoints(spec.servers, absl::StrCat("servers of ", job), spec.servers_at,
                                context.topology, errors);
  if (plan.servers.empty() && errors.errors() == before)
    errors.error(spec.servers_at, absl::StrCat(job, " has no servers"));
  if (context.verify)
    errors.error(context.at, absl::StrCat(job, ": a parameter server's messages carry no data to verify"));
  if (spec.priorities && context.network.model == NetworkModel::kFluid)
    errors.error(context.at, absl::StrCat(job,
                                          ": priorities order what waits at a link, and in model fluid "
                                          "nothing waits; allowed: priorities: false, or model: packet"));
  if (spec.priorities && context.network.routing == Routing::kAdaptive)
    errors.error(context.at,
                 absl::StrCat(job,
                              ": adaptive routes go by what waits at a link, and priorities change that "
                              "later; allowed: priorities: false, or another routing"));
  std::optional<Model> model = model_of(spec.work.model, errors);
  if (!model || errors.errors() != before) return std::nullopt;
  plan.model = std::move(*model);
  plan.shards = spec.shards ? static_cast<Rank>(*spec.shards) : static_cast<Rank>(plan.servers.size());
  if (!add_compute(plan, spec, context, errors)) return std::nullopt;
  if (plan.pieces.empty()) {
    errors.error(spec.work.model.at, absl::StrCat(job, ": the model has no parameters to send"));
    return std::nullopt;
  }
  plan.tokens_per_step = micro_batch_tokens(plan.model, spec.work);
  plan.assumptions = assumptions_of(spec);
  return plan;
}

}  // namespace brigade
