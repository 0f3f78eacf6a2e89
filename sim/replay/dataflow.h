// When each node of a replay graph begins and ends, worked out as far as is known: collectives are ended by
// whoever knows how long they take.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "sim/replay/graph.h"

namespace brigade {

class Dataflow {
 public:
  // Told of each collective when it is known when it begins; not more than one at a time on a stream.
  using Ready = std::function<void(uint32_t collective, Time begin)>;
  // `compute_share`: 0.5 where tasks of the GPU take twice as long. `graph` outlives this.
  Dataflow(const ReplayGraph& graph, double compute_share);

  void begin(Time at, const Ready& ready);
  // A collective that was told to be ready ends; `at` is not before its begin.
  void end(uint32_t collective, Time at, const Ready& ready);

  // kNever: not known (yet).
  Time begin_of(uint32_t node) const { return waiting_[node] == 0 ? begin_[node] : kNever; }
  Time end_of(uint32_t node) const;
  bool all_ended() const { return ended_ == graph_->nodes.size(); }
  const ReplayGraph& graph() const { return *graph_; }

 private:
  void settle(uint32_t node, const Ready& ready);
  Duration work_of(const ReplayNode& node) const;

  const ReplayGraph* graph_;
  double compute_share_;
  std::vector<Time> begin_;           // by node; while it waits, the latest that is known of its predecessors
  std::vector<uint32_t> waiting_;     // by node: predecessors that have not ended
  std::vector<Time> collective_end_;  // kNever: has not ended
  std::vector<uint32_t> stack_;
  size_t ended_ = 0;
};

// A step of a rank: from its begin on the host, or from the end of the step before if that is later, to the
// end of the step on the host and of all GPU work that was launched in it.
struct StepTimes {
  Time begin{}, end{};  // kNever: never ends
  Duration time() const { return end - begin; }
};
// `begin_of` and `end_of` a node: traced, or replayed.
using NodeTime = std::function<Time(uint32_t node)>;
std::vector<StepTimes> step_times(const ReplayGraph& graph, const NodeTime& begin_of, const NodeTime& end_of);
std::vector<StepTimes> step_times(const Dataflow& flow);
std::vector<StepTimes> traced_step_times(const ReplayGraph& graph);

// The graph on its own, each collective for so long.
using CollectiveTime = std::function<Duration(const ReplayCollective&)>;
Dataflow replay_alone(const ReplayGraph& graph, const CollectiveTime& time_of);

}  // namespace brigade
