// Tasks of the GPU: kernels, copies, fills; the call that launched each, and its place on its stream.
#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/replay/draft.h"

namespace brigade::replay {
namespace {

uint32_t step_at(const Draft& draft, int64_t at_ns) {
  uint32_t step = 0;
  while (step + 1 < draft.steps.size() && draft.steps[step + 1].begin_ns <= at_ns) ++step;
  return step;
}

using Launches = absl::flat_hash_map<int64_t, uint32_t>;  // by correlation

// Of all calls of the trace: kNone where it lies outside the steps.
Launches launches_of(const Draft& draft) {
  Launches launches;
  for (const TraceEvent& e : draft.trace.events)
    if (e.kind == EventKind::kCall && e.correlation >= 0) launches.emplace(e.correlation, kNone);
  for (uint32_t c = 0; c < draft.calls.size(); ++c) {
    const int64_t correlation = draft.trace.events[draft.calls[c].event].correlation;
    if (correlation >= 0) launches[correlation] = c;
  }
  return launches;
}

}  // namespace

bool find_tasks(Draft& draft, Diagnostics& errors) {
  const Launches launches = launches_of(draft);
  int64_t before = 0, unlaunched = 0, streamless = 0;
  std::set<int32_t> devices;
  for (uint32_t i = 0; i < draft.trace.events.size(); ++i) {
    const TraceEvent& e = draft.trace.events[i];
    if (e.kind != EventKind::kTask) continue;
    if (e.stream < 0) {
      ++streamless;
      continue;
    }
    Task t;
    t.event = i;
    t.begin_ns = e.begin_ns;
    t.end_ns = e.end_ns();
    const auto launch = launches.find(e.correlation);
    const bool has_launch = launch != launches.end();
    if (has_launch) t.launch = launch->second;
    const bool outside =
        has_launch ? t.launch == kNone : e.begin_ns < draft.begin_ns || e.begin_ns >= draft.end_ns;
    if (outside) {
      ++before;
      continue;
    }
    unlaunched += !has_launch;
    devices.insert(e.device);
    t.begin_ns = std::max(t.begin_ns, draft.begin_ns);
    t.end_ns = std::max(t.end_ns, t.begin_ns);
    t.step = step_at(draft, has_launch ? draft.calls[t.launch].begin_ns : t.begin_ns);
    if (has_launch) draft.calls[t.launch].kind = CallKind::kLaunch;
    draft.tasks.push_back(t);
  }
  if (draft.tasks.empty()) {
    errors.error({draft.trace.file, 0, 0}, "holds no kernel that was launched within its steps");
    return false;
  }
  if (devices.size() > 1) {
    errors.error(
        {draft.trace.file, 0, 0},
        absl::StrCat("holds the work of ", devices.size(),
                     " GPUs; expected that of one rank: give the trace of each rank as a file of its own"));
    return false;
  }
  std::stable_sort(draft.tasks.begin(), draft.tasks.end(), [](const Task& a, const Task& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns < b.end_ns;
  });
  if (before > 0) draft.ignored.push_back(counted(before, "GPU task") + " launched outside the steps");
  if (streamless > 0) draft.ignored.push_back(counted(streamless, "GPU task") + " without a stream");
  if (unlaunched > 0)
    draft.assumed.push_back(counted(unlaunched, "GPU task") +
                            " without a launch: after the task before on their stream, as traced");
  return true;
}

void order_streams(Draft& draft) {
  for (const Task& t : draft.tasks) draft.streams.push_back(draft.trace.events[t.event].stream);
  std::sort(draft.streams.begin(), draft.streams.end());
  draft.streams.erase(std::unique(draft.streams.begin(), draft.streams.end()), draft.streams.end());
  std::vector<uint32_t> last(draft.streams.size(), kNone);
  int64_t overlapping = 0;
  for (uint32_t i = 0; i < draft.tasks.size(); ++i) {
    Task& t = draft.tasks[i];
    const auto at =
        std::lower_bound(draft.streams.begin(), draft.streams.end(), draft.trace.events[t.event].stream);
    t.stream = static_cast<uint32_t>(at - draft.streams.begin());
    t.before = std::exchange(last[t.stream], i);
    if (t.before == kNone) continue;
    Task& before = draft.tasks[t.before];
    overlapping += before.end_ns > t.begin_ns + kRounding_ns;
    before.end_ns = std::min(before.end_ns, t.begin_ns);
  }
  if (overlapping > 0)
    draft.assumed.push_back(counted(overlapping, "GPU task") +
                            " cut where the next one of their stream begins, which they overlap");
}

}  // namespace brigade::replay
