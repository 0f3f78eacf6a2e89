#include "sim/replay/replay_trace.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/base/random.h"
#include "sim/replay/events.h"
#include "sim/replay/make_graph.h"
#include "sim/replay/trace_file.h"

namespace brigade {
namespace {

// The job's size: what the trace says, else the largest group, else one more than the highest rank.
int64_t world_of(const ReplayGraph& graph) {
  int64_t world = std::max<int64_t>(graph.world, 1);
  if (graph.world > 0) return world;
  for (const ReplayGroup& group : graph.groups) {
    world = std::max(world, group.size);
    if (!group.ranks.empty()) world = std::max(world, group.ranks.back() + 1);
  }
  return world;
}

// Puts the graphs of several files in the order of their ranks, which must be all of the job.
void order_ranks(ReplayTrace& trace, const Place& at, Diagnostics& errors) {
  std::vector<ReplayGraph>& graphs = trace.graphs;
  const bool unnamed = std::all_of(graphs.begin(), graphs.end(), [](const auto& g) { return g.rank < 0; });
  if (unnamed) {
    for (size_t r = 0; r < graphs.size(); ++r) graphs[r].rank = static_cast<int64_t>(r);
    trace.assumed.push_back("the traces do not say of which rank they are: ranks in the order of the files");
  }
  std::stable_sort(graphs.begin(), graphs.end(),
                   [](const auto& a, const auto& b) { return a.rank < b.rank; });
  for (size_t r = 0; r < graphs.size(); ++r) {
    const ReplayGraph& g = graphs[r];
    if (r > 0 && g.rank == graphs[r - 1].rank)
      return errors.error(
          at, absl::StrCat("rank ", g.rank, " has two traces: ", graphs[r - 1].file, " and ", g.file));
    if (g.rank != static_cast<int64_t>(r) || static_cast<int64_t>(graphs.size()) != trace.world) {
      return errors.error(
          at, absl::StrCat(graphs.size(), " traces of a job of ", trace.world, " ranks, ",
                           g.rank == static_cast<int64_t>(r) ? "" : absl::StrCat("none of rank ", r, "; "),
                           "expected that of one rank, or of all ", trace.world));
    }
  }
}

// When the ranks begin: as traced where their clocks agree so far that all steps overlap, else together.
void find_begins(ReplayTrace& trace) {
  std::vector<ReplayGraph>& graphs = trace.graphs;
  trace.late.resize(graphs.size());
  if (graphs.size() == 1) return;
  __int128 first = graphs.front().began_ns, last = first;
  int64_t shortest_ns = INT64_MAX;
  for (const ReplayGraph& g : graphs) {
    first = std::min(first, g.began_ns);
    last = std::max(last, g.began_ns);
    const ReplayNode& end = g.nodes[g.steps.front().end];
    shortest_ns = std::min(shortest_ns, (end.traced_begin - Time{}).ps / 1000);
  }
  if (last - first > shortest_ns) {
    trace.assumed.push_back("the clocks of the traces do not agree: all ranks begin at once");
    return;
  }
  for (size_t r = 0; r < graphs.size(); ++r)
    trace.late[r] = nanoseconds(static_cast<int64_t>(graphs[r].began_ns - first));
  trace.assumed.push_back(absl::StrCat("ranks begin as their clocks say, the last one ",
                                       static_cast<int64_t>(last - first) / 1000, " us after the first"));
}

}  // namespace

std::shared_ptr<const ReplayTrace> load_replay(const std::vector<std::string>& paths, const Place& asked_from,
                                               Diagnostics& errors) {
  const auto trace = std::make_shared<ReplayTrace>();
  const int errors_before = errors.errors();
  for (const std::string& path : paths)
    for_each_trace(path, asked_from, errors, [&](const TraceText& text) {
      const int before = errors.errors();
      TraceEvents events = read_events(text, errors);
      text.release();
      if (errors.errors() > before) return;
      trace->hash = mix(trace->hash ^ events.hash);
      if (std::optional<ReplayGraph> graph = make_graph(std::move(events), errors))
        trace->graphs.push_back(std::move(*graph));
    });
  if (errors.errors() > errors_before) return nullptr;
  if (trace->graphs.empty()) {
    errors.error(asked_from, "no trace is given");
    return nullptr;
  }
  for (const ReplayGraph& graph : trace->graphs) trace->world = std::max(trace->world, world_of(graph));
  if (trace->graphs.size() > 1) {
    const Place at = asked_from.file.empty() ? Place{paths.front(), 0, 0} : asked_from;
    order_ranks(*trace, at, errors);
  }
  if (errors.errors() > errors_before) return nullptr;
  find_begins(*trace);
  return trace;
}

}  // namespace brigade
