// Steps: ProfilerStep#N of the host. A trace without them is one step from its first event to its last.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sim/replay/draft.h"

namespace brigade::replay {
namespace {

bool is_of_host(const TraceEvent& e) {
  return e.kind == EventKind::kOp || e.kind == EventKind::kAnnotation || e.kind == EventKind::kCall;
}

}  // namespace

std::string counted(int64_t count, const char* noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

bool find_steps(Draft& draft, Diagnostics& errors) {
  const TraceEvents& trace = draft.trace;
  const TraceEvent* first = nullptr;
  int64_t last_ns = INT64_MIN;
  for (const TraceEvent& e : trace.events) {
    last_ns = std::max(last_ns, e.end_ns());
    if (!is_of_host(e)) continue;
    if (e.kind == EventKind::kCall && (first == nullptr || e.begin_ns < first->begin_ns)) first = &e;
    const std::string& name = trace.names[e.name];
    if (name.starts_with("ProfilerStep") && e.kind != EventKind::kCall)
      draft.steps.push_back({e.begin_ns, e.end_ns(), e.thread, name});
  }
  if (first == nullptr) {
    errors.error({trace.file, 0, 0},
                 "holds no call of the host to CUDA; expected cuda_runtime events, which a "
                 "profile with activities CPU and CUDA has");
    return false;
  }
  std::sort(draft.steps.begin(), draft.steps.end(), [](const StepSpan& a, const StepSpan& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
  size_t kept = 0;
  for (const StepSpan& step : draft.steps)
    if (kept == 0 || step.begin_ns >= draft.steps[kept - 1].end_ns) draft.steps[kept++] = step;
  if (kept < draft.steps.size())
    draft.ignored.push_back(counted(static_cast<int64_t>(draft.steps.size() - kept), "ProfilerStep") +
                            " within another one");
  draft.steps.resize(kept);
  if (kept == 0) {
    draft.steps.push_back({first->begin_ns, last_ns, first->thread, "trace"});
    draft.assumed.push_back("there is no ProfilerStep: the whole trace is one step");
  }
  draft.begin_ns = draft.steps.front().begin_ns;
  draft.end_ns = draft.steps.back().end_ns;
  // Every instant fits picoseconds after it.
  constexpr int64_t kLongest_ns = int64_t{30} * 24 * 3600 * 1'000'000'000;
  if (draft.end_ns - draft.begin_ns <= kLongest_ns && last_ns - draft.begin_ns <= kLongest_ns) return true;
  errors.error({trace.file, 0, 0}, "spans more than 30 days; are its times microseconds?");
  return false;
}

}  // namespace brigade::replay
