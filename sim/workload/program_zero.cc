#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/workload/gradient_buckets.h"
#include "sim/workload/module_fetcher.h"
#include "sim/workload/shard_program.h"

namespace brigade {
namespace {

// Megatron pads buckets so that every rank's share begins at a multiple of 128 elements
// (param_and_grad_buffer).
constexpr int64_t kMegatronAlignment = 128;

class Zero {
 public:
  explicit Zero(const ShardInput& in)
      : in_(in),
        megatron_(in.spec.preset == ShardPreset::kMegatron),
        buckets_(gradient_buckets(in, reduce_bucket_of(in), megatron_)),
        fetcher_(in),
        bucket_of_(in.model.parameters.size()) {
    for (size_t b = 0; b < buckets_.size(); ++b)
      for (const TensorIndex t : buckets_[b].tensors) bucket_of_[t] = b;
  }

  StepProgram build() && {
    StepOp begin;
    out_.add(std::move(begin));
    const bool gathers_ahead = megatron_ && in_.spec.stage > 0 && in_.spec.overlap;
    if (gathers_ahead) gather_bucket(buckets_.size() - 1, out_.last(), false);
    for (int m = 0; m < in_.spec.work.accumulate; ++m) run_micro_batch(m);
    add_update(in_, out_);
    if (in_.spec.stage > 0 && !gathers_ahead) gather_updated();
    add_gap(in_, out_);
    out_.need_host_buffers(fetcher_.buffers_needed());
    return std::move(out_).finish();
  }

 private:
  void run_micro_batch(int m) {
    const bool last = m + 1 == in_.spec.work.accumulate;
    reduces_ = last || in_.spec.stage >= 2;
    next_bucket_ = 0;
    reductions_.clear();
    if (in_.spec.stage == 3) fetcher_.begin_micro_batch(uses_of(in_));
    for (const ShardUse& use : uses_of(in_)) {
      StepOp op = op_of(in_, use);
      op.waits = std::move(blocking_);
      blocking_.clear();
      if (use.work == Work::kBackward) add_gradients(use.segment, op);
      if (use.work == Work::kForward && m == 0) need_buckets(use.segment, op);
      uint32_t added = 0;
      if (in_.spec.stage == 3) {
        added = fetcher_.add(std::move(op), use, out_);
      } else {
        added = out_.add(std::move(op));
      }
      if (use.work == Work::kForward && m == 0) gather_next_bucket(added);
      if (use.work == Work::kBackward) close_buckets(use.segment);
    }
    close_buckets(kNone);
    if (in_.spec.stage == 3) fetcher_.end_micro_batch(out_);
    StepOp wait;
    wait.work = Work::kWait;
    wait.waits = reductions_;
    out_.add(std::move(wait));
  }

  // Whole gradients of a module exist only until they are in their bucket.
  void add_gradients(uint32_t segment, StepOp& op) const {
    const Segment& s = in_.units.segments[segment];
    int64_t elements = 0;
    for (size_t layer = s.first; layer < s.last; ++layer)
      for (const TensorIndex t : in_.model.layers[layer].parameters)
        elements += in_.model.parameters[t].elements;
    const Bytes gradients = elements * Bytes{in_.gradient_bytes};
    if (in_.copies() && reduces_) op.moved = 2 * gradients;
    if (in_.spec.stage < 2) return;  // all of them are held anyway
    op.taken_at_begin += gradients;
    op.given_back_at_end += gradients;
  }

  // --- reduction

  void close_buckets(uint32_t segment) {
    if (!reduces_) return;
    const bool after_backward = !in_.spec.overlap && (in_.spec.stage == 0 || megatron_);
    for (; next_bucket_ < buckets_.size(); ++next_bucket_) {
      const bool closes = segment == kNone || buckets_[next_bucket_].closed_by == segment;
      if (!closes || (after_backward && segment != kNone)) return;
      const uint32_t call = out_.call_at_end(out_.last(), reduction(next_bucket_));
      reductions_.push_back(call);
      if (!in_.spec.overlap && !after_backward) blocking_.push_back(call);
    }
  }

  StepCall reduction(size_t bucket) const {
    StepCall call;
    call.collective = in_.spec.stage == 0 ? Collective::kAllReduce : Collective::kReduceScatter;
    call.elements = in_.spec.stage == 0 ? buckets_[bucket].elements : padded_elements(bucket);
    call.dtype = in_.gradient_dtype();
    call.label = absl::StrCat("reduce bucket ", bucket);
    if (!in_.spec.updates_on_host()) return call;
    call.to_host = call.elements / in_.ranks * Bytes{in_.gradient_bytes};
    if (in_.spec.stage >= 2) call.taken_at_launch = call.given_back_at_host = call.to_host;
    return call;
  }

  int64_t padded_elements(size_t bucket) const {
    if (in_.spec.stage == 3) {
      int64_t sum = 0;
      for (const TensorIndex t : buckets_[bucket].tensors)
        sum += padded(in_.model.parameters[t].elements, in_.ranks);
      return sum;
    }
    return padded(buckets_[bucket].elements,
                  megatron_ ? std::lcm(int64_t{in_.ranks}, kMegatronAlignment) : int64_t{in_.ranks});
  }

  // --- parameters after the optimizer

  void gather_updated() {
    std::vector<StepCall> calls;
    const auto add = [&](int64_t elements, std::string label) {
      StepCall call;
      call.collective = Collective::kAllGather;
      call.elements = elements;
      call.dtype = in_.parameter_dtype();
      call.label = std::move(label);
      call.copied = fetcher_.copied(elements);
      calls.push_back(std::move(call));
    };
    if (in_.spec.stage == 3) {
      if (fetcher_.persistent_padded() > 0) add(fetcher_.persistent_padded(), "gather small parameters");
    } else if (megatron_) {
      for (size_t b = buckets_.size(); b-- > 0;) add(padded_elements(b), absl::StrCat("gather bucket ", b));
    } else {
      // Of each rank's share the same piece at a time; the last piece is the largest.
      const int64_t share = padded(parameter_count(in_.model), in_.ranks) / in_.ranks;
      const int64_t pieces = std::clamp<int64_t>(share * in_.ranks / gather_bucket_of(in_), 1, share);
      for (int64_t i = 0; i < pieces; ++i) {
        const int64_t piece = i + 1 < pieces ? share / pieces : share - share / pieces * i;
        add(piece * in_.ranks, absl::StrCat("gather parameters ", i));
      }
    }
    StepOp wait;
    wait.work = Work::kWait;
    for (StepCall& call : calls) wait.waits.push_back(out_.call_at_end(out_.last(), std::move(call)));
    out_.add(std::move(wait));
  }

  // Megatron's overlap: forward waits for the buckets that its parameters are in, the last ones first.
  void gather_bucket(size_t bucket, uint32_t op, bool at_begin) {
    StepCall call;
    call.collective = Collective::kAllGather;
    call.elements = padded_elements(bucket);
    call.dtype = in_.parameter_dtype();
    call.label = absl::StrCat("gather bucket ", bucket);
    gathers_.push_back(at_begin ? out_.call_at_begin(op, std::move(call))
                                : out_.call_at_end(op, std::move(call)));
  }

  // gathers_[i] is that of bucket size - 1 - i.
  size_t gathered_down_to() const { return buckets_.size() - gathers_.size(); }

  void need_buckets(uint32_t segment, StepOp& op) {
    if (gathers_.empty()) return;
    lowest_needed_ = buckets_.size();
    const Segment& s = in_.units.segments[segment];
    for (size_t layer = s.first; layer < s.last; ++layer)
      for (const TensorIndex t : in_.model.layers[layer].parameters) need(t, op);
  }

  void need(TensorIndex tensor, StepOp& op) {
    const size_t bucket = bucket_of_[tensor];
    // What is not on its way yet is set off by the end of the operation before.
    while (gathered_down_to() > bucket) gather_bucket(gathered_down_to() - 1, out_.last(), false);
    op.waits.push_back(gathers_[buckets_.size() - 1 - bucket]);
    lowest_needed_ = std::min(lowest_needed_, bucket);
  }

  // The one after those that this operation needs.
  void gather_next_bucket(uint32_t op) {
    if (gathers_.empty() || gathered_down_to() == 0 || lowest_needed_ != gathered_down_to()) return;
    gather_bucket(gathered_down_to() - 1, op, true);
  }

  const ShardInput& in_;
  bool megatron_;
  std::vector<GradientBucket> buckets_;
  ModuleFetcher fetcher_;
  std::vector<size_t> bucket_of_;  // by tensor
  ProgramBuilder out_;
  bool reduces_ = false;
  size_t next_bucket_ = 0;
  std::vector<uint32_t> reductions_, blocking_;
  std::vector<uint32_t> gathers_;
  size_t lowest_needed_ = 0;
};

}  // namespace

StepProgram zero_program(const ShardInput& in) { return Zero(in).build(); }

}  // namespace brigade
