#include "sim/workload/sharded_plan.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"
#include "sim/engine/payload.h"
#include "sim/workload/communicate.h"
#include "sim/workload/gradient_buckets.h"
#include "sim/workload/memory_traffic.h"
#include "sim/workload/parameter_homes.h"
#include "sim/workload/shard_facts.h"

namespace brigade {
namespace {

const AlgorithmSpec& algorithm_of(const ShardedJobSpec& spec, Collective collective) {
  if (collective == Collective::kAllGather) return spec.all_gather;
  return collective == Collective::kReduceScatter ? spec.reduce_scatter : spec.work.all_reduce;
}

// Of each group its own: routes differ. False, with an error, where one cannot be made.
bool add_call(ShardedPlan& plan, const StepCall& call, const ShardedJobSpec& spec, const JobContext& context,
              Diagnostics& errors) {
  std::vector<CollectiveCall>& by_group = plan.calls.emplace_back();
  const auto comm = static_cast<size_t>(call.communicator);
  for (const std::vector<Rank>& group : plan.comms.groups(comm)) {
    std::vector<VertexId> devices;
    for (const Rank r : group) devices.push_back(context.devices[r]);
    CommunicateResult result = communicate({.collective = call.collective,
                                            .algorithm = algorithm_of(spec, call.collective),
                                            .elements = call.elements,
                                            .element_bytes = bytes_of(call.dtype),
                                            .root = 0,
                                            .sends = {},
                                            .receives = {},
                                            .fold = plan.comms.fold(comm)},
                                           devices, context.topology);
    if (context.verify && result.error.empty()) result.error = Payload::refusal(result.call);
    if (!result.error.empty()) {
      errors.error(context.at, absl::StrCat("job \"", context.name, "\": ", result.error));
      return false;
    }
    by_group.push_back(std::move(result.call));
  }
  return true;
}

// The plans of all collectives; those that are alike share theirs.
bool add_calls(ShardedPlan& plan, const ShardedJobSpec& spec, const JobContext& context,
               Diagnostics& errors) {
  std::map<std::tuple<int, Collective, int64_t, DType>, uint32_t> made;
  for (const StepCall& call : plan.program.calls) {
    const auto [it, is_new] =
        made.try_emplace({call.communicator, call.collective, call.elements, call.dtype},
                         static_cast<uint32_t>(plan.calls.size()));
    if (is_new && !add_call(plan, call, spec, context, errors)) return false;
    plan.call_of.push_back(it->second);
  }
  return true;
}

Duration sum(const ShardInput& in, const std::vector<LayerTime>& times, const StepOp& op) {
  const Segment& segment = in.units.segments[op.segment];
  Duration total{};
  for (size_t layer = segment.first; layer < segment.last; ++layer) {
    const bool is_core = in.model.layers[layer].name.ends_with("core");
    if (op.work == Work::kRecompute && in.spec.recompute == Recompute::kSelective && !is_core) continue;
    total += op.work == Work::kBackward ? times[layer].backward : times[layer].forward;
  }
  return total;
}

std::vector<Duration> durations_of(const ShardInput& in, const StepProgram& program,
                                   const RankKinds::Kind& kind) {
  const std::vector<LayerTime> times = layer_times(in.model, in.spec.work, kind.rates);
  std::vector<Duration> durations;
  for (const StepOp& op : program.ops) {
    Duration d{};
    if (op.work == Work::kForward || op.work == Work::kRecompute || op.work == Work::kBackward)
      d = sum(in, times, op);
    if (op.moved.count > 0) d += memory_time(op.moved, kind.rates);
    durations.push_back(op.work == Work::kGap ? in.spec.work.host_gap : slowed(d, kind.share));
  }
  return durations;
}

void check_memory(ShardedPlan& plan, const RankKinds& kinds, const JobContext& context, Diagnostics& errors) {
  for (const RankKinds::Kind& kind : kinds.kinds)
    if (kind.memory) plan.device_memory = std::min(plan.device_memory.value_or(*kind.memory), *kind.memory);
  const Bytes peak = plan.memory_bound = peak_bound(plan.program);
  if (!plan.device_memory || peak <= *plan.device_memory) return;
  errors.warning(context.at, absl::StrCat("job \"", context.name, "\" does not fit: up to ", to_string(peak),
                                          " on a device of ", to_string(*plan.device_memory), ", ",
                                          to_string(plan.model_states), " of it model states"));
}

std::string count_of(int64_t elements) {
  return absl::StrCat(elements, elements == 1 ? " element" : " elements");
}

void add_offload(const ShardInput& in, std::vector<std::string>& list) {
  const OffloadSpec& offload = *in.spec.offload;
  if (in.spec.updates_on_host())
    list.push_back(
        absl::StrCat("gradients go to each rank's nearest host as buckets are reduced; the optimizer runs "
                     "there, on one share after the other",
                     offload.optimizer == Home::kNvme ? ", its states on NVMe" : ""));
  if (!in.spec.fetches_from_host()) return;
  list.push_back("before each gather a rank copies its share of the parameters from its host, in order");
  if (offload.parameters != Home::kNvme) return;
  const ParameterHomes homes = parameter_homes(in);
  list.push_back(absl::StrCat(
      "of a rank's share ", homes.nvme_elements, " parameters are on NVMe, ", homes.host_elements,
      " in the host's memory (max_in_cpu, shares below 1 MiB, small ", "parameters)"));
}

// DeepSpeed ends in an assertion: "More elements than buffer size", "Not enough buffers for swapping".
bool check_buffers(const ShardInput& in, const StepProgram& program, const JobContext& context,
                   Diagnostics& errors) {
  if (!in.spec.fetches_from_host() || in.spec.offload->parameters != Home::kNvme) return true;
  const OffloadSpec& offload = *in.spec.offload;
  const ParameterHomes homes = parameter_homes(in);
  if (homes.largest_elements >= offload.buffer_size)
    errors.error(context.at, absl::StrCat("job \"", context.name, "\": offload.buffer_size of ",
                                          count_of(offload.buffer_size), " does not hold a rank's share of ",
                                          in.model.parameters[homes.largest].name, "; allowed: more than ",
                                          count_of(homes.largest_elements)));
  constexpr double kBytesMax = 1152921504606846976.0;  // 2^60
  const double buffers = static_cast<double>(offload.buffer_count) *
                         static_cast<double>(offload.buffer_size) * static_cast<double>(in.parameter_bytes) *
                         static_cast<double>(in.ranks);
  if (!(buffers < kBytesMax))
    errors.error(context.at, absl::StrCat("job \"", context.name, "\": offload.buffer_count of ",
                                          offload.buffer_count, " with a buffer_size of ",
                                          count_of(offload.buffer_size), " is more than 2^60 bytes in all"));
  const int64_t needed = program.host_buffers;
  if (needed > offload.buffer_count)
    errors.error(
        context.at,
        absl::StrCat("job \"", context.name, "\": offload.buffer_count of ", offload.buffer_count,
                     " is too few: up to ", needed, " shares from NVMe are in use at once; allowed: ", needed,
                     " or more, or a smaller max_reuse_distance, which keeps parameters gathered"));
  return errors.ok();
}

std::vector<std::string> assumptions_of(const ShardInput& in, const MemoryRequest& request) {
  const ShardedJobSpec& spec = in.spec;
  std::vector<std::string> list;
  if (spec.work.compute.spread == Spread::kParameters)
    list.push_back("compute is 6 x parameters x tokens FLOPs, spread over parameters, a third of it forward");
  else
    list.push_back(
        "a layer takes the larger of FLOPs / rate and bytes / memory bandwidth; no host launch gaps");
  if (spec.work.optimizer != OptimizerKind::kNone && !spec.updates_on_host())
    list.push_back(absl::StrCat("the optimizer moves ",
                                optimizer_bytes_per_parameter(spec.work.optimizer, spec.work.precision),
                                " bytes a parameter", spec.stage > 0 ? " of a rank's share" : ""));
  if (spec.preset != ShardPreset::kFsdp2)
    list.push_back(absl::StrCat("gradients are reduced in buckets of ", count_of(reduce_bucket_of(in))));
  if (spec.preset == ShardPreset::kDeepspeed && (spec.stage == 1 || spec.stage == 2))
    list.push_back("a bucket is reduce-scattered over all ranks");
  if (spec.preset == ShardPreset::kDeepspeed && spec.stage == 3)
    list.push_back("every step knows the order of the modules");
  if (spec.offload) add_offload(in, list);
  if (in.copies()) list.push_back("copies into and out of buffers at memory rate");
  const bool written = std::any_of(in.segments.begin(), in.segments.end(), [](const SegmentFacts& f) {
    return f.kept.count > 0 || f.recomputed.count > 0;
  });
  if (request.shape)
    list.push_back(absl::StrCat("activations by the count ", name_of(spec.activations), ", recomputation ",
                                name_of(spec.recompute)));
  else
    list.push_back(written ? "activations as the layers say" : "activations are not counted in memory");
  if (in.replicas > 1)
    list.push_back(absl::StrCat("shard groups of ", in.ranks, " ranks next to each other; ",
                                spec.replicas_last ? "the last" : "each", " micro-batch is reduced over ",
                                in.replicas, " replicas"));
  return list;
}

// Steps are written out operation by operation.
bool check_length(const ShardInput& in, const JobContext& context, Diagnostics& errors) {
  constexpr double kOperationsMax = 4e6, kGathersMax = 1e5, kPerSegment = 4;
  const int before = errors.errors();
  const double operations =
      kPerSegment * static_cast<double>(in.segments.size()) * static_cast<double>(in.spec.work.accumulate);
  if (operations > kOperationsMax)
    errors.error(context.at, absl::StrCat("job \"", context.name, "\": ", in.segments.size(), " modules in ",
                                          in.spec.work.accumulate, " micro-batches; allowed: ",
                                          kOperationsMax / kPerSegment, " of both together"));
  const bool gathers_all =
      in.spec.preset == ShardPreset::kDeepspeed && in.spec.stage > 0 && in.spec.stage < 3;
  const double gathers =
      static_cast<double>(parameter_count(in.model)) / static_cast<double>(gather_bucket_of(in));
  if (gathers_all && gathers > kGathersMax)
    errors.error(context.at,
                 absl::StrCat("job \"", context.name, "\": gather_bucket of ", count_of(gather_bucket_of(in)),
                              " makes ", gathers, " gathers; allowed: ", kGathersMax));
  return errors.errors() == before;
}

}  // namespace

std::vector<CollectiveCall> ShardedPlan::labelled(uint32_t call) const {
  std::vector<CollectiveCall> by_group = calls[call_of[call]];
  for (CollectiveCall& one : by_group) one.label = program.calls[call].label;
  return by_group;
}

std::optional<ShardedPlan> plan_sharded(const ShardedJobSpec& spec, const JobContext& context,
                                        Diagnostics& errors) {
  const int before = errors.errors();
  const std::optional<Model> model = model_of(spec.work.model, errors);
  if (!model) return std::nullopt;
  const std::optional<ShardGroups> groups = shard_groups(spec, context, errors);
  if (!groups) return std::nullopt;
  const MemoryRequest request = memory_request_of(spec, *model, *groups);
  if (const std::string refused = refusal(request); !refused.empty()) {
    errors.error(context.at, absl::StrCat("job \"", context.name, "\": ", refused));
    return std::nullopt;
  }
  if (spec.recompute == Recompute::kSelective && !request.shape) {
    errors.error(context.at,
                 absl::StrCat("job \"", context.name,
                              "\": selective recomputation needs a named transformer; allowed: none, full"));
    return std::nullopt;
  }
  ShardInput in{.model = *model,
                .spec = spec,
                .ranks = groups->shard,
                .replicas = groups->replicas,
                .after_forward = groups->after_forward,
                .units = shard_units(
                    *model, spec.preset == ShardPreset::kFsdp2 ? UnitRule::kBlocks : UnitRule::kModules),
                .segments = {},
                .parameter_bytes = bytes_of(spec.work.precision.parameters),
                .gradient_bytes = bytes_of(reduced_dtype(spec.work.precision))};
  in.segments = segment_facts(spec, *model, in.units, request);
  if (!check_length(in, context, errors)) return std::nullopt;
  ShardedPlan plan;
  plan.program = spec.preset == ShardPreset::kFsdp2 ? fsdp_program(in) : zero_program(in);
  plan.groups = *groups;
  plan.comms = StepComms(plan.program.comms, context);
  plan.program.held = held_memory(in, request);
  if (!check_buffers(in, plan.program, context, errors)) return std::nullopt;
  if (!add_calls(plan, spec, context, errors)) return std::nullopt;
  DdpJobSpec on_device = spec.work;
  if (spec.updates_on_host()) on_device.optimizer = OptimizerKind::kNone;  // needs no rate of the device
  RankKinds kinds = rank_kinds(*model, on_device, context, errors);
  if (errors.errors() != before) return std::nullopt;
  for (const RankKinds::Kind& kind : kinds.kinds)
    plan.durations.push_back(durations_of(in, plan.program, kind));
  plan.peak_flop_per_s = kinds.peak_flop_per_s(context);
  plan.kind_of_rank = std::move(kinds.kind_of_rank);
  if (const auto flops = useful_flops(*model, spec.work)) plan.useful_flops = *flops * spec.work.accumulate;
  if (const auto tokens = micro_batch_tokens(*model, spec.work))
    plan.tokens_per_rank = *tokens * spec.work.accumulate;
  plan.parameters = request.parameters;
  plan.parameter_bytes = in.parameter_bytes;
  plan.model_states = memory_use(request).model_states;
  plan.assumptions = assumptions_of(in, request);
  if (spec.offload) {
    plan.hosts = plan_hosts(in, plan.program, state_bytes_of(spec).optimizer, context, errors);
    if (!plan.hosts) return std::nullopt;
  }
  check_memory(plan, kinds, context, errors);
  return plan;
}

}  // namespace brigade
