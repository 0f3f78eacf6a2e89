// Threads of the host that wait for each other: nothing in a trace says so, but a thread that falls silent
// while another works, and speaks again when that one has fallen silent, was waiting for it. (Main thread and
// autograd; the threshold is in draft.h.)
#include <algorithm>

#include "sim/replay/draft.h"

namespace brigade::replay {
namespace {

// When a thread is at work: operations without inner ones and calls; and the instants at which anything of it
// begins or ends, ascending.
struct Activity {
  std::vector<int64_t> marks_ns;
  // Silences of more than kSilence_ns between two marks, as indices of the later one.
  std::vector<size_t> silences;
  bool takes_part = false;  // not one that only looks (NCCL's watchdog asks for events)
};

struct Mark {
  int64_t at_ns;
  uint32_t event;
  bool begins;
};

std::vector<Activity> activities_of(const Draft& draft) {
  const TraceEvents& trace = draft.trace;
  std::vector<Activity> all(trace.threads.size());
  const auto counts = [&](const TraceEvent& e) {
    return (e.kind == EventKind::kOp || e.kind == EventKind::kCall) && e.begin_ns >= draft.begin_ns &&
           e.begin_ns < draft.end_ns && !trace.names[e.name].starts_with("ProfilerStep");
  };
  std::vector<size_t> many(trace.threads.size());
  for (const TraceEvent& e : trace.events)
    if (counts(e)) many[e.thread] += 2;
  std::vector<std::vector<Mark>> marks(trace.threads.size());
  for (size_t t = 0; t < marks.size(); ++t) marks[t].reserve(many[t]);
  for (uint32_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& e = trace.events[i];
    if (!counts(e)) continue;
    all[e.thread].takes_part |= e.kind == EventKind::kOp;
    marks[e.thread].push_back({e.begin_ns, i, true});
    marks[e.thread].push_back({e.end_ns(), i, false});
  }
  for (const Call& c : draft.calls) all[c.thread].takes_part |= c.kind == CallKind::kLaunch;
  for (size_t t = 0; t < marks.size(); ++t) {
    std::sort(marks[t].begin(), marks[t].end(), [](const Mark& a, const Mark& b) {
      if (a.at_ns != b.at_ns) return a.at_ns < b.at_ns;
      return a.event != b.event ? a.event < b.event : a.begins > b.begins;
    });
    Activity& a = all[t];
    a.marks_ns.reserve(marks[t].size());
    for (size_t i = 0; i < marks[t].size(); ++i) {
      const Mark& m = marks[t][i];
      const bool at_work = i > 0 && marks[t][i - 1].begins && !m.begins && marks[t][i - 1].event == m.event;
      if (!at_work && (i == 0 || m.at_ns - marks[t][i - 1].at_ns > kSilence_ns)) a.silences.push_back(i);
      a.marks_ns.push_back(m.at_ns);
    }
    marks[t] = {};
  }
  return all;
}

}  // namespace

void find_handoffs(Draft& draft) {
  const std::vector<Activity> all = activities_of(draft);
  for (uint32_t to = 0; to < all.size(); ++to) {
    if (!all[to].takes_part) continue;
    for (const size_t silence : all[to].silences) {
      const int64_t until_ns = all[to].marks_ns[silence];
      const int64_t since_ns = silence == 0 ? draft.begin_ns - 1 : all[to].marks_ns[silence - 1];
      Handoff best{.from = kNone, .to = to, .from_ns = since_ns, .to_ns = until_ns};
      for (uint32_t from = 0; from < all.size(); ++from) {
        const Activity& other = all[from];
        if (from == to || !other.takes_part) continue;
        const auto next = std::upper_bound(other.marks_ns.begin(), other.marks_ns.end(), until_ns);
        if (next == other.marks_ns.begin()) continue;
        const int64_t last_ns = *(next - 1);
        const auto index = static_cast<size_t>(next - other.marks_ns.begin());
        const bool silent_then = next == other.marks_ns.end() ||
                                 std::binary_search(other.silences.begin(), other.silences.end(), index);
        if (!silent_then || last_ns <= best.from_ns || last_ns >= until_ns) continue;
        best.from = from;
        best.from_ns = last_ns;
      }
      if (best.from != kNone) draft.handoffs.push_back(best);
    }
  }
}

}  // namespace brigade::replay
