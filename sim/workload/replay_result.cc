// What a replay found out: its steps beside the traced ones, where their time went, and between which bounds
// they lie.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"
#include "sim/workload/replay_job.h"

namespace brigade {
namespace {

using Spans = std::vector<std::pair<Time, Time>>;

// Disjoint, ascending.
Spans merged(Spans spans) {
  std::sort(spans.begin(), spans.end());
  Spans out;
  for (const auto& [begin, end] : spans) {
    if (!out.empty() && begin <= out.back().second) {
      out.back().second = std::max(out.back().second, end);
    } else {
      out.emplace_back(begin, end);
    }
  }
  return out;
}

Duration within(const Spans& spans, Time begin, Time end) {
  Duration sum{};
  for (const auto& [b, e] : spans)
    if (e > begin && b < end) sum += std::min(e, end) - std::max(b, begin);
  return sum;
}

// What is in `a` and in `b`.
Spans both(const Spans& a, const Spans& b) {
  Spans out;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Time begin = std::max(a[i].first, b[j].first), end = std::min(a[i].second, b[j].second);
    if (begin < end) out.emplace_back(begin, end);
    a[i].second < b[j].second ? ++i : ++j;
  }
  return out;
}

// When the GPU of a rank computes, communicates, and does both.
struct Busy {
  Spans compute, communication, hidden;
};
Busy busy_of(const Dataflow& flow) {
  Busy busy;
  const ReplayGraph& g = flow.graph();
  for (uint32_t n = 0; n < g.nodes.size(); ++n) {
    if (g.nodes[n].kind == ReplayNode::Kind::kHost || flow.end_of(n) == kNever) continue;
    const bool is_collective = g.nodes[n].kind == ReplayNode::Kind::kCollective;
    (is_collective ? busy.communication : busy.compute).emplace_back(flow.begin_of(n), flow.end_of(n));
  }
  busy.compute = merged(std::move(busy.compute));
  busy.communication = merged(std::move(busy.communication));
  busy.hidden = both(busy.compute, busy.communication);
  return busy;
}

// From the first step's begin to the last one's end.
std::optional<Duration> total_of(const std::vector<StepTimes>& steps) {
  if (steps.back().end == kNever) return std::nullopt;
  return steps.back().end - steps.front().begin;
}

bool longer(const std::optional<Duration>& a, const std::optional<Duration>& b) {
  return b && (!a || *a > *b);
}

}  // namespace

void ReplayJob::take_steps(ReplayResult& out) const {
  std::vector<std::vector<StepTimes>> times;
  for (const Dataflow& flow : flows_) times.push_back(step_times(flow));
  std::map<Rank, Busy> busy;  // of ranks that took longest in a step
  size_t steps = times.front().size();
  for (const auto& of_rank : times) steps = std::min(steps, of_rank.size());
  std::vector<std::vector<StepTimes>> traced;
  for (const ReplayGraph& g : traces().graphs) traced.push_back(traced_step_times(g));
  for (size_t s = 0; s < steps; ++s) {
    const auto time = [&](Rank r) -> std::optional<Duration> {
      if (times[r][s].end == kNever) return std::nullopt;
      return times[r][s].time();
    };
    Rank longest = 0;
    for (Rank r = 1; r < ranks(); ++r)
      if (longer(time(r), time(longest))) longest = r;
    ReplayResult::Step step{.name = graph(longest).steps[s].name, .time = time(longest)};
    for (const auto& of_graph : traced) step.traced = std::max(step.traced, of_graph[s].time());
    if (step.time) {
      if (busy.count(longest) == 0) busy.emplace(longest, busy_of(flows_[longest]));
      const Busy& b = busy.at(longest);
      const auto [begin, end] = std::pair(times[longest][s].begin, times[longest][s].end);
      step.compute = within(b.compute, begin, end);
      step.communication = within(b.communication, begin, end);
      step.exposed = step.communication - within(b.hidden, begin, end);
    }
    out.steps.push_back(std::move(step));
  }
  if (!traces().has_all_ranks()) return;
  for (Rank r = 0; r < ranks(); ++r) out.ranks.push_back({*total_of(traced[r]), total_of(times[r])});
}

void ReplayJob::take_calls(ReplayResult& out) const {
  using Key = std::tuple<uint32_t, Rank, Collective, std::string, int64_t, std::string>;
  std::map<Key, size_t> seen;
  const ReplayGraph& g = graph(0);
  for (uint32_t c = 0; c < g.collectives.size(); ++c) {
    const ReplayCollective& x = g.collectives[c];
    const CallPlace& place = places_[0][c];
    const MappedCommunicator& comm = map_.communicators[place.communicator];
    const MappedCall& call = comm.calls[place.call];
    const auto n = static_cast<Rank>(comm.ranks.size());
    const int64_t elements = call.sent.empty() ? call.elements : std::max(x.in_elements, x.out_elements);
    const auto [it, is_new] =
        seen.try_emplace({x.group, n, x.collective, x.traced_as, elements, x.dtype}, out.calls.size());
    if (is_new)
      out.calls.push_back({.collective = x.collective,
                           .traced_as = x.traced_as,
                           .dtype = x.dtype,
                           .elements = elements,
                           .bytes = {elements * x.element_bytes},
                           .traced_ranks = g.groups[x.group].size,
                           .ranks = n,
                           .time = Duration{}});
    ReplayResult::Call& row = out.calls[it->second];
    ++row.count;
    row.traced += g.nodes[x.node].work;
    const Time end = flows_[0].end_of(x.node);
    if (end == kNever) row.time = std::nullopt;
    if (row.time) *row.time += end - flows_[0].begin_of(x.node);
  }
  for (ReplayResult::Call& row : out.calls) {
    row.traced.ps /= row.count;
    if (row.time) row.time->ps /= row.count;
  }
}

void ReplayJob::take_bounds(ReplayResult& out) const {
  const std::vector<Time> times = begins();
  const std::deque<Dataflow> free =
      replay_together(traces(), map_, times, context_.compute_share, Unsimulated::kNone);
  Rank longest = 0;
  std::vector<std::optional<Duration>> totals;
  for (Rank r = 0; r < ranks(); ++r) {
    totals.push_back(total_of(step_times(flows_[r])));
    if (longer(totals[r], totals[longest])) longest = r;
  }
  const std::vector<StepTimes> free_steps = step_times(free[longest]);
  out.total = totals[longest];
  out.total_free = total_of(free_steps);
  for (size_t s = 0; s < out.steps.size(); ++s) {
    Duration most{};
    for (Rank r = 0; r < ranks(); ++r) most = std::max(most, step_times(free[r])[s].time());
    out.steps[s].free = most;
  }
  for (const ReplayGraph& g : traces().graphs)
    out.total_traced = std::max(out.total_traced, *total_of(traced_step_times(g)));
  if (!out.total || !out.total_free) return;
  Duration sum = *out.total_free;
  for (const ReplayCollective& c : graph(longest).collectives)
    sum += flows_[longest].end_of(c.node) - flows_[longest].begin_of(c.node);
  out.total_exposed = sum;
}

void ReplayJob::take_statistics(ReplayResult& out) const {
  std::vector<Duration> time, traced, compute, communication, exposed;
  for (const ReplayResult::Step& step : out.steps) {
    traced.push_back(step.traced);
    if (!step.time) continue;
    time.push_back(*step.time);
    compute.push_back(step.compute);
    communication.push_back(step.communication);
    exposed.push_back(step.exposed);
  }
  out.step_time = statistic_of(time);
  out.traced_step_time = statistic_of(traced);
  out.compute = statistic_of(compute);
  out.communication = statistic_of(communication);
  out.exposed = statistic_of(exposed);
  if (!time.empty()) out.last_step = time.back();
}

// The collective that holds up all others, the first that began and does not end, and until when the rest
// runs.
void ReplayJob::take_blocked(ReplayResult& out) const {
  const ReplayCollective* first = nullptr;
  Rank on = 0;
  Time begin = kNever, last{};
  for (Rank r = 0; r < ranks(); ++r) {
    for (const ReplayCollective& c : graph(r).collectives)
      if (flows_[r].end_of(c.node) == kNever && flows_[r].begin_of(c.node) < begin) {
        begin = flows_[r].begin_of(c.node);
        first = &c;
        on = r;
      }
    for (uint32_t n = 0; n < graph(r).nodes.size(); ++n)
      if (const Time end = flows_[r].end_of(n); end != kNever) last = std::max(last, end);
  }
  if (first == nullptr) return;
  out.blocked = absl::StrCat(first->traced_as, " of ", first->in_elements, " ", first->dtype,
                             " begins on rank ", on, " at ", to_string(begin - Time{}), " and never ends");
  out.unblocked_until = last - Time{};
}

JobResult ReplayJob::result(const Simulation&) const {
  ReplayResult out;
  out.durations = spec_.durations;
  out.traced_ranks = traces().world;
  out.traced_device = graph(0).device;
  out.found = graph(0).found;
  out.ignored = graph(0).ignored;
  take_steps(out);
  take_calls(out);
  take_bounds(out);
  take_statistics(out);
  take_blocked(out);
  std::vector<std::string> assumptions = map_.rules;
  for (const auto* more : {&traces().assumed, &graph(0).assumed})
    assumptions.insert(assumptions.end(), more->begin(), more->end());
  if (traces().has_all_ranks()) assumptions.push_back("what was found and assumed is printed of rank 0 only");
  return {.name = context_.name,
          .kind = "replay",
          .ranks = ranks(),
          .assumptions = std::move(assumptions),
          .result = std::move(out)};
}

}  // namespace brigade
