#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/workload/shard_facts.h"
#include "sim/workload/shard_program.h"

namespace brigade {
namespace {

class Fsdp {
 public:
  explicit Fsdp(const ShardInput& in) : in_(in), units_(in.units.units.size()) {
    for (size_t u = 0; u < units_.size(); ++u)
      for (const TensorIndex t : in.units.units[u].tensors)
        units_[u].padded += padded_rows(in.model.parameters[t], in.ranks);
    for (uint32_t s = 0; s < in.units.segments.size(); ++s) {
      Unit& unit = units_[in.units.segments[s].unit];
      unit.first = std::min(unit.first, s);
      unit.last = s;
    }
    add_communicators();
  }

  StepProgram build() && {
    StepOp begin;
    out_.add(std::move(begin));
    const std::vector<ShardUse> uses = uses_of(in_);
    const auto backward = std::find_if(uses.begin(), uses.end(),
                                       [](const ShardUse& use) { return use.work != Work::kForward; });
    for (int m = 0; m < in_.spec.work.accumulate; ++m) {
      run_pass({uses.begin(), backward}, in_.spec.forward_prefetch);
      is_first_ = m == 0;
      is_last_ = m + 1 == in_.spec.work.accumulate;
      run_pass({backward, uses.end()}, in_.spec.backward_prefetch);
      end_backward();
    }
    add_update(in_, out_);
    add_gap(in_, out_);
    return std::move(out_).finish();
  }

 private:
  struct Unit {
    int64_t padded = 0;
    uint32_t first = kNone, last = 0;  // segments
    bool resident = false, set_off = false;
    bool resharded = false;  // to fewer ranks, since its forward
    uint32_t gather = 0;
  };

  void add_communicators() {
    const bool groups = in_.replicas > 1;
    StepComm shards = out_.first_communicator();
    if (groups) shards.groups = GroupSpec{.size = static_cast<int>(in_.ranks), .stride = 1};
    out_.first_communicator() = shards;
    shards.name = "reduction";
    if (in_.spec.communicators == 2) reductions_ = out_.add_communicator(shards);
    if (groups)
      replicas_ = out_.add_communicator({.name = "replicas",
                                         .among = "replicas",
                                         .groups = GroupSpec{.size = static_cast<int>(in_.replicas),
                                                             .stride = static_cast<int>(in_.ranks)}});
    if (in_.after_forward > 0)
      after_forward_ = out_.add_communicator(
          {.name = "after forward",
           .among = "after_forward",
           .groups = GroupSpec{.size = static_cast<int>(in_.after_forward), .stride = 1}});
  }

  bool resharded_after_forward(uint32_t u) const {
    if (in_.spec.reshard_after_forward == Reshard::kAuto) return !in_.units.units[u].root;
    return in_.spec.reshard_after_forward != Reshard::kNever;
  }
  uint32_t unit_of(const ShardUse& use) const { return in_.units.segments[use.segment].unit; }
  Bytes parameters(uint32_t u) const { return units_[u].padded * Bytes{in_.parameter_bytes}; }
  // Of them, what a rank keeps after forward when it reshards to fewer ranks.
  Bytes part(uint32_t u) const { return units_[u].padded / in_.after_forward * Bytes{in_.parameter_bytes}; }
  const std::string& name(uint32_t u) const { return in_.units.units[u].name; }

  // Its gather hangs on the begin or the end of operation `op`.
  void gather(uint32_t u, uint32_t op, bool at_begin) {
    Unit& unit = units_[u];
    if (unit.resident || unit.set_off || unit.padded == 0) return;
    StepCall call;
    call.collective = Collective::kAllGather;
    call.elements = unit.padded;
    call.dtype = in_.parameter_dtype();
    call.label = absl::StrCat("gather ", name(u));
    call.taken_at_launch = parameters(u);
    if (unit.resharded) {
      call.communicator = after_forward_;
      if (!in_.copies()) call.given_back_at_end = part(u);
    }
    unit.gather = at_begin ? out_.call_at_begin(op, std::move(call)) : out_.call_at_end(op, std::move(call));
    unit.set_off = true;
  }

  // The unit's parameters are there once `op`, the first that uses them, begins.
  void arrive(uint32_t u, StepOp& op) {
    Unit& unit = units_[u];
    if (!unit.set_off) return;
    op.waits.push_back(unit.gather);
    unit.set_off = unit.resharded = false;
    unit.resident = true;
  }

  void run_pass(const std::vector<ShardUse>& uses, int prefetch) {
    std::vector<uint32_t> order;  // units by their first use
    std::vector<bool> seen(units_.size());
    for (const ShardUse& use : uses) {
      if (!seen[unit_of(use)]) order.push_back(unit_of(use));
      seen[unit_of(use)] = true;
    }
    for (size_t j = 0; j < order.size() && j < static_cast<size_t>(prefetch); ++j)
      gather(order[j], out_.last(), false);
    size_t next = 0;
    for (const ShardUse& use : uses) {
      const uint32_t u = unit_of(use);
      uint32_t first_op = kNone;
      const bool enters = next < order.size() && order[next] == u;
      if (enters && prefetch == 0) gather(u, out_.last(), false);
      if (enters && units_[u].set_off && in_.copies()) first_op = copy_out(u);
      StepOp op = op_of(in_, use);
      arrive(u, op);
      const uint32_t added = out_.add(std::move(op));
      if (first_op == kNone) first_op = added;
      if (enters) {
        const size_t ahead = next++ + static_cast<size_t>(prefetch);
        if (prefetch > 0 && ahead < order.size()) gather(order[ahead], first_op, true);
      }
      leave(u, use, added);
    }
  }

  uint32_t copy_out(uint32_t u) {
    StepOp op;
    op.work = Work::kCopyOut;
    op.name = absl::StrCat("copy-out ", name(u));
    op.moved = 2 * parameters(u);
    op.taken_at_begin = parameters(u);
    op.given_back_at_end = parameters(u);  // the gathered buffer
    if (units_[u].resharded) op.given_back_at_end += part(u);
    arrive(u, op);
    return out_.add(std::move(op));
  }

  void leave(uint32_t u, const ShardUse& use, uint32_t added) {
    Unit& unit = units_[u];
    if (unit.padded == 0) return;
    if (use.work == Work::kForward && use.segment == unit.last && resharded_after_forward(u)) {
      unit.resident = false;
      if (in_.after_forward > 0) return reshard(u);
      out_.op(added).given_back_at_end += parameters(u);
    }
    const Bytes gradients = in_.units.units[u].elements * Bytes{in_.parameter_bytes};
    if (use.work == Work::kBackward && use.segment == unit.last) out_.op(added).taken_at_begin += gradients;
    if (use.work != Work::kBackward || use.segment != unit.first) return;
    unit.resident = false;
    out_.op(added).given_back_at_end += parameters(u);
    reduce(u, gradients);
  }

  // A copy of the part that stays, in the compute stream.
  void reshard(uint32_t u) {
    StepOp op;
    op.work = Work::kReshard;
    op.name = absl::StrCat("reshard ", name(u));
    if (in_.copies()) op.moved = 2 * part(u);
    op.taken_at_begin = part(u);
    op.given_back_at_end = parameters(u);
    out_.add(std::move(op));
    units_[u].resharded = true;
  }

  void reduce(uint32_t u, Bytes gradients) {
    const Bytes input = units_[u].padded * Bytes{in_.gradient_bytes};
    wait_for_reduction(absl::StrCat("copy-in ", name(u)));
    StepOp& copy = out_.op(out_.last());
    copy.work = Work::kCopyIn;
    if (in_.copies()) copy.moved = gradients + input;
    copy.taken_at_begin = input;
    copy.given_back_at_end = gradients;
    StepCall call;
    call.communicator = reductions_;
    call.collective = Collective::kReduceScatter;
    call.elements = units_[u].padded;
    call.dtype = in_.gradient_dtype();
    call.label = absl::StrCat("reduce ", name(u));
    call.given_back_at_end = input;
    reduction_ = out_.call_at_end(out_.last(), std::move(call));
    if (in_.replicas == 1) return;
    keep_reduced(u);
    if (!in_.spec.replicas_last || is_last_) reduce_over_replicas(u);
  }

  // What the reduce-scatter gives is kept, in its type, for the all-reduce: until the end of the backward
  // that has it. Not where it is the gradient itself, or is added to what is kept already.
  void keep_reduced(uint32_t u) {
    const bool once = in_.spec.replicas_last, starts = once ? is_first_ : true;
    const bool is_gradient = (once || is_first_) && in_.gradient_bytes == state_bytes_of(in_.spec).gradients;
    if (!starts || is_gradient) return;
    const Bytes kept = units_[u].padded / in_.ranks * Bytes{in_.gradient_bytes};
    out_.call(reduction_).taken_at_launch += kept;
    kept_ += kept;
  }

  void reduce_over_replicas(uint32_t u) {
    StepCall call;
    call.communicator = replicas_;
    call.collective = Collective::kAllReduce;
    call.elements = units_[u].padded / in_.ranks;
    call.dtype = in_.gradient_dtype();
    call.label = absl::StrCat("reduce ", name(u), " over replicas");
    over_replicas_ = out_.call_after(reduction_, std::move(call));
  }

  // Of a pass: what is in flight of its gradients.
  void end_backward() {
    wait_for_reduction("");
    if (over_replicas_ != kNone) out_.wait_for(out_.last(), over_replicas_);
    over_replicas_ = kNone;
    if (!in_.spec.replicas_last || is_last_)
      out_.op(out_.last()).given_back_at_end += std::exchange(kept_, Bytes{});
  }

  // One more operation, which waits for the last reduce-scatter.
  void wait_for_reduction(std::string name) {
    StepOp wait;
    wait.work = Work::kWait;
    wait.name = std::move(name);
    if (reduction_ != kNone) wait.waits.push_back(reduction_);
    reduction_ = kNone;
    out_.add(std::move(wait));
  }

  const ShardInput& in_;
  std::vector<Unit> units_;
  ProgramBuilder out_;
  int reductions_ = 0, replicas_ = 0, after_forward_ = 0;  // communicators
  bool is_first_ = true, is_last_ = true;                  // micro-batch
  Bytes kept_{};                                           // of reduced gradients, for the all-reduce
  uint32_t reduction_ = kNone, over_replicas_ = kNone;     // the last ones
};

}  // namespace

StepProgram fsdp_program(const ShardInput& in) { return Fsdp(in).build(); }

}  // namespace brigade
