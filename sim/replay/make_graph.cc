#include "sim/replay/make_graph.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/replay/draft.h"

namespace brigade {
namespace replay {
namespace {

// An instant of a thread that the graph needs. Of those at the same instant the kinds come in this order.
struct Point {
  enum Kind : uint8_t { kCallEnd, kHandedTo, kStepEnd, kStepBegin, kCallBegin, kHandedFrom };
  uint32_t thread;
  int64_t at_ns;
  Kind kind;
  uint32_t index;  // of the call, hand-over or step
};

struct DraftNode {
  ReplayNode node;
  int64_t begin_ns = 0, end_ns = 0;
};
struct DraftEdge {
  uint32_t from, to;
  int64_t lag_ns;
};
struct Predecessor {
  uint32_t node;
  int64_t usual_ns;  // the lag of this kind where it does not decide
};

int64_t median(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class Assembly {
 public:
  explicit Assembly(Draft& draft) : draft_(draft) {}

  void make(ReplayGraph& out) {
    add_host();
    add_tasks();
    connect_host();
    connect_tasks();
    number(out);
    out.streams = draft_.streams;
    out.groups = std::move(draft_.groups);
    describe();
  }

 private:
  // --- nodes

  void add_host() {
    std::vector<Point> points;
    for (uint32_t s = 0; s < draft_.steps.size(); ++s) {
      const StepSpan& step = draft_.steps[s];
      points.push_back({step.thread, step.begin_ns, Point::kStepBegin, s});
      points.push_back({step.thread, step.end_ns, Point::kStepEnd, s});
    }
    std::vector<uint32_t> blocks(draft_.calls.size(), kNone);  // by call: its wait
    for (uint32_t w = 0; w < draft_.host_waits.size(); ++w) blocks[draft_.host_waits[w].call] = w;
    for (uint32_t c = 0; c < draft_.calls.size(); ++c) {
      const Call& call = draft_.calls[c];
      if (call.kind != CallKind::kLaunch && blocks[c] == kNone) continue;
      points.push_back({call.thread, call.begin_ns, Point::kCallBegin, c});
      if (blocks[c] != kNone) points.push_back({call.thread, call.end_ns, Point::kCallEnd, c});
    }
    for (uint32_t h = 0; h < draft_.handoffs.size(); ++h) {
      const Handoff& handoff = draft_.handoffs[h];
      points.push_back({handoff.from, handoff.from_ns, Point::kHandedFrom, h});
      points.push_back({handoff.to, handoff.to_ns, Point::kHandedTo, h});
    }
    std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
      if (a.thread != b.thread) return a.thread < b.thread;
      return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.kind < b.kind;
    });
    call_begin_.resize(draft_.calls.size(), kNone);
    call_end_ = call_begin_;
    step_begin_.resize(draft_.steps.size());
    step_end_ = step_begin_;
    handed_from_.resize(draft_.handoffs.size());
    for (const Point& p : points) add_point(p);
    points_ = std::move(points);
  }

  void add_point(const Point& p) {
    const auto id = static_cast<uint32_t>(nodes_.size());
    DraftNode n;
    n.begin_ns = n.end_ns = p.at_ns;
    n.node.kind = ReplayNode::Kind::kHost;
    switch (p.kind) {
      case Point::kCallBegin:
        call_begin_[p.index] = id;
        n.node.name = draft_.trace.events[draft_.calls[p.index].event].name;
        break;
      case Point::kCallEnd:
        call_end_[p.index] = id;
        n.node.name = draft_.trace.events[draft_.calls[p.index].event].name;
        n.node.blocks = true;
        break;
      case Point::kStepBegin:
        step_begin_[p.index] = id;
        break;
      case Point::kStepEnd:
        step_end_[p.index] = id;
        break;
      case Point::kHandedFrom:
        handed_from_[p.index] = id;
        break;
      case Point::kHandedTo:
        break;
    }
    nodes_.push_back(n);
  }

  void add_tasks() {
    first_task_ = static_cast<uint32_t>(nodes_.size());
    for (const Task& t : draft_.tasks) {
      DraftNode n;
      n.begin_ns = t.begin_ns;
      n.end_ns = t.end_ns;
      n.node.kind = t.collective == kNone ? ReplayNode::Kind::kTask : ReplayNode::Kind::kCollective;
      n.node.stream = static_cast<uint16_t>(t.stream);
      n.node.step = t.step;
      n.node.name = draft_.trace.events[t.event].name;
      n.node.collective = t.collective;
      if (t.collective != kNone) draft_.collectives[t.collective].node = static_cast<uint32_t>(nodes_.size());
      nodes_.push_back(n);
    }
  }

  // --- edges

  // Nodes in the order of time; an edge that would go back in it is none.
  bool precedes(uint32_t a, uint32_t b) const {
    const uint32_t root = step_begin_.front();
    if (a == root || b == root) return b != root;
    const DraftNode &x = nodes_[a], &y = nodes_[b];
    if (x.begin_ns != y.begin_ns) return x.begin_ns < y.begin_ns;
    return a < b;  // points by thread and order, then tasks by begin
  }

  // The predecessor that ended last decided: its edge has the traced lag.
  void constrain(uint32_t to, const std::vector<Predecessor>& all) {
    const int64_t begin_ns = nodes_[to].begin_ns;
    const Predecessor* last = nullptr;
    for (const Predecessor& p : all)
      if (precedes(p.node, to) && (last == nullptr || nodes_[p.node].end_ns > nodes_[last->node].end_ns))
        last = &p;
    if (last == nullptr) {
      const uint32_t root = step_begin_.front();
      if (to != root) edges_.push_back({root, to, std::max(begin_ns - draft_.begin_ns, int64_t{0})});
      return;
    }
    for (const Predecessor& p : all) {
      if (!precedes(p.node, to)) continue;
      const int64_t left_ns = std::max(begin_ns - nodes_[p.node].end_ns, int64_t{0});
      edges_.push_back({p.node, to, &p == last ? left_ns : std::min(left_ns, p.usual_ns)});
    }
  }

  void connect_host() {
    std::vector<uint32_t> wait_of(draft_.calls.size(), kNone);
    for (uint32_t w = 0; w < draft_.host_waits.size(); ++w) wait_of[draft_.host_waits[w].call] = w;
    for (uint32_t i = 0; i < points_.size(); ++i) {
      const Point& p = points_[i];
      std::vector<Predecessor> all;
      if (i > 0 && points_[i - 1].thread == p.thread) all.push_back({i - 1, 0});
      if (p.kind == Point::kHandedTo) all.push_back({handed_from_[p.index], 0});
      if (p.kind == Point::kCallEnd)
        for (const uint32_t t : draft_.host_waits[wait_of[p.index]].tasks)
          all.push_back({first_task_ + t, 0});
      constrain(i, all);
    }
  }

  // What a launch takes where nothing else holds the task up, and what the next task of a stream takes where
  // only the one before does: medians of the trace.
  void measure_lags() {
    std::vector<int64_t> launches, successions;
    for (const Task& t : draft_.tasks) {
      if (t.launch == kNone) continue;
      const int64_t launched_ns = draft_.calls[t.launch].begin_ns;
      int64_t free_ns = t.before == kNone ? INT64_MIN : draft_.tasks[t.before].end_ns;
      for (const uint32_t a : t.waits) free_ns = std::max(free_ns, draft_.tasks[a].end_ns);
      const int64_t lag_ns = t.begin_ns - std::max(launched_ns, free_ns);
      if (lag_ns < 0 || lag_ns > kDelay_ns) continue;
      (launched_ns >= free_ns ? launches : successions).push_back(lag_ns);
    }
    launch_ns_ = median(std::move(launches));
    succession_ns_ = median(std::move(successions));
  }

  void connect_tasks() {
    measure_lags();
    for (uint32_t t = 0; t < draft_.tasks.size(); ++t) {
      const Task& task = draft_.tasks[t];
      std::vector<Predecessor> all;
      if (task.launch != kNone) all.push_back({call_begin_[task.launch], launch_ns_});
      if (task.before != kNone) all.push_back({first_task_ + task.before, succession_ns_});
      for (const uint32_t a : task.waits) all.push_back({first_task_ + a, succession_ns_});
      constrain(first_task_ + t, all);
    }
  }

  // --- the graph, its nodes in the order of time

  void number(ReplayGraph& out) {
    std::vector<uint32_t> order(nodes_.size()), place(nodes_.size());
    for (uint32_t n = 0; n < order.size(); ++n) order[n] = n;
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return a != b && precedes(a, b); });
    out.nodes.reserve(nodes_.size());
    for (uint32_t i = 0; i < order.size(); ++i) {
      DraftNode& n = nodes_[order[i]];
      place[order[i]] = i;
      n.node.traced_begin = Time{} + nanoseconds(n.begin_ns - draft_.begin_ns);
      n.node.work = nanoseconds(n.end_ns - n.begin_ns);
      out.nodes.push_back(n.node);
    }
    out.predecessors.resize(nodes_.size());
    out.edges_first.resize(nodes_.size() + 1);
    for (DraftEdge& e : edges_) {
      e.from = place[e.from], e.to = place[e.to];
      ++out.predecessors[e.to];
      ++out.edges_first[e.from + 1];
    }
    for (size_t n = 0; n < nodes_.size(); ++n) out.edges_first[n + 1] += out.edges_first[n];
    out.edges.resize(edges_.size());
    std::vector<uint32_t> next(out.edges_first.begin(), out.edges_first.end() - 1);
    for (const DraftEdge& e : edges_) out.edges[next[e.from]++] = {e.to, nanoseconds(e.lag_ns)};
    for (uint32_t s = 0; s < draft_.steps.size(); ++s)
      out.steps.push_back({draft_.steps[s].name, place[step_begin_[s]], place[step_end_[s]]});
    out.collectives = std::move(draft_.collectives);
    for (ReplayCollective& c : out.collectives) c.node = place[c.node];
    BRIGADE_CHECK(place[step_begin_.front()] == 0, "the first step begins at node ",
                  place[step_begin_.front()]);
  }

  void describe() {
    if (!draft_.handoffs.empty())
      draft_.assumed.push_back(counted(static_cast<int64_t>(draft_.handoffs.size()), "time") +
                               " a thread of the host that is silent for 100 us waits for another one");
    draft_.assumed.push_back(absl::StrCat("lags where others decided: ", launch_ns_ / 1000.0,
                                          " us to launch, ", succession_ns_ / 1000.0,
                                          " us between tasks (medians)"));
  }

  Draft& draft_;
  std::vector<Point> points_;
  std::vector<DraftNode> nodes_;
  std::vector<DraftEdge> edges_;
  std::vector<uint32_t> call_begin_, call_end_, step_begin_, step_end_, handed_from_;
  uint32_t first_task_ = 0;
  int64_t launch_ns_ = 0, succession_ns_ = 0;
};

void describe_events(Draft& draft) {
  std::vector<std::string> streams;
  std::vector<int64_t> tasks(draft.streams.size()), collectives(draft.streams.size());
  for (const Task& t : draft.tasks) {
    ++tasks[t.stream];
    collectives[t.stream] += t.collective != kNone;
  }
  for (size_t s = 0; s < tasks.size(); ++s)
    streams.push_back(
        absl::StrCat("stream ", draft.streams[s], ": ", tasks[s],
                     collectives[s] > 0 ? absl::StrCat(" (collectives: ", collectives[s], ")") : ""));
  int64_t launches = 0;
  for (const Call& c : draft.calls) launches += c.kind == CallKind::kLaunch;
  std::vector<std::string> found = {
      counted(static_cast<int64_t>(draft.steps.size()), "step"),
      absl::StrCat(launches, launches == 1 ? " launch" : " launches"),
      counted(static_cast<int64_t>(draft.host_waits.size()), "wait") + " of the host for the GPU",
      counted(static_cast<int64_t>(draft.tasks.size()), "GPU task")};
  found.insert(found.end(), streams.begin(), streams.end());
  draft.found.insert(draft.found.begin(), found.begin(), found.end());
  for (const auto& [what, count] : draft.trace.ignored)
    draft.ignored.push_back(absl::StrCat(count, " ", what));
}

}  // namespace
}  // namespace replay

std::optional<ReplayGraph> make_graph(TraceEvents trace, Diagnostics& errors) {
  ReplayGraph graph;
  {
    replay::Draft draft(trace);
    if (!replay::find_steps(draft, errors)) return std::nullopt;
    replay::find_calls(draft);
    if (!replay::find_tasks(draft, errors) || !replay::find_collectives(draft, errors)) return std::nullopt;
    replay::order_streams(draft);
    if (draft.streams.size() > UINT16_MAX) {
      errors.error({trace.file, 0, 0}, absl::StrCat("has ", draft.streams.size(), " streams"));
      return std::nullopt;
    }
    replay::find_waits(draft);
    replay::find_handoffs(draft);
    replay::describe_events(draft);
    replay::Assembly(draft).make(graph);
    graph.began_ns = static_cast<__int128>(draft.begin_ns) + trace.base_ns;
    graph.found = std::move(draft.found);
    graph.assumed = std::move(draft.assumed);
    graph.ignored = std::move(draft.ignored);
  }
  graph.file = trace.file;
  graph.rank = trace.rank;
  graph.world = trace.world_size;
  graph.device = trace.device;
  graph.hash = trace.hash;
  graph.names = std::move(trace.names);
  return graph;
}

}  // namespace brigade
