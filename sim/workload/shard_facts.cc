#include "sim/workload/shard_facts.h"

#include <algorithm>
#include <cmath>

#include "sim/workload/activation_memory.h"
#include "sim/workload/gradient_buckets.h"
#include "sim/workload/memory_traffic.h"
#include "sim/workload/module_fetcher.h"

namespace brigade {
namespace {

constexpr Bytes kContext = mebibytes(1343);

bool is_core(const Layer& layer) { return layer.name.ends_with("core"); }

void add_activations(const MemoryRequest& request, std::vector<SegmentFacts>& facts) {
  const LayerActivations layer = layer_activations(request);
  for (SegmentFacts& f : facts) {
    if (f.first_of_block) f.kept += layer.kept;
    const bool holds = request.recompute == Recompute::kSelective ? f.has_scores : f.first_of_block;
    if (holds) f.recomputed += layer.recomputed;
  }
  facts.back().kept += other_activations(request) + *logits_row(request).bytes;
}

}  // namespace

StateBytes state_bytes_of(const ShardedJobSpec& spec) {
  const PrecisionSpec& p = spec.work.precision;
  const OptimizerKind kind = spec.work.optimizer;
  const int64_t parameter = bytes_of(p.parameters), gradient = bytes_of(reduced_dtype(p));
  const int64_t updated = p.has_master ? bytes_of(p.master) : parameter;
  const int64_t moments = kind == OptimizerKind::kAdamW ? 2 : kind == OptimizerKind::kMomentum ? 1 : 0;
  StateBytes bytes{.parameters = parameter,
                   .gradients = gradient,
                   .optimizer = moments * updated + (p.has_master ? updated : 0),
                   .gathered = parameter,
                   .reduced = gradient};
  if (spec.preset != ShardPreset::kFsdp2) return bytes;
  // The sharded parameters are the master copy, and gradients are kept in their dtype.
  bytes.parameters = bytes.gradients = updated;
  bytes.optimizer = moments * updated;
  return bytes;
}

MemoryRequest memory_request_of(const ShardedJobSpec& spec, const Model& model, const ShardGroups& groups) {
  MemoryRequest r;
  r.parameters = parameter_count(model);
  if (const TransformerShape* shape = find_transformer(spec.work.model.name)) r.shape = *shape;
  r.ranks = groups.shard;
  r.replicas = groups.replicas;
  r.after_forward = groups.after_forward;
  r.preset = spec.preset;
  r.stage = spec.stage;
  r.bytes = state_bytes_of(spec);
  r.optimizer_on_host = spec.updates_on_host();
  // Without a master copy an optimizer on the device has a copy of the parameters there.
  r.parameters_on_host =
      spec.fetches_from_host() && (spec.updates_on_host() || spec.work.precision.has_master);
  r.samples = spec.work.micro_batch_samples;
  r.sequence = model.tokens_per_sample;
  const DType compute = spec.work.precision.compute;
  r.activation_bytes = compute == DType::kFp8 ? 2 : bytes_of(compute);
  r.activations = spec.activations;
  r.recompute = spec.recompute;
  r.context = kContext;
  return r;
}

std::vector<SegmentFacts> segment_facts(const ShardedJobSpec& spec, const Model& model,
                                        const ShardUnits& units, const MemoryRequest& request) {
  const bool named = !spec.work.model.name.empty();
  std::vector<SegmentFacts> facts(units.segments.size());
  std::string block_before;
  uint32_t block = 0;
  for (size_t s = 0; s < facts.size(); ++s) {
    const Segment& segment = units.segments[s];
    SegmentFacts& f = facts[s];
    const ShardUnit& unit = units.units[segment.unit];
    f.name = unit.root ? model.layers[segment.first].name : unit.name;
    const std::string name = named ? block_of(model.layers[segment.first].name) : unit.name;
    f.first_of_block = !name.empty() && (s == 0 || !named || name != block_before);
    if (f.first_of_block) ++block;
    if (!name.empty()) f.block = block;
    if (s > 0 && facts[s - 1].block != kNone) facts[s - 1].last_of_block = facts[s - 1].block != f.block;
    block_before = name;
    for (size_t layer = segment.first; layer < segment.last; ++layer) {
      // Fused attention keeps no scores that could be dropped.
      f.has_scores |= is_core(model.layers[layer]) && spec.activations == ActivationCount::kStandard;
      const double kept =
          model.layers[layer].activation_bytes_per_sample * static_cast<double>(request.samples);
      (spec.recompute == Recompute::kFull ? f.recomputed : f.kept) += Bytes{std::llround(kept)};
    }
  }
  if (facts.back().block != kNone) facts.back().last_of_block = true;
  if (request.shape) add_activations(request, facts);
  return facts;
}

Bytes held_memory(const ShardInput& in, const MemoryRequest& request) {
  const MemoryUse use = memory_use(request);
  Bytes held = use.model_states;
  for (const MemoryRow& row : use.rows)
    if (row.key == "communication_buffers" || row.key == "context") held += *row.bytes;
  if (in.spec.preset != ShardPreset::kDeepspeed) return held;
  if (in.spec.stage == 3) held += ModuleFetcher(in).persistent_elements() * Bytes{in.parameter_bytes};
  const int64_t bucket = reduce_bucket_of(in);
  const bool two = in.spec.overlap && (in.spec.stage == 1 || in.spec.stage == 2);
  held += (in.spec.stage == 0 ? std::min(bucket, request.parameters)
           : two              ? 2 * bucket
                              : bucket) *
          Bytes{in.gradient_bytes};
  return held;
}

}  // namespace brigade
