// `kind: replay`: the graph of a PyTorch trace (sim/replay) on every rank, its collectives on this cluster's
// network.
//
// Each rank works through its graph by arithmetic; only collectives are events. When a rank's GPU reaches one
// it is launched on the communicator of its group and stream; when it is done there, the graph goes on. An
// all_to_all that is not even is sent message by message, to the right neighbour first.
//
// A collective occupies no SMs here: kernels beside it last as traced, where they were slowed down already.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "sim/replay/together.h"
#include "sim/workload/job.h"

namespace brigade {

class ReplayJob final : public Job {
 public:
  static std::unique_ptr<Job> make(const ReplayJobSpec& spec, JobContext context, Diagnostics& errors);
  void begin(Simulation& simulation, JobTrace* trace) override;
  void on(const Notice& notice, Simulation& simulation) override;
  bool finished() const override { return is_over_; }
  JobResult result(const Simulation& simulation) const override;

 private:
  // Messages of an uneven all_to_all that a rank still waits for, its own start included.
  struct Exchange {
    std::vector<uint32_t> missing;  // by rank of the communicator
  };
  struct Communicator {
    CommId id = 0;
    std::vector<CollectiveCall> calls;  // of those that the engine runs
    std::vector<uint32_t> call_of;      // by index in the engine: which of the mapped calls
    std::vector<Exchange> exchanges;    // by mapped call; empty where the engine runs it
  };
  struct Waiting {  // collectives that a rank will launch
    Time at;
    uint32_t collective;
  };

  ReplayJob(const ReplayJobSpec& spec, JobContext context, ReplayMap map)
      : spec_(spec), context_(std::move(context)), map_(std::move(map)) {}
  const ReplayTrace& traces() const { return *spec_.trace; }
  const ReplayGraph& graph(Rank r) const { return graph_of(traces(), r); }
  Rank ranks() const { return static_cast<Rank>(context_.devices.size()); }
  std::vector<Time> begins() const;
  bool plan(Diagnostics& errors);
  bool plan(const MappedCommunicator& mapped, Communicator& comm, Diagnostics& errors);

  void begin_unsimulated(Simulation& simulation);
  void reached(Rank r, uint32_t collective, Time at, Simulation& simulation);
  void launch(Rank r, uint32_t collective, Simulation& simulation);
  void exchange(const CallPlace& place, Simulation& simulation);
  void arrived(const CallPlace& place, Simulation& simulation);
  void done(const CallPlace& place, Simulation& simulation);
  void record() const;
  void record(Rank r) const;

  // --- replay_result.cc
  void take_steps(ReplayResult& out) const;
  void take_calls(ReplayResult& out) const;
  void take_bounds(ReplayResult& out) const;
  void take_statistics(ReplayResult& out) const;
  void take_blocked(ReplayResult& out) const;

  ReplayJobSpec spec_;
  JobContext context_;
  ReplayMap map_;
  std::vector<Communicator> comms_;
  CommId first_comm_ = 0;
  std::vector<std::vector<CallPlace>> places_;  // by rank and collective
  std::deque<Dataflow> flows_;                  // by rank
  std::vector<std::vector<Waiting>> waiting_;   // by rank
  Rank ranks_over_ = 0;
  bool is_over_ = false;
  JobTrace* trace_ = nullptr;
};

}  // namespace brigade
