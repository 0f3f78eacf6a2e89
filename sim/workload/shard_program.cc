#include "sim/workload/shard_program.h"

#include "absl/strings/str_cat.h"
#include "sim/workload/memory_traffic.h"

namespace brigade {

DType ShardInput::gradient_dtype() const { return reduced_dtype(spec.work.precision); }

std::vector<ShardUse> uses_of(const ShardInput& in) {
  const auto count = static_cast<uint32_t>(in.segments.size());
  std::vector<ShardUse> uses;
  for (uint32_t s = 0; s < count; ++s) uses.push_back({Work::kForward, s});
  for (uint32_t s = count; s-- > 0;) {
    const SegmentFacts& facts = in.segments[s];
    if (in.spec.recompute == Recompute::kFull && facts.last_of_block) {
      uint32_t first = s;
      while (!in.segments[first].first_of_block) --first;
      for (uint32_t again = first; again <= s; ++again) uses.push_back({Work::kRecompute, again});
    } else if (in.spec.recompute == Recompute::kSelective && facts.has_scores) {
      uses.push_back({Work::kRecompute, s});
    }
    uses.push_back({Work::kBackward, s});
  }
  return uses;
}

StepOp op_of(const ShardInput& in, const ShardUse& use) {
  const SegmentFacts& facts = in.segments[use.segment];
  StepOp op;
  op.work = use.work;
  op.segment = use.segment;
  switch (use.work) {
    case Work::kForward:
      op.name = absl::StrCat("forward ", facts.name);
      op.taken_at_begin = facts.kept;
      break;
    case Work::kRecompute:
      op.name = absl::StrCat("recompute ", facts.name);
      op.taken_at_begin = facts.recomputed;
      break;
    default:
      op.name = absl::StrCat("backward ", facts.name);
      op.given_back_at_end = facts.kept + facts.recomputed;
  }
  return op;
}

void add_update(const ShardInput& in, ProgramBuilder& out) {
  const DdpJobSpec& work = in.spec.work;
  const bool sharded = in.spec.stage > 0;
  const int64_t all = parameter_count(in.model);
  const int64_t mine = sharded ? padded(all, in.ranks) / in.ranks : all;
  if (work.gradient_norm) {
    StepOp norm;
    norm.work = Work::kNorm;
    norm.name = "gradient norm";
    norm.moved = mine * Bytes{in.gradient_bytes};
    const uint32_t read = out.add(std::move(norm));
    StepCall call;
    call.collective = Collective::kAllReduce;
    call.elements = 1;
    call.dtype = DType::kFp32;
    call.label = "gradient norm";
    const uint32_t reduced = out.call_at_end(read, std::move(call));
    StepOp wait;
    wait.work = Work::kWait;
    out.wait_for(out.add(std::move(wait)), reduced);
  }
  StepOp optimizer;
  if (in.spec.updates_on_host()) {
    optimizer.work = Work::kHostOptimizer;
    optimizer.name = "optimizer on the host";
    out.add(std::move(optimizer));
    return;
  }
  optimizer.work = Work::kOptimizer;
  optimizer.name = "optimizer";
  optimizer.moved = mine * Bytes{optimizer_bytes_per_parameter(work.optimizer, work.precision)};
  out.add(std::move(optimizer));
  if (!in.spec.fetches_from_host()) return;
  StepOp store;
  store.work = Work::kToHost;
  store.name = "parameters to the host";
  out.add(std::move(store));
}

void add_gap(const ShardInput& in, ProgramBuilder& out) {
  if (in.spec.work.host_gap.ps == 0) return;
  StepOp gap;
  gap.work = Work::kGap;
  gap.name = "host gap";
  out.add(std::move(gap));
}

}  // namespace brigade
