// Calls of the host to the runtime or driver, and the operations that each stands in.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "sim/replay/draft.h"

namespace brigade::replay {
namespace {

CallKind kind_of(const std::string& name) {
  if (absl::StrContains(name, "StreamWaitEvent")) return CallKind::kStreamWait;
  if (absl::StrContains(name, "DeviceSynchronize") || absl::StrContains(name, "CtxSynchronize"))
    return CallKind::kDeviceSync;
  if (absl::StrContains(name, "StreamSynchronize")) return CallKind::kStreamSync;
  if (absl::StrContains(name, "EventSynchronize")) return CallKind::kEventSync;
  return CallKind::kOther;
}

// What names say of an operation, looked at once for each.
struct NameTraits {
  bool records = false, annotates = false, has_tensors = false, reducer = false, optimizer = false;
};

std::vector<NameTraits> traits_of(const std::vector<std::string>& names) {
  std::vector<NameTraits> traits(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    traits[i] = {.records = absl::StrContains(name, "record_param_comms"),
                 .annotates = name.starts_with("nccl:"),
                 .has_tensors = name.starts_with("c10d::"),
                 .reducer = absl::StrContains(name, "AccumulateGrad"),
                 .optimizer = name.starts_with("Optimizer.step")};
  }
  return traits;
}

class Contexts {
 public:
  explicit Contexts(Draft& draft) : draft_(draft), traits_(traits_of(draft.trace.names)) {}

  // One thread: operations nest, so those that are open make a stack.
  void find(const std::vector<uint32_t>& ops, const std::vector<uint32_t>& calls) {
    std::vector<uint32_t> open;
    size_t next = 0;
    for (const uint32_t c : calls) {
      Call& call = draft_.calls[c];
      for (; next < ops.size() && event(ops[next]).begin_ns <= call.begin_ns; ++next) {
        while (!open.empty() && event(open.back()).end_ns() <= event(ops[next]).begin_ns) open.pop_back();
        open.push_back(ops[next]);
      }
      while (!open.empty() && event(open.back()).end_ns() <= call.begin_ns) open.pop_back();
      call.context = context_of(open, call);
    }
  }

 private:
  const TraceEvent& event(uint32_t e) const { return draft_.trace.events[e]; }

  CallContext context_of(const std::vector<uint32_t>& open, const Call& call) const {
    CallContext context;
    for (const uint32_t o : open) {
      const TraceEvent& e = event(o);
      if (e.end_ns() <= call.begin_ns) continue;
      const NameTraits& traits = traits_[e.name];
      context.in_reducer |= traits.reducer;
      context.in_optimizer |= traits.optimizer;
      context.is_noted |= traits.records;
      if (!traits.records && !traits.annotates && !traits.has_tensors) continue;
      if (context.op == kNone) context.op = o;
      if (e.detail < 0) continue;
      if (!draft_.trace.details[static_cast<size_t>(e.detail)].collective.empty()) context.detail = e.detail;
      if (traits.annotates) context.annotation = e.detail;
      if (traits.has_tensors) context.tensors = e.detail;
      if (traits.annotates) context.annotation_name = e.name;
      if (traits.has_tensors) context.tensors_name = e.name;
    }
    return context;
  }

  Draft& draft_;
  std::vector<NameTraits> traits_;
};

}  // namespace

void find_calls(Draft& draft) {
  const TraceEvents& trace = draft.trace;
  std::vector<std::vector<uint32_t>> ops(trace.threads.size()), calls(trace.threads.size());
  for (uint32_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& e = trace.events[i];
    if (e.kind == EventKind::kOp || e.kind == EventKind::kAnnotation) ops[e.thread].push_back(i);
    if (e.kind != EventKind::kCall || e.begin_ns < draft.begin_ns || e.begin_ns >= draft.end_ns) continue;
    draft.calls.push_back({.event = i,
                           .thread = e.thread,
                           .begin_ns = e.begin_ns,
                           .end_ns = e.end_ns(),
                           .kind = kind_of(trace.names[e.name])});
  }
  std::stable_sort(draft.calls.begin(), draft.calls.end(),
                   [](const Call& a, const Call& b) { return a.begin_ns < b.begin_ns; });
  for (uint32_t c = 0; c < draft.calls.size(); ++c) calls[draft.calls[c].thread].push_back(c);
  Contexts contexts(draft);
  for (uint32_t t = 0; t < trace.threads.size(); ++t) {
    std::stable_sort(ops[t].begin(), ops[t].end(), [&](uint32_t a, uint32_t b) {
      const TraceEvent &x = trace.events[a], &y = trace.events[b];
      return x.begin_ns != y.begin_ns ? x.begin_ns < y.begin_ns : x.duration_ns > y.duration_ns;
    });
    contexts.find(ops[t], calls[t]);
  }
}

}  // namespace brigade::replay
