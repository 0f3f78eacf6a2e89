#include "sim/workload/ddp_plan.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"
#include "sim/workload/comm_hook.h"
#include "sim/workload/ddp_calls.h"
#include "sim/workload/ddp_memory.h"
#include "sim/workload/jitter.h"
#include "sim/workload/memory_traffic.h"

namespace brigade {
namespace {

Duration slowed(Duration d, double share) {
  return share == 1 ? d : Duration{std::llround(static_cast<double>(d.ps) / share)};
}

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

// A bucket is coded when its turn has come, which holds up what follows in backward.
void code_in_backward(DdpCompute& c, const std::vector<Duration>& encode) {
  Duration launched, held_up;
  for (size_t i = 0; i < encode.size(); ++i) {
    launched = std::max(launched, c.bucket_ready[i]);
    held_up += encode[i];
    c.bucket_ready[i] = launched + held_up;
  }
  c.backward += held_up;
}

// Adds what the model-parallel peers cost a micro-batch, a third of it in forward; in backward gradients come
// later in proportion.
ComputeTimeline with_model_parallel_time(ComputeTimeline t, Duration time) {
  if (time.ps == 0) return t;
  const Duration in_forward{time.ps / 3}, in_backward = time - in_forward;
  t.forward += in_forward;
  for (GradientReady& g : t.gradients)
    if (t.backward.ps > 0)
      g.at += Duration{static_cast<int64_t>(static_cast<__int128>(in_backward.ps) * g.at.ps / t.backward.ps)};
  t.backward += in_backward;
  return t;
}

DdpCompute compute_of(const DdpPlan& plan, const DdpIteration& iteration, const DdpJobSpec& spec,
                      const Rates& rates, double share) {
  DdpCompute c;
  const Duration peers = spec.model_parallel.time;
  const bool fuses = spec.buckets.rule == BucketRule::kHorovod;  // its copies are not part of backward
  const ComputeTimeline last = with_model_parallel_time(
      timeline_of(plan.model, spec, rates, fuses ? BucketCopy::kNone : BucketCopy::kIntoBuckets), peers);
  c.forward = slowed(last.forward, share);
  c.backward = slowed(last.backward, share);
  if (spec.accumulate > 1) {
    const ComputeTimeline early =
        with_model_parallel_time(timeline_of(plan.model, spec, rates, BucketCopy::kNone), peers);
    c.early_forward = slowed(early.forward, share);
    c.early_backward = slowed(early.backward, share);
  }
  if (searches_unused(spec.buckets)) c.unused_search = spec.buckets.find_unused_cpu_time;
  std::vector<Duration> ready(plan.model.parameters.size()), encode;
  for (const GradientReady& g : last.gradients) ready[g.tensor] = g.at;
  const auto at_memory_rate = [&](Bytes bytes) { return slowed(memory_time(bytes, rates), share); };
  Bytes gradients{};
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    c.bucket_ready.push_back(slowed(last.gradients[i].at, share));
    gradients += plan.tensors[i].elements * Bytes{bytes_of(plan.tensors[i].dtype)};
  }
  c.copies.bytes_per_s = rates.bytes_per_s * share;
  for (const Bucket& bucket : iteration.buckets) {
    Duration at{};
    for (const TensorIndex t : bucket.tensors) at = std::max(at, ready[t]);
    c.bucket_ready.push_back(slowed(at, share));
    const Bytes out = copy_traffic(bucket.bytes, spec.buckets).out_of_bucket;
    c.copy_out.push_back(at_memory_rate(out));
    gradients += bucket.bytes;
    if (!iteration.hooked) continue;
    const HookedBucket coded = hook_bucket(spec.comm_hook, plan.model, bucket, plan.groups.size);
    encode.push_back(at_memory_rate(coded.encode));
    c.between.push_back(at_memory_rate(coded.between));
    c.copy_out.back() = at_memory_rate(coded.decode + out);
    c.coding += encode.back() + c.between.back() + at_memory_rate(coded.decode);
  }
  code_in_backward(c, encode);
  if (spec.gradient_norm) c.gradient_norm = at_memory_rate(gradients);
  const int64_t moved = optimizer_bytes_per_parameter(spec.optimizer, spec.precision);
  const int64_t parameters = parameter_count(plan.model);
  c.optimizer = at_memory_rate({moved * parameters});
  // Read, divided and written.
  if (iteration.averages) c.average = at_memory_rate({2 * parameters * bytes_of(spec.precision.parameters)});
  return c;
}

// A rank's share of the model: its tensors and its work, cut evenly. Times that were written out are a rank's
// already.
void shard(Model& model, int ways) {
  const double part = 1.0 / ways;
  for (ParameterTensor& p : model.parameters) {
    p.elements = (p.elements + ways - 1) / ways;
    if (!p.shape.empty()) p.shape.front() = std::max<int64_t>(1, p.shape.front() / ways);
  }
  for (Layer& layer : model.layers)
    for (Pass* pass : {&layer.forward, &layer.backward})
      for (double* cost : {&pass->flops_per_sample, &pass->activation_elements_per_sample,
                           &pass->bytes_per_sample, &pass->weight_elements, &pass->gradient_elements})
        *cost *= part;
}

// What Horovod's cycles are taken to be.
void add_fusion(std::vector<std::string>& list, const BucketSpec& spec) {
  list.push_back(absl::StrCat("Horovod: the cycles of all ranks begin together, ", to_string(spec.cycle),
                              " after each other, the first with the job; a gradient is handed over when it "
                              "is ready"));
  list.push_back(spec.negotiation.ps > 0
                     ? absl::StrCat("agreeing on tensors takes ", to_string(spec.negotiation), " a cycle")
                     : "agreeing on tensors takes no time (negotiation: 0 s)");
  list.push_back(spec.gradient_as_bucket_view ? "no copy between gradients and fusion buffer"
                                              : "two tensors or more are copied into and out of the fusion "
                                                "buffer at memory rate, on the communication stream");
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
  if (spec.buckets.rule == BucketRule::kHorovod)
    add_fusion(list, spec.buckets);
  else if (!spec.buckets.gradient_as_bucket_view)
    list.push_back("gradients are copied into and out of buckets at memory rate");
  if (plan.iterations.back().broadcasts > 0)
    list.push_back("buffers are broadcast from rank 0 by a binomial tree before forward");
  if (rebuilds_buckets(spec.buckets))
    list.push_back("the first iteration reduces one bucket a dtype (PyTorch)");
  if (spec.comm_hook.kind != CommHook::kNone) list.push_back(describe(spec.comm_hook));
  if (const ModelParallelSpec& cut = spec.model_parallel; cut.ways() > 1)
    list.push_back(absl::StrCat("only data-parallel traffic is simulated, in ", plan.groups.ranks.size(),
                                " groups of ", plan.groups.size, " (tensor ", cut.tensor, " x pipeline ",
                                cut.pipeline, "); model-parallel communication is ", to_string(cut.time),
                                " of compute in each micro-batch"));
  if (spec.compute.jitter.kind != JitterKind::kNone) list.push_back(describe(spec.compute.jitter));
  const InterferenceSpec& both = spec.compute.interference;
  if (both.compute_share != 1)
    list.push_back(absl::StrCat("a rank computes at ", std::round(both.compute_share * 1e4) / 100,
                                " % of its speed while its collectives run, waiting included"));
  if (both.communication_share != 1)
    list.push_back(absl::StrCat("a rank's own links send at ", both.communication_share * 100,
                                " % of their bandwidth while it computes"));
  if (spec.gradient_norm) list.push_back("the gradient norm reads all gradients once");
  return list;
}

// What does not go together, or has nothing to do.
bool check_hook(const Model& model, const DdpJobSpec& spec, const JobContext& context, Diagnostics& errors) {
  const auto refuse = [&](const char* why) {
    errors.error(context.at, absl::StrCat("job \"", context.name, "\": ", why));
    return false;
  };
  const CommHook hook = spec.comm_hook.kind;
  if (spec.buckets.rule == BucketRule::kHorovod && hook != CommHook::kNone)
    return refuse(
        "a comm_hook works on DDP's buckets, not on Horovod's; allowed: rule pytorch or fixed, or no "
        "comm_hook");
  if (hook == CommHook::kPowerSgd && spec.comm_streams > 1)
    return refuse("PowerSGD's exchanges follow each other; allowed: comm_streams 1, or another hook");
  if (hook == CommHook::kPowerSgd && searches_unused(spec.buckets))
    return refuse("PowerSGD goes without find_unused_parameters");
  if (hook != CommHook::kPowerSgd) return true;
  Bucket all;
  for (TensorIndex t = 0; t < model.parameters.size(); ++t) all.tensors.push_back(t);
  if (hook_bucket(spec.comm_hook, model, all, 1).exchanges.size() == 2) return true;
  return refuse(
      "PowerSGD of this rank makes no tensor smaller (tensors that are written out have one dimension); "
      "allowed: a named model, a lower rank");
}

}  // namespace

std::optional<DdpPlan> plan_ddp(const DdpJobSpec& spec, const JobContext& context, Diagnostics& errors) {
  const int before = errors.errors();
  if (spec.compute.interference.communication_share != 1 &&
      (context.network.model != NetworkModel::kPacket || context.network.routing == Routing::kAdaptive))
    errors.error(context.at,
                 absl::StrCat("job \"", context.name,
                              "\": links do not slow with compute in model fluid, nor with adaptive routes; "
                              "allowed: model: packet with another routing, or without communication"));
  std::optional<Model> model = model_of(spec.model, errors);
  if (!model || errors.errors() != before) return std::nullopt;
  DdpPlan plan;
  plan.model = std::move(*model);
  plan.hook = spec.comm_hook;
  if (spec.model_parallel.ways() > 1) shard(plan.model, spec.model_parallel.ways());
  if (spec.buckets.rule == BucketRule::kHorovod) {
    const std::vector<TensorInfo> registered = gradient_tensors(plan.model, spec.precision);
    for (const TensorIndex t : ready_order(plan.model)) plan.tensors.push_back(registered[t]);
  }
  if (!check_hook(plan.model, spec, context, errors) || !add_groups(plan, spec, context, errors) ||
      !add_iterations(plan, spec, context, errors))
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
    for (DdpIteration& iteration : plan.iterations)
      iteration.compute.push_back(compute_of(plan, iteration, spec, *rates, kind.share));
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
