// `kind: zero` and `kind: fsdp`: data-parallel steps whose model states are sharded over the ranks.
//
// Each rank works through its step's program (step_program.h) by itself: an operation begins when the one
// before has ended and the collectives that it waits for are done. A step lasts from the end of the step
// before on the rank that ended it last to its own; compute, communication and exposed time are that last
// rank's. Memory is counted as it is taken and given back, at each instant what is left when all of it has
// happened.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "sim/workload/job.h"
#include "sim/workload/launch_queue.h"
#include "sim/workload/occupancy.h"
#include "sim/workload/sharded_plan.h"

namespace brigade {

class ShardedJob final : public Job {
 public:
  static std::unique_ptr<Job> make(const ShardedJobSpec& spec, JobContext context, Diagnostics& errors);
  void begin(Simulation& simulation, JobTrace* trace) override;
  void on(const Notice& notice, Simulation& simulation) override;
  bool finished() const override {
    return steps_.size() == steps_total() && steps_.back().ended == ranks_.size();
  }
  JobResult result(const Simulation& simulation) const override;
  uint32_t comm_streams() const override { return static_cast<uint32_t>(plan_.comms.count()); }
  std::string comm_stream_name(uint32_t k) const override;

 private:
  static constexpr size_t kCommunicatorsMax = 4;
  static constexpr uint8_t kChangeTimer = UINT8_MAX;  // token: a rank's compute changes
  enum class Phase : uint8_t { kNotStarted, kComputing, kWaiting, kOnHost, kDone };
  struct CallTimes {
    Time set_off{}, launched{}, start{}, end{};
    bool done = false;
  };
  struct RankState {
    Phase phase = Phase::kNotStarted;
    int step = -1;
    size_t op = 0;
    Time step_begin{}, op_begin{};
    std::array<Time, kCommunicatorsMax> comm_free{};
    std::vector<CallTimes> calls;
    Occupancy occupancy;
    Occupancy::Totals at_begin;
    Bytes memory{};
    Time memory_since{};
    Duration on_host{};         // of this step
    int gradients_on_way = 0;   // shares that are not on the host yet
    bool update_waits = false;  // for them
  };
  struct StepRecord {
    std::array<uint32_t, kCommunicatorsMax> first_call{};  // index in each communicator
    Rank ended = 0;
    Time end{};
    Occupancy::Totals last_rank;
  };

  ShardedJob(const ShardedJobSpec& spec, JobContext context, ShardedPlan plan);
  size_t steps_total() const { return static_cast<size_t>(spec_.work.run.warmup + spec_.work.run.steps); }

  void begin_step(Rank r, Simulation& simulation);
  void advance(Rank r, Simulation& simulation);
  bool can_begin(const RankState& s) const;
  void begin_op(Rank r, Simulation& simulation);
  void end_op(Rank r, Simulation& simulation);
  void end_step(Rank r, Simulation& simulation);
  void set_off(Rank r, const std::vector<uint32_t>& calls, Simulation& simulation);
  void launch(Rank r, uint32_t call, Simulation& simulation);
  void launch_waiting(Rank r, Simulation& simulation);
  void host_done(HostServers::Done done, Simulation& simulation);
  void gradients_there(Rank r, uint32_t call, Simulation& simulation);
  void compute(Rank r, bool busy, Time now);
  void call_done(const Notice& notice, Simulation& simulation);
  void change_memory(Rank r, Bytes taken, Bytes given_back, Time now);
  void settle_memory(Rank r);
  std::vector<ShardedResult::Call> call_results(const RankState& s) const;
  Rank ranks_of(size_t comm) const;
  void add_sent(ShardedResult& result, const Simulation& simulation) const;

  ShardedJobSpec spec_;
  JobContext context_;
  ShardedPlan plan_;
  std::array<std::vector<uint32_t>, kCommunicatorsMax> calls_of_;  // by communicator, in order
  std::vector<RankState> ranks_;
  std::vector<ComputeStream> compute_;  // by rank
  std::deque<StepRecord> steps_;
  std::vector<ShardedResult::Call> last_calls_;
  Bytes memory_peak_{};
  Time memory_peak_at_{};
  std::optional<HostServers> hosts_;
  std::optional<LaunchQueue> waiting_;  // with offloaded parameters: calls whose shares are not there yet
  ShardedResult::Fetches last_fetches_;
  Duration last_on_host_{};
  JobTrace* trace_ = nullptr;
};

}  // namespace brigade
