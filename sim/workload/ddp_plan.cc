#include "sim/workload/ddp_plan.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"
#include "sim/engine/payload.h"
#include "sim/workload/communicate.h"
#include "sim/workload/ddp_memory.h"
#include "sim/workload/memory_traffic.h"

namespace brigade {
namespace {

Duration slowed(Duration d, double share) {
  return share == 1 ? d : Duration{std::llround(static_cast<double>(d.ps) / share)};
}

// With static_graph PyTorch neither walks the graph nor reduces a map of used parameters.
bool searches_unused(const BucketSpec& spec) { return spec.find_unused_parameters && !spec.static_graph; }

// A device model and a speed, for ranks that compute alike.
struct Kind {
  uint32_t model;
  double share;
  auto operator<=>(const Kind&) const = default;
};

std::vector<Kind> kinds_of(const JobContext& context, std::vector<uint32_t>& kind_of_rank) {
  std::vector<Kind> kinds;
  for (size_t r = 0; r < context.devices.size(); ++r) {
    const Kind kind{context.topology.vertices()[context.devices[r]].model, context.compute_share[r]};
    const auto it = std::find(kinds.begin(), kinds.end(), kind);
    kind_of_rank.push_back(static_cast<uint32_t>(it - kinds.begin()));
    if (it == kinds.end()) kinds.push_back(kind);
  }
  return kinds;
}

DdpCompute compute_of(const DdpPlan& plan, const std::vector<Bucket>& buckets, const DdpJobSpec& spec,
                      const Rates& rates, double share) {
  DdpCompute c;
  const ComputeTimeline last = timeline_of(plan.model, spec, rates, BucketCopy::kIntoBuckets);
  c.forward = slowed(last.forward, share);
  c.backward = slowed(last.backward, share);
  if (spec.accumulate > 1) {
    const ComputeTimeline early = timeline_of(plan.model, spec, rates, BucketCopy::kNone);
    c.early_forward = slowed(early.forward, share);
    c.early_backward = slowed(early.backward, share);
  }
  if (searches_unused(spec.buckets)) c.unused_search = spec.buckets.find_unused_cpu_time;
  std::vector<Duration> ready(plan.model.parameters.size());
  for (const GradientReady& g : last.gradients) ready[g.tensor] = g.at;
  Bytes gradients{};
  for (const Bucket& bucket : buckets) {
    Duration at{};
    for (const TensorIndex t : bucket.tensors) at = std::max(at, ready[t]);
    c.bucket_ready.push_back(slowed(at, share));
    c.copy_out.push_back(
        slowed(memory_time(copy_traffic(bucket.bytes, spec.buckets).out_of_bucket, rates), share));
    gradients += bucket.bytes;
  }
  if (spec.gradient_norm) c.gradient_norm = slowed(memory_time(gradients, rates), share);
  const int64_t moved = optimizer_bytes_per_parameter(spec.optimizer, spec.precision);
  c.optimizer = slowed(memory_time({moved * parameter_count(plan.model)}, rates), share);
  return c;
}

// One row of the list of calls; false if it cannot be made.
bool add_call(DdpIteration& iteration, Collective collective, const AlgorithmSpec& algorithm,
              int64_t elements, DType dtype, const std::string& label, const JobContext& context,
              Diagnostics& errors) {
  CommunicateResult made = communicate({.collective = collective,
                                        .algorithm = algorithm,
                                        .elements = elements,
                                        .element_bytes = bytes_of(dtype),
                                        .root = 0,
                                        .sends = {},
                                        .receives = {},
                                        .fold = context.fold},
                                       context.devices, context.topology);
  if (context.verify && made.error.empty()) made.error = Payload::refusal(made.call);
  if (!made.error.empty()) {
    errors.error(context.at, absl::StrCat("job \"", context.name, "\": ", made.error));
    return false;
  }
  made.call.label = label;
  iteration.calls.push_back(std::move(made.call));
  return true;
}

bool fill(DdpIteration& iteration, const DdpPlan& plan, const DdpJobSpec& spec, const JobContext& context,
          bool first_iteration, Diagnostics& errors) {
  iteration.buckets = buckets_of(spec.buckets, gradient_tensors(plan.model, spec.precision),
                                 ready_order(plan.model), first_iteration);
  AlgorithmSpec tree;
  tree.algorithm = "tree";
  tree.rounds = spec.all_reduce.rounds;
  if (spec.buckets.broadcast_buffers) {
    for (const Buffers& b : plan.model.buffers)
      if (!add_call(iteration, Collective::kBroadcast, tree, b.elements, b.dtype,
                    absl::StrCat("buffers ", name_of(b.dtype)), context, errors))
        return false;
    iteration.broadcasts = static_cast<uint32_t>(iteration.calls.size());
  }
  for (size_t i = 0; i < iteration.buckets.size(); ++i)
    if (!add_call(iteration, Collective::kAllReduce, spec.all_reduce, iteration.buckets[i].elements,
                  iteration.buckets[i].dtype, absl::StrCat("bucket ", i), context, errors))
      return false;
  iteration.used_map = searches_unused(spec.buckets);
  if (iteration.used_map && !add_call(iteration, Collective::kAllReduce, spec.all_reduce,
                                      static_cast<int64_t>(plan.model.parameters.size()), DType::kInt32,
                                      "used parameters", context, errors))
    return false;
  iteration.gradient_norm = spec.gradient_norm;
  return !iteration.gradient_norm || add_call(iteration, Collective::kAllReduce, spec.all_reduce, 1,
                                              DType::kFp32, "gradient norm", context, errors);
}

std::vector<std::string> assumptions_of(const DdpPlan& plan, const DdpJobSpec& spec) {
  std::vector<std::string> list;
  if (spec.compute.spread == Spread::kParameters)
    list.push_back("compute is 6 x parameters x tokens FLOPs, spread over parameters, a third of it forward");
  else
    list.push_back(
        "a layer takes the larger of FLOPs / rate and bytes / memory bandwidth; no host launch gaps");
  if (spec.optimizer != OptimizerKind::kNone)
    list.push_back(absl::StrCat("the optimizer moves ",
                                optimizer_bytes_per_parameter(spec.optimizer, spec.precision),
                                " bytes a parameter, in one fused kernel"));
  if (!spec.buckets.gradient_as_bucket_view)
    list.push_back("gradients are copied into and out of buckets at memory rate");
  if (plan.later.broadcasts > 0)
    list.push_back("buffers are broadcast from rank 0 by a binomial tree before forward");
  if (rebuilds_buckets(spec.buckets))
    list.push_back("the first iteration reduces one bucket a dtype (PyTorch)");
  if (spec.gradient_norm) list.push_back("the gradient norm reads all gradients once");
  return list;
}

}  // namespace

std::optional<DdpPlan> plan_ddp(const DdpJobSpec& spec, const JobContext& context, Diagnostics& errors) {
  const int before = errors.errors();
  std::optional<Model> model = model_of(spec.model, errors);
  if (!model) return std::nullopt;
  DdpPlan plan;
  plan.model = std::move(*model);
  if (!fill(plan.first, plan, spec, context, true, errors) ||
      !fill(plan.later, plan, spec, context, false, errors))
    return std::nullopt;

  const RatesNeeded needed = rates_needed(plan.model, spec);
  const std::vector<Kind> kinds = kinds_of(context, plan.kind_of_rank);
  static const DeviceModel kUnknownDevice{
      .name = "unnamed", .peak_flop_per_s = {}, .memory = {}, .memory_bandwidth = {}, .at = {}};
  std::vector<double> peaks;
  for (const Kind& kind : kinds) {
    const DeviceModel& device = kind.model == kNone ? kUnknownDevice : context.topology.models()[kind.model];
    const auto rates = rates_of(device, spec.precision, spec.compute, needed, spec.model.at, errors);
    if (!rates || !check_compute(plan.model, spec, *rates, errors)) continue;
    plan.first.compute.push_back(compute_of(plan, plan.first.buckets, spec, *rates, kind.share));
    plan.later.compute.push_back(compute_of(plan, plan.later.buckets, spec, *rates, kind.share));
    const auto peak = device.peak_flop_per_s.find(name_of(spec.precision.compute));
    peaks.push_back(peak == device.peak_flop_per_s.end() ? 0 : peak->second);
  }
  if (errors.errors() != before) return std::nullopt;
  // Without the peak of one rank there is none of all.
  if (std::find(peaks.begin(), peaks.end(), 0.0) == peaks.end())
    for (const uint32_t kind : plan.kind_of_rank) plan.peak_flop_per_s += peaks[kind];
  plan.peak_flop_per_s = context.fold.all(plan.peak_flop_per_s);
  if (const auto flops = useful_flops(plan.model, spec)) plan.useful_flops = *flops * spec.accumulate;
  if (const auto tokens = micro_batch_tokens(plan.model, spec))
    plan.tokens_per_rank = *tokens * spec.accumulate;
  plan.assumptions = assumptions_of(plan, spec);
  warn_of_ddp_memory(spec, plan.model, context, errors);
  return plan;
}

}  // namespace brigade
