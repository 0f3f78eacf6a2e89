// `kind: ddp`: data-parallel training steps as PyTorch's DistributedDataParallel runs them (Li et al., VLDB
// 2020).
//
// Each rank works through its step by itself: buffers, forward, backward. In backward buckets become ready;
// each is launched, in order, on the rank's one communication stream. When backward is over and all is
// reduced, buckets are copied back (each once its own all-reduce is done), then come the gradient norm, the
// optimizer and the host gap. Overlap is nowhere written down. A step lasts from the end of the step before
// on the rank that ended it last to its own; compute, communication and exposed time are that last rank's.
//
// With `buckets: {rule: horovod}` nothing is planned: what is reduced together follows from when gradients
// are ready (fusion.h, ddp_fusion.cc).
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "sim/workload/ddp_plan.h"
#include "sim/workload/fusion.h"
#include "sim/workload/job.h"
#include "sim/workload/occupancy.h"

namespace brigade {

class DdpJob final : public Job {
 public:
  static std::unique_ptr<Job> make(const DdpJobSpec& spec, JobContext context, Diagnostics& errors);
  void begin(Simulation& simulation, JobTrace* trace) override;
  void on(const Notice& notice, Simulation& simulation) override;
  bool finished() const override {
    return steps_.size() == steps_total() && steps_.back().ended == ranks_.size();
  }
  JobResult result(const Simulation& simulation) const override;
  uint32_t comm_streams() const override { return static_cast<uint32_t>(spec_.comm_streams); }

 private:
  static constexpr ComputeStream::Tokens kTokens{.work = 0, .change = 1};
  // Tokens: a bucket's second exchange may begin; a cycle of Horovod does, its ranks have agreed, a stream of
  // the rank has copied.
  static constexpr uint8_t kSecond = 2, kCycle = 3, kAgreed = 4, kCopied = 5;
  // What a rank is at, or waits for.
  enum class Phase : uint8_t {
    kNotStarted,
    kBuffers,
    kEarlyForward,
    kEarlyBackward,
    kForward,
    kUnusedSearch,
    kBackward,
    kReduce,
    kCopyOut,
    kNorm,
    kNormReduce,
    kOptimizer,
    kAverageReduce,
    kAverage,
    kGap,
    kDone
  };
  struct BucketTimes {
    Time ready = kNever;
    Time start{}, end{};
    Time drawn{};  // an instant inside its slice of the timeline
  };
  struct RankState {
    Phase phase = Phase::kNotStarted;
    int step = -1;
    int micro_batch = 0;
    uint32_t done = 0;          // collectives of this step
    std::vector<bool> is_done;  // by collective of this step
    uint32_t next_bucket = 0;   // to be launched
    uint32_t copied = 0;        // buckets copied back
    bool between = false;       // the bucket launched last has a second exchange to come
    Time step_begin{}, phase_begin{}, bucket_begin{};
    std::vector<Time> comm_free;  // by stream
    Occupancy occupancy;
    Occupancy::Totals at_begin;
    std::vector<BucketTimes> buckets;  // with rule horovod by tensor, in ready order
    FusionRank fusion;
  };
  struct StepRecord {
    std::vector<uint32_t> first_call;  // by stream: index of its first collective in the communicator
    Rank ended = 0;
    Time end{};
    Occupancy::Totals last_rank;
    Duration waiting{};  // of that rank, for a cycle of Horovod
  };

  DdpJob(const DdpJobSpec& spec, JobContext context, DdpPlan plan)
      : spec_(spec), context_(std::move(context)), plan_(std::move(plan)) {}
  size_t steps_total() const { return static_cast<size_t>(spec_.run.warmup + spec_.run.steps); }
  const DdpIteration& iteration(const RankState& s) const { return plan_.iteration(s.step); }
  const DdpCompute& compute_of(Rank r) const { return plan_.compute(ranks_[r].step, r); }

  bool fuses() const { return spec_.buckets.rule == BucketRule::kHorovod; }
  FusionGroup& fusion_of(Rank r) { return fusion_[plan_.groups.group_of[r]]; }

  void find_egresses(Simulation& simulation);
  void begin_step(Rank r, Simulation& simulation);
  void begin_micro_batch(Rank r, Simulation& simulation);
  void phase_over(Rank r, Simulation& simulation);
  void in_backward(Rank r, Simulation& simulation);
  void launch_ready(Rank r, Simulation& simulation);
  void note_ready(Rank r);
  void collective_done(Rank r, uint32_t stream, uint32_t call, Simulation& simulation);
  void copy_or_wait(Rank r, Simulation& simulation);
  void end_step(Rank r, Simulation& simulation);
  // ddp_fusion.cc
  void begin_fusion(Simulation& simulation);
  void begin_fused_step(Rank r);
  void ask_for_cycle(FusionGroup& group, Simulation& simulation);
  void begin_cycle(FusionGroup& group, Simulation& simulation);
  void add_buffer(FusionGroup& group, Bucket bucket, int step, Simulation& simulation);
  void agreed(FusionGroup& group, Simulation& simulation);
  void next_buffer(Rank r, uint32_t stream, Simulation& simulation);
  void wait_for_copy(Rank r, uint32_t stream, Simulation& simulation);
  void pass_buffer(Rank r, uint32_t stream, Simulation& simulation);
  void host_changed(Rank r, Simulation& simulation);
  FusionResult fusion_result() const;
  void call(Rank r, uint32_t index, Simulation& simulation);
  // The rank is busy with `phase` for d; on its GPU, or only on its host.
  void spend(Rank r, Phase phase, Duration d, bool on_gpu, Simulation& simulation);
  void wait(Rank r, Phase phase, Simulation& simulation);
  // Whether the compute stream is busy; its own links may be slower then.
  void computes(Rank r, bool busy, Simulation& simulation);
  void record_phase(Rank r, Time now);
  void record_buckets(Rank r, uint32_t first, Time now);
  void record_all_reduce(Rank r, uint32_t stream, uint32_t bucket);
  void record_cycle(Rank r, const FusionGroup& group, size_t first);
  void record_copy(Rank r, uint32_t stream, const FusedBuffer& buffer, Time begin, Time end);
  void record_fused(Rank r, uint32_t stream, const FusedBuffer& buffer);
  std::vector<BucketResult> bucket_results(const RankState& s, int step) const;
  std::vector<BucketResult> fused_results(Rank r) const;

  DdpJobSpec spec_;
  JobContext context_;
  DdpPlan plan_;
  std::vector<CommId> comms_;         // by group and stream
  std::vector<uint32_t> calls_made_;  // by stream, that were added to it, in each group
  std::vector<RankState> ranks_;
  std::vector<ComputeStream> compute_;         // by rank
  std::vector<std::vector<LinkId>> egresses_;  // by rank, where compute slows them
  std::deque<StepRecord> steps_;
  std::vector<FusionGroup> fusion_;  // by group; with rule horovod
  std::vector<BucketResult> last_buckets_;
  std::optional<Duration> coding_;
  JobTrace* trace_ = nullptr;
};

}  // namespace brigade
