#include "sim/replay/dataflow.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/check.h"

namespace brigade {

Dataflow::Dataflow(const ReplayGraph& graph, double compute_share)
    : graph_(&graph),
      compute_share_(compute_share),
      begin_(graph.nodes.size()),
      waiting_(graph.predecessors),
      collective_end_(graph.collectives.size(), kNever) {
  waiting_[0] = 1;  // for begin()
}

Duration Dataflow::work_of(const ReplayNode& node) const {
  if (node.kind == ReplayNode::Kind::kHost) return {};
  if (compute_share_ == 1) return node.work;
  return {std::llround(static_cast<double>(node.work.ps) / compute_share_)};
}

Time Dataflow::end_of(uint32_t node) const {
  const ReplayNode& n = graph_->nodes[node];
  if (n.kind == ReplayNode::Kind::kCollective) return collective_end_[n.collective];
  return waiting_[node] == 0 ? begin_[node] + work_of(n) : kNever;
}

void Dataflow::begin(Time at, const Ready& ready) {
  begin_[0] = at;
  waiting_[0] = 0;
  settle(0, ready);
}

void Dataflow::end(uint32_t collective, Time at, const Ready& ready) {
  const uint32_t node = graph_->collectives[collective].node;
  BRIGADE_CHECK(begin_of(node) <= at && end_of(node) == kNever, "collective ", collective, " ends at ", at.ps,
                " ps, began at ", begin_[node].ps, " ps");
  collective_end_[collective] = at;
  settle(node, ready);
}

// `node` has ended. Its successors follow, theirs in turn, on a stack of our own: chains are long.
void Dataflow::settle(uint32_t node, const Ready& ready) {
  std::vector<uint32_t> reached;  // collectives; told last, for whoever is told may come back here
  stack_.push_back(node);
  while (!stack_.empty()) {
    const uint32_t from = stack_.back();
    stack_.pop_back();
    ++ended_;
    const Time ended = end_of(from);
    for (uint32_t e = graph_->edges_first[from]; e < graph_->edges_first[from + 1]; ++e) {
      const ReplayEdge& edge = graph_->edges[e];
      begin_[edge.to] = std::max(begin_[edge.to], ended + edge.lag);
      if (--waiting_[edge.to] > 0) continue;
      if (graph_->nodes[edge.to].kind == ReplayNode::Kind::kCollective) {
        reached.push_back(edge.to);
      } else {
        stack_.push_back(edge.to);
      }
    }
  }
  for (const uint32_t n : reached) ready(graph_->nodes[n].collective, begin_[n]);
}

std::vector<StepTimes> step_times(const ReplayGraph& graph, const NodeTime& begin_of,
                                  const NodeTime& end_of) {
  std::vector<StepTimes> times;
  for (const ReplayStep& step : graph.steps) times.push_back({begin_of(step.begin), end_of(step.end)});
  for (uint32_t n = 0; n < graph.nodes.size(); ++n) {
    const ReplayNode& node = graph.nodes[n];
    if (node.kind == ReplayNode::Kind::kHost) continue;
    times[node.step].end = std::max(times[node.step].end, end_of(n));
  }
  for (size_t i = 1; i < times.size(); ++i) {
    times[i].begin = std::max(times[i].begin, times[i - 1].end);
    times[i].end = std::max(times[i].end, times[i].begin);
  }
  return times;
}

std::vector<StepTimes> step_times(const Dataflow& flow) {
  return step_times(
      flow.graph(), [&](uint32_t n) { return flow.begin_of(n); }, [&](uint32_t n) { return flow.end_of(n); });
}

std::vector<StepTimes> traced_step_times(const ReplayGraph& graph) {
  return step_times(
      graph, [&](uint32_t n) { return graph.nodes[n].traced_begin; },
      [&](uint32_t n) { return graph.nodes[n].traced_begin + graph.nodes[n].work; });
}

Dataflow replay_alone(const ReplayGraph& graph, const CollectiveTime& time_of) {
  Dataflow flow(graph, 1);
  std::vector<std::pair<uint32_t, Time>> running;
  const auto ready = [&](uint32_t c, Time begin) { running.emplace_back(c, begin); };
  flow.begin({}, ready);
  while (!running.empty()) {
    const auto [c, begin] = running.back();
    running.pop_back();
    flow.end(c, begin + time_of(graph.collectives[c]), ready);
  }
  return flow;
}

}  // namespace brigade
