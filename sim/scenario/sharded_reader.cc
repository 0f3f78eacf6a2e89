// `kind: zero` and `kind: fsdp`.
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/scenario/job_reader.h"
#include "sim/workload/memory_model.h"

namespace brigade {
namespace {

constexpr int64_t kElementsMax = int64_t{1} << 50, kBuffersMax = 1 << 20;
constexpr int kPrefetchMax = 1'000'000, kStageMax = 3;

// "500000000 elements".
Kind<int64_t> elements(int64_t min) {
  return {"number of elements (500000000 elements)",
          {},
          [min](const std::string& text) -> Parsed<int64_t> {
            Parsed<int64_t> parsed = parse_count(text, "elements");
            if (parsed.value && (*parsed.value < min || *parsed.value > kElementsMax))
              return {{}, absl::StrCat("is out of range; allowed: ", min, " to ", kElementsMax, " elements")};
            return parsed;
          },
          [](const int64_t& n) { return absl::StrCat(n, " elements"); }};
}

Kind<ActivationCount> activation_count() {
  return choice<ActivationCount>({{"flash", ActivationCount::kFlash},
                                  {"standard", ActivationCount::kStandard},
                                  {"zero_paper", ActivationCount::kZeroPaper}});
}

Kind<Recompute> recomputation() {
  return choice<Recompute>(
      {{"none", Recompute::kNone}, {"selective", Recompute::kSelective}, {"full", Recompute::kFull}});
}

using ReshardTo = std::pair<Reshard, int>;
using ShardGroupOf = std::pair<ShardGroup, int>;
constexpr int kGroupMax = 1 << 20;

// One of the named values, which take no number, or a number of ranks.
template <class T>
Kind<std::pair<T, int>> named_or_ranks(std::vector<std::pair<std::string, T>> values, T of_ranks, int min) {
  std::string names;
  for (const auto& [name, value] : values) absl::StrAppend(&names, name, ", ");
  const Kind<T> named = choice<T>(std::move(values));
  return {
      absl::StrCat(names, "or a number of ranks"),
      {},
      [=](const std::string& text) -> Parsed<std::pair<T, int>> {
        if (const Parsed<T> parsed = named.parse(text); parsed.value) return {{{*parsed.value, 0}}, ""};
        const Parsed<int64_t> ranks = whole_number(min, kGroupMax).parse(text);
        if (ranks.value) return {{{of_ranks, static_cast<int>(*ranks.value)}}, ""};
        return {{}, absl::StrCat("is unknown; allowed: ", names, "or ", min, " to ", kGroupMax, " ranks")};
      },
      [=](const std::pair<T, int>& value) {
        return value.first == of_ranks ? std::to_string(value.second) : named.print(value.first);
      }};
}

void read_work(Fields& in, ShardedJobSpec& out) {
  in.map("model", Need::kRequired, "by name, or written out as layers or tensors",
         [&](Fields& model) { read_model(model, out.work.model); });
  read_batch(in, out.work);
  read_precision(in, out.work.precision);
  read_compute(in, out.work.compute);
  read_optimizer(in, out.work);
  read_between_steps(in, out.work);
}

void read_memory(Fields& in, ShardedJobSpec& out) {
  in.defaulted("activations", activation_count(), out.activations,
               "how those of a named transformer are counted in memory");
  in.defaulted("recompute", recomputation(), out.recompute, "activations that backward computes again");
  bool copies = !out.work.buckets.gradient_as_bucket_view;
  in.defaulted("copies", flag(), copies, "into and out of the buffers of collectives take time");
  out.work.buckets.gradient_as_bucket_view = !copies;
}

void read_collective(Fields& in, const char* key, Collective collective, const char* meaning,
                     AlgorithmSpec& out) {
  in.map(key, Need::kDefault, meaning, [&](Fields& map) {
    map.defaulted("algorithm", algorithm_of(collective), out.algorithm, "of this collective");
    read_rounds_and_channels(map, out);
  });
}

void read_rest(Fields& in, ShardedJobSpec& out) {
  read_memory(in, out);
  read_collective(in, "all_gather", Collective::kAllGather, "how parameters are gathered", out.all_gather);
  read_collective(in, "reduce_scatter", Collective::kReduceScatter, "how gradients are reduced",
                  out.reduce_scatter);
  read_all_reduce(in, out.work.all_reduce);
  read_run(in, out.work.run);
}

Kind<Home> home() {
  return choice<Home>({{"device", Home::kDevice}, {"cpu", Home::kHost}, {"nvme", Home::kNvme}});
}

// Of parameters on NVMe; DeepSpeed's names and defaults.
void read_nvme_parameters(Fields& offload, OffloadSpec& out) {
  offload.defaulted("max_in_cpu", elements(0), out.max_in_cpu,
                    "of a rank's share of the parameters, in the host's memory all the same");
  offload.defaulted("sub_group_size", elements(0), out.sub_group_size,
                    "of a rank's share: max_in_cpu keeps groups of so many, whole");
  offload.defaulted("buffer_count", whole<int64_t>(1, kBuffersMax), out.buffer_count,
                    "buffers of a rank in its host's memory, one a parameter that is in use");
  offload.defaulted("buffer_size", elements(1), out.buffer_size, "of a buffer: more than any share");
}

void check_offload(Fields& offload, const OffloadSpec& spec, const ShardedJobSpec& job) {
  const bool updates = spec.optimizer != Home::kDevice, keeps = spec.parameters != Home::kDevice;
  if (!offload.has("optimizer") && !offload.has("parameters"))
    offload.error(
        offload.place(),
        "offload of nothing; allowed: optimizer, parameters (at stage 3), or both, each cpu or nvme");
  if (keeps && job.stage != kStageMax)
    offload.error(
        offload.place_of("parameters"),
        absl::StrCat("parameters are offloaded at stage 3 only, not at stage ", job.stage,
                     ", where every device holds them all; allowed: stage: 3, or offload.optimizer alone"));
  if (updates && job.stage == 0) offload.error(offload.place(), "offload needs stage 1, 2 or 3");
  if (updates && job.work.optimizer == OptimizerKind::kNone)
    offload.error(offload.place(), "offload needs an optimizer; `optimizer: {kind: none}` takes no time");
}

// The rates of a host have no default: they differ too much.
void read_offload(Fields& in, ShardedJobSpec& out) {
  in.map("offload", Need::kOptional, "what the ranks' hosts keep, and the optimizer that runs on them",
         [&](Fields& offload) {
           OffloadSpec spec;
           offload.defaulted(
               "optimizer", home(), spec.optimizer,
               "cpu, nvme: it runs on the host (stage 1 to 3), its states in memory or on drives");
           offload.defaulted("parameters", home(), spec.parameters,
                             "where each rank's share lies (stage 3), from where gathers fetch it");
           offload.when("optimizer: cpu or nvme", spec.optimizer != Home::kDevice, [&] {
             offload.required("host_rate", bandwidth(), spec.host_rate,
                              "at which a host's optimizer moves its bytes");
           });
           offload.when("optimizer or parameters: nvme", spec.nvme(), [&] {
             offload.required("nvme_read", bandwidth(), spec.nvme_read, "of all drives of a host");
             offload.required("nvme_write", bandwidth(), spec.nvme_write, "of all drives of a host");
           });
           offload.when("parameters: nvme", spec.parameters == Home::kNvme,
                        [&] { read_nvme_parameters(offload, spec); });
           if (offload.describing()) return;
           check_offload(offload, spec, out);
           if (spec.optimizer != Home::kDevice || spec.parameters != Home::kDevice) out.offload = spec;
         });
}

void read_fetching(Fields& in, ShardedJobSpec& out) {
  in.defaulted("prefetch", elements(0), out.prefetch,
               "at stage 3: gathered ahead of use until there are so many");
  in.defaulted("persistence_threshold", elements(0), out.persistence_threshold,
               "at stage 3: parameters of so many elements or fewer stay whole");
  in.defaulted("max_live_parameters", elements(0), out.max_live_parameters,
               "at stage 3: no prefetch beyond so many gathered");
  in.defaulted("max_reuse_distance", elements(0), out.max_reuse_distance,
               "at stage 3: what is used again before so many other parameters is kept");
}

}  // namespace

void read_zero_job(Fields& in, ShardedJobSpec& out) {
  read_work(in, out);
  in.defaulted(
      "preset",
      choice<ShardPreset>({{"deepspeed", ShardPreset::kDeepspeed}, {"megatron", ShardPreset::kMegatron}}),
      out.preset, "whose buckets, order and defaults");
  in.required("stage", whole<int>(0, kStageMax), out.stage,
              "sharded are: 0 nothing, 1 optimizer states, 2 gradients too, 3 parameters too");
  const std::vector<int> stages = sorted_stages(out.preset);
  if (in.has("stage") && out.stage > stages.back())
    in.error(in.place_of("stage"), absl::StrCat("preset ", name_of(out.preset), " has no stage ", out.stage,
                                                "; allowed: 0 to ", stages.back()));
  const bool megatron = out.preset == ShardPreset::kMegatron;
  out.overlap = megatron || out.stage == 3;
  out.work.buckets.gradient_as_bucket_view = megatron;
  in.defaulted("overlap", flag(), out.overlap,
               "gradients are reduced beside backward; of megatron also parameters gathered beside forward");
  in.optional("reduce_bucket", elements(1), out.reduce_bucket,
              "gradients reduced at a time; deepspeed 5e8, megatron max(40e6, 1e6 x ranks) without");
  in.when("preset: deepspeed", !megatron, [&] {
    in.optional("gather_bucket", elements(1), out.gather_bucket,
                "parameters gathered at a time after the optimizer, at stage 1 and 2; 5e8 without");
    read_fetching(in, out);
    read_offload(in, out);
  });
  read_rest(in, out);
}

void read_fsdp_job(Fields& in, ShardedJobSpec& out) {
  out.preset = ShardPreset::kFsdp2;
  read_work(in, out);
  in.defaulted("preset", choice<ShardPreset>({{"fsdp2", ShardPreset::kFsdp2}}), out.preset,
               "whose units and order");
  ShardGroupOf group{out.shard_group, out.shard_group_ranks};
  in.defaulted("shard_group",
               named_or_ranks<ShardGroup>({{"all", ShardGroup::kAll}, {"node", ShardGroup::kNode}},
                                          ShardGroup::kRanks, 1),
               group,
               "ranks that share one copy of the model states; between groups gradients are all-reduced");
  std::tie(out.shard_group, out.shard_group_ranks) = group;
  in.defaulted("reduce_over_replicas", choice<bool>({{"each", false}, {"last", true}}), out.replicas_last,
               "after each micro-batch, or after the last one what they come to");
  ReshardTo reshard{out.reshard_after_forward, out.reshard_ranks};
  in.defaulted("reshard_after_forward",
               named_or_ranks<Reshard>(
                   {{"auto", Reshard::kAuto}, {"true", Reshard::kAlways}, {"false", Reshard::kNever}},
                   Reshard::kToFewer, 2),
               reshard, "auto: all units but the root's own parameters; a number: to so many ranks");
  std::tie(out.reshard_after_forward, out.reshard_ranks) = reshard;
  out.stage = out.reshard_after_forward == Reshard::kNever ? 2 : kStageMax;
  in.defaulted("forward_prefetch", whole<int>(0, kPrefetchMax), out.forward_prefetch,
               "units gathered ahead in forward");
  in.defaulted("backward_prefetch", whole<int>(0, kPrefetchMax), out.backward_prefetch,
               "units gathered ahead in backward");
  in.defaulted("communicators", whole<int>(1, 2), out.communicators,
               "1: gathers and reductions wait for each other; 2: each has its own stream");
  read_rest(in, out);
}

}  // namespace brigade
