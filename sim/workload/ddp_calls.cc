#include "sim/workload/ddp_calls.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/engine/payload.h"
#include "sim/workload/comm_hook.h"
#include "sim/workload/communicate.h"
#include "sim/workload/placement.h"

namespace brigade {
namespace {

struct Calls {
  const DdpPlan& plan;
  const DdpJobSpec& spec;
  const JobContext& context;
  Diagnostics& errors;

  // One row of each group's list; false if it cannot be made.
  bool add(DdpIteration& iteration, Collective collective, const AlgorithmSpec& algorithm, int64_t elements,
           DType dtype, const std::string& label) const {
    for (size_t g = 0; g < plan.groups.ranks.size(); ++g) {
      std::vector<VertexId> devices;
      for (const Rank r : plan.groups.ranks[g]) devices.push_back(context.devices[r]);
      CommunicateResult made = communicate({.collective = collective,
                                            .algorithm = algorithm,
                                            .elements = elements,
                                            .element_bytes = bytes_of(dtype),
                                            .root = 0,
                                            .sends = {},
                                            .receives = {},
                                            .fold = context.fold},
                                           devices, context.topology);
      if (context.verify && made.error.empty()) made.error = Payload::refusal(made.call);
      if (!made.error.empty()) {
        errors.error(context.at, absl::StrCat("job \"", context.name, "\": ", made.error));
        return false;
      }
      made.call.label = label;
      iteration.calls[g].push_back(std::move(made.call));
    }
    return true;
  }
  bool reduce(DdpIteration& iteration, int64_t elements, DType dtype, const std::string& label) const {
    return add(iteration, Collective::kAllReduce, spec.all_reduce, elements, dtype, label);
  }

  bool add_buffers(DdpIteration& iteration) const {
    AlgorithmSpec tree;
    tree.algorithm = "tree";
    tree.rounds = spec.all_reduce.rounds;
    for (const Buffers& b : plan.model.buffers) {
      if (!add(iteration, Collective::kBroadcast, tree, b.elements, b.dtype,
               absl::StrCat("buffers ", name_of(b.dtype))))
        return false;
      ++iteration.broadcasts;
    }
    return true;
  }

  // All buckets have as many exchanges: what one has less is sent as nothing.
  bool add_buckets(DdpIteration& iteration, bool hooked) const {
    const Rank n = plan.groups.size;
    iteration.per_bucket = hooked && spec.comm_hook.kind == CommHook::kPowerSgd ? 2 : 1;
    for (size_t i = 0; i < iteration.buckets.size(); ++i) {
      const Bucket& bucket = iteration.buckets[i];
      HookedBucket coded = hook_bucket(hooked ? spec.comm_hook : CommHookSpec{}, plan.model, bucket, n);
      while (coded.exchanges.size() < iteration.per_bucket)
        coded.exchanges.push_back({Collective::kAllReduce, 0, bucket.dtype, "nothing"});
      for (const HookedBucket::Exchange& e : coded.exchanges) {
        const std::string label = absl::StrCat("bucket ", i, *e.what != 0 ? " " : "", e.what);
        const bool made = e.collective == Collective::kAllReduce
                              ? reduce(iteration, e.elements, e.dtype, label)
                              : add(iteration, e.collective, AlgorithmSpec{}, e.elements, e.dtype, label);
        if (!made) return false;
      }
    }
    return true;
  }

  // Buckets take the streams in turn; all else goes on the first.
  void assign_streams(DdpIteration& iteration) const {
    const uint32_t streams = static_cast<uint32_t>(spec.comm_streams);
    iteration.calls_of_stream.resize(streams);
    for (uint32_t c = 0; c < iteration.count(); ++c)
      iteration.calls_of_stream[iteration.is_of_bucket(c) ? iteration.bucket_of(c) % streams : 0].push_back(
          c);
  }

  // Horovod calls nothing by plan. What could be wrong with a call shows in the largest of each dtype.
  bool add_fused(DdpIteration& iteration) const {
    iteration.gradient_norm = spec.gradient_norm;
    std::map<DType, int64_t> elements;
    for (const TensorInfo& t : plan.tensors) elements[t.dtype] += t.elements;
    DdpIteration largest;
    largest.calls.resize(plan.groups.ranks.size());
    for (const auto& [dtype, count] : elements)
      if (!reduce(largest, count, dtype, "fused buffer")) return false;
    assign_streams(iteration);
    return true;
  }

  bool fill(DdpIteration& iteration, bool first_iteration, bool hooked, bool averages) const {
    iteration.calls.resize(plan.groups.ranks.size());
    if (spec.buckets.rule == BucketRule::kHorovod) return add_fused(iteration);
    if (spec.comm_hook.kind != CommHook::kLocalSgd)
      iteration.buckets = buckets_of(spec.buckets, gradient_tensors(plan.model, spec.precision),
                                     ready_order(plan.model), first_iteration);
    iteration.hooked = hooked;
    if (spec.buckets.broadcast_buffers && !add_buffers(iteration)) return false;
    if (!add_buckets(iteration, hooked)) return false;
    iteration.used_map = searches_unused(spec.buckets);
    if (iteration.used_map && !reduce(iteration, static_cast<int64_t>(plan.model.parameters.size()),
                                      DType::kInt32, "used parameters"))
      return false;
    iteration.gradient_norm = spec.gradient_norm;
    if (iteration.gradient_norm && !reduce(iteration, 1, DType::kFp32, "gradient norm")) return false;
    iteration.averages = averages;
    if (averages && !reduce(iteration, parameter_count(plan.model), spec.precision.parameters, "parameters"))
      return false;
    assign_streams(iteration);
    return true;
  }
};

}  // namespace

bool searches_unused(const BucketSpec& spec) { return spec.find_unused_parameters && !spec.static_graph; }

bool add_groups(DdpPlan& plan, const DdpJobSpec& spec, const JobContext& context, Diagnostics& errors) {
  const Rank n = static_cast<Rank>(context.devices.size());
  const ModelParallelSpec& cut = spec.model_parallel;
  const int ways = cut.ways();
  const int size = static_cast<int>(n) / ways;
  plan.groups.ranks = groups_of(n, {.size = size, .stride = cut.tensor});
  if (size < 1 || size * ways != static_cast<int>(n) || plan.groups.ranks.empty()) {
    errors.error(context.at,
                 absl::StrCat("job \"", context.name, "\": ", n, " ranks are not tensor ", cut.tensor,
                              " x pipeline ", cut.pipeline, " x data; allowed: a multiple of ", ways));
    return false;
  }
  plan.groups.size = context.ranks() / static_cast<Rank>(ways);
  plan.groups.group_of.resize(n);
  plan.groups.place_of.resize(n);
  for (uint32_t g = 0; g < plan.groups.ranks.size(); ++g)
    for (Rank i = 0; i < plan.groups.ranks[g].size(); ++i) {
      plan.groups.group_of[plan.groups.ranks[g][i]] = g;
      plan.groups.place_of[plan.groups.ranks[g][i]] = i;
    }
  return true;
}

bool add_iterations(DdpPlan& plan, const DdpJobSpec& spec, const JobContext& context, Diagnostics& errors) {
  const Calls calls{plan, spec, context, errors};
  const auto add = [&](bool first, bool hooked, bool averages) {
    return calls.fill(plan.iterations.emplace_back(), first, hooked, averages);
  };
  switch (spec.comm_hook.kind) {
    case CommHook::kLocalSgd:
      return add(true, false, false) && add(false, false, true);
    case CommHook::kPowerSgd:
      return add(true, false, false) && add(false, false, false) && add(true, true, false) &&
             add(false, true, false);
    default: {
      const bool hooked = spec.comm_hook.kind != CommHook::kNone;
      return add(true, hooked, false) && add(false, hooked, false);
    }
  }
}

size_t DdpPlan::kind_of(int step) const {
  const size_t later = step > 0;
  if (hook.kind == CommHook::kLocalSgd) return (step + 1) % hook.every == 0;
  return hook.kind == CommHook::kPowerSgd && step >= hook.start_step ? 2 + later : later;
}

}  // namespace brigade
