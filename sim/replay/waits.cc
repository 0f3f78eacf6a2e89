#include "sim/replay/waits.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "sim/replay/draft.h"

namespace brigade::replay {
namespace {

class Waits {
 public:
  explicit Waits(Draft& draft) : draft_(draft), awaited_(draft.tasks.size()) {
    by_launch_.resize(draft.calls.size());
    for (uint32_t t = 0; t < draft.tasks.size(); ++t) {
      if (draft.tasks[t].launch != kNone) by_launch_[draft.tasks[t].launch].push_back(t);
    }
    on_stream_.resize(draft.streams.size());
    for (uint32_t c = 0; c < draft.calls.size(); ++c)
      for (const uint32_t t : by_launch_[c]) on_stream_[task(t).stream].push_back(t);
    for (const TraceEvent& e : draft.trace.events)
      if (e.kind == EventKind::kSync) syncs_.emplace(e.correlation, &e);
    for (uint32_t c = 0; c < draft.calls.size(); ++c) by_correlation_.emplace(correlation(c), c);
    launches_collective_ops();
  }

  void find() {
    wait_before_collectives();
    for (uint32_t c = 0; c < draft_.calls.size(); ++c) {
      if (call(c).kind == CallKind::kStreamWait) said_wait(c);
    }
    explain_delays();
    for (uint32_t c = 0; c < draft_.calls.size(); ++c) {
      if (call(c).kind == CallKind::kStreamWait) wait_of_stream(c);
    }
    if (stream_waits_ == 0) wait_at_the_end();
    for (uint32_t c = 0; c < draft_.calls.size(); ++c) block_host(c);
    report();
  }

 private:
  Task& task(uint32_t t) { return draft_.tasks[t]; }
  const Task& task(uint32_t t) const { return draft_.tasks[t]; }
  const Call& call(uint32_t c) const { return draft_.calls[c]; }
  int64_t correlation(uint32_t c) const { return draft_.trace.events[call(c).event].correlation; }
  bool is_collective(uint32_t t) const { return task(t).collective != kNone; }

  // Operations that launch a collective: what they wait for is their own affair.
  void launches_collective_ops() {
    for (uint32_t t = 0; t < draft_.tasks.size(); ++t)
      if (is_collective(t) && task(t).launch != kNone && call(task(t).launch).context.op != kNone)
        ops_.push_back(call(task(t).launch).context.op);
    std::sort(ops_.begin(), ops_.end());
  }
  bool within_collective(uint32_t c) const {
    return call(c).context.op != kNone && std::binary_search(ops_.begin(), ops_.end(), call(c).context.op);
  }

  // The last task that was launched on the stream before a call; kNone if there is none.
  uint32_t last_on(uint32_t stream, uint32_t before_call) const {
    const std::vector<uint32_t>& tasks = on_stream_[stream];
    const auto it = std::partition_point(tasks.begin(), tasks.end(),
                                         [&](uint32_t t) { return task(t).launch < before_call; });
    return it == tasks.begin() ? kNone : *(it - 1);
  }
  uint32_t first_on(uint32_t stream, uint32_t after_call) const {
    const std::vector<uint32_t>& tasks = on_stream_[stream];
    const auto it = std::partition_point(tasks.begin(), tasks.end(),
                                         [&](uint32_t t) { return task(t).launch <= after_call; });
    return it == tasks.end() ? kNone : *it;
  }

  // The stream that a thread launches its own work on: of the next launch of it, else of the last.
  std::optional<uint32_t> stream_of_thread(uint32_t c, bool next) const {
    const auto own = [&](uint32_t other) -> std::optional<uint32_t> {
      if (call(other).thread != call(c).thread) return std::nullopt;
      for (const uint32_t t : by_launch_[other])
        if (!is_collective(t)) return task(t).stream;
      return std::nullopt;
    };
    // Far away is another matter.
    constexpr uint32_t kCallsMax = 20'000;
    const uint32_t low = c > kCallsMax ? c - kCallsMax : 0;
    const uint32_t high = static_cast<uint32_t>(std::min<size_t>(draft_.calls.size(), size_t{c} + kCallsMax));
    if (next)
      for (uint32_t other = c + 1; other < high; ++other)
        if (const auto stream = own(other)) return stream;
    for (uint32_t other = c; other-- > low;)
      if (const auto stream = own(other)) return stream;
    return std::nullopt;
  }

  // Unless the trace contradicts it, or the two are on one stream.
  bool wait(uint32_t waiter, uint32_t awaited) {
    if (waiter == kNone || awaited == kNone || waiter == awaited) return false;
    Task& w = task(waiter);
    const Task& a = task(awaited);
    if (w.stream == a.stream || a.end_ns > w.begin_ns + kRounding_ns || awaited > waiter) return false;
    awaited_[awaited] = true;
    if (std::find(w.waits.begin(), w.waits.end(), awaited) == w.waits.end()) w.waits.push_back(awaited);
    return true;
  }

  void wait_before_collectives() {
    for (uint32_t t = 0; t < draft_.tasks.size(); ++t) {
      if (!is_collective(t) || task(t).launch == kNone) continue;
      const uint32_t launch = task(t).launch;
      if (const auto stream = stream_of_thread(launch, false)) wait(t, last_on(*stream, launch));
    }
  }

  std::optional<uint32_t> stream_index(int64_t stream) const {
    const auto it = std::lower_bound(draft_.streams.begin(), draft_.streams.end(), stream);
    if (it == draft_.streams.end() || *it != stream) return std::nullopt;
    return static_cast<uint32_t>(it - draft_.streams.begin());
  }

  // What a cuda_sync event says of the call: the tasks it waits for, on the stream that it names.
  const TraceEvent* said_of(uint32_t c) const {
    const auto it = correlation(c) < 0 ? syncs_.end() : syncs_.find(correlation(c));
    return it == syncs_.end() ? nullptr : it->second;
  }
  uint32_t said_task(const TraceEvent& sync, uint32_t c) const {
    const TraceDetail& d = draft_.trace.details[static_cast<size_t>(sync.detail)];
    const auto stream = stream_index(d.wait_on_stream);
    if (!stream) return kNone;
    const auto record = d.wait_on_record < 0 ? by_correlation_.end() : by_correlation_.find(d.wait_on_record);
    return last_on(*stream, record == by_correlation_.end() ? c : record->second);
  }
  void said_wait(uint32_t c) {
    ++stream_waits_;
    const TraceEvent* said = said_of(c);
    if (said == nullptr) return;
    ++said_;
    const auto stream = stream_index(said->stream);
    if (stream) wait(first_on(*stream, c), said_task(*said, c));
  }

  void wait_of_stream(uint32_t c) {
    if (said_of(c) != nullptr || within_collective(c)) return;
    const auto stream = stream_of_thread(c, true);
    const uint32_t waiter = stream ? first_on(*stream, c) : kNone;
    if (waiter == kNone) return;
    // The delay before it may have told already.
    for (const uint32_t t : task(waiter).waits)
      if (is_collective(t) && explained_.count(t) > 0) {
        explained_.erase(t);
        return;
      }
    for (const bool strict : {true, false})
      for (uint32_t t = first_unawaited(); t < draft_.tasks.size(); ++t) {
        if (!is_collective(t) || awaited_[t] || task(t).launch == kNone) continue;
        if (task(t).launch >= c) break;
        const Call& launch = call(task(t).launch);
        if (launch.thread != call(c).thread) continue;
        if (strict && launch.context.in_reducer == call(c).context.is_noted) continue;
        assumed_ += wait(waiter, t);
        return;
      }
  }
  uint32_t first_unawaited() {
    while (unawaited_ < draft_.tasks.size() && (!is_collective(unawaited_) || awaited_[unawaited_]))
      ++unawaited_;
    return unawaited_;
  }

  void explain_delays() {
    // Tasks in the order in which they end: what ended last before an instant.
    std::vector<uint32_t> by_end(draft_.tasks.size());
    for (uint32_t t = 0; t < by_end.size(); ++t) by_end[t] = t;
    std::sort(by_end.begin(), by_end.end(), [&](uint32_t a, uint32_t b) {
      return task(a).end_ns != task(b).end_ns ? task(a).end_ns < task(b).end_ns : a < b;
    });
    for (uint32_t t = 0; t < draft_.tasks.size(); ++t) {
      const Task& w = task(t);
      if (w.launch == kNone) continue;
      int64_t explained_ns = call(w.launch).begin_ns;
      if (w.before != kNone) explained_ns = std::max(explained_ns, task(w.before).end_ns);
      for (const uint32_t a : w.waits) explained_ns = std::max(explained_ns, task(a).end_ns);
      if (w.begin_ns - explained_ns <= kDelay_ns) continue;
      auto it = std::upper_bound(by_end.begin(), by_end.end(), w.begin_ns,
                                 [&](int64_t at, uint32_t a) { return at < task(a).end_ns; });
      while (it != by_end.begin() && w.begin_ns - task(*(it - 1)).end_ns <= kDelay_ns) {
        const uint32_t a = *--it;
        if (task(a).launch == kNone || task(a).launch >= w.launch || !wait(t, a)) continue;
        ++delays_;
        if (is_collective(a)) explained_.insert(a);
        break;
      }
    }
  }

  // By step: the first task of the optimizer, else the first that was launched after the step's last
  // collective and begins after all of them have ended.
  void wait_at_the_end() {
    std::vector<uint32_t> waiters(draft_.steps.size(), kNone), last_launch(draft_.steps.size());
    std::vector<int64_t> all_ended_ns(draft_.steps.size(), INT64_MIN);
    for (uint32_t t = 0; t < draft_.tasks.size(); ++t) {
      if (!is_collective(t) || task(t).launch == kNone) continue;
      uint32_t& last = last_launch[task(t).step];
      last = std::max(last, task(t).launch);
      all_ended_ns[task(t).step] = std::max(all_ended_ns[task(t).step], task(t).end_ns);
    }
    for (const bool in_optimizer : {true, false})
      for (uint32_t c = 0; c < draft_.calls.size(); ++c)
        for (const uint32_t t : by_launch_[c]) {
          const uint32_t step = task(t).step;
          if (is_collective(t) || waiters[step] != kNone) continue;
          const bool after_all = c > last_launch[step] && task(t).begin_ns >= all_ended_ns[step];
          if (in_optimizer ? call(c).context.in_optimizer : after_all) waiters[step] = t;
        }
    for (uint32_t t = 0; t < draft_.tasks.size(); ++t)
      if (is_collective(t) && !awaited_[t]) last_of_step_ += wait(waiters[task(t).step], t);
  }

  // Tasks that a call of the host may have waited for, if it ended after them.
  void block_host(uint32_t c) {
    const Call& x = call(c);
    std::vector<uint32_t> tasks;
    if (x.kind == CallKind::kDeviceSync) {
      for (uint32_t s = 0; s < on_stream_.size(); ++s) tasks.push_back(last_on(s, c));
    } else if (x.kind == CallKind::kStreamSync || x.kind == CallKind::kEventSync) {
      if (const TraceEvent* said = said_of(c); said != nullptr) {
        const auto stream = stream_index(said->stream);
        tasks.push_back(x.kind == CallKind::kEventSync || !stream ? said_task(*said, c)
                                                                  : last_on(*stream, c));
      } else if (x.kind == CallKind::kEventSync) {
        tasks.push_back(ended_within(x));
      } else if (const auto stream = stream_of_thread(c, false)) {
        tasks.push_back(last_on(*stream, c));
      }
    } else if (x.kind == CallKind::kLaunch && x.end_ns - x.begin_ns > kDelay_ns) {
      // A copy of pageable memory, or one that is not asynchronous.
      const bool waits_for_copies = !absl::StrContains(draft_.name_of(x.event), "Async");
      for (const uint32_t t : by_launch_[c]) {
        const std::string& name = draft_.name_of(task(t).event);
        if (absl::StrContains(name, "Pageable") || (waits_for_copies && absl::StrContains(name, "emcpy")))
          tasks.push_back(t);
      }
      draft_.calls[c].blocking_copy = !tasks.empty();
    }
    const auto contradicted = [&](uint32_t t) {
      return t == kNone || task(t).end_ns > x.end_ns + kRounding_ns || x.end_ns <= x.begin_ns;
    };
    tasks.erase(std::remove_if(tasks.begin(), tasks.end(), contradicted), tasks.end());
    draft_.calls[c].blocking_copy &= !tasks.empty();
    if (!tasks.empty()) draft_.host_waits.push_back({c, std::move(tasks)});
  }
  // The task that ended last while the call waited, if it waited at all.
  uint32_t ended_within(const Call& x) const {
    uint32_t last = kNone;
    if (x.end_ns - x.begin_ns <= kDelay_ns) return last;
    for (uint32_t s = 0; s < on_stream_.size(); ++s)
      for (auto it = on_stream_[s].rbegin(); it != on_stream_[s].rend(); ++it) {
        if (task(*it).end_ns > x.end_ns) continue;
        if (task(*it).end_ns > x.begin_ns && (last == kNone || task(*it).end_ns > task(last).end_ns))
          last = *it;
        break;
      }
    return last;
  }

  void report() {
    int64_t never = 0;
    for (uint32_t t = 0; t < draft_.tasks.size(); ++t) never += is_collective(t) && !awaited_[t];
    auto& assumed = draft_.assumed;
    if (said_ > 0) draft_.found.push_back("cuda_sync events for " + counted(said_, "wait"));
    assumed.push_back("collectives wait for what their thread launched before on its own stream");
    if (assumed_ > 0)
      assumed.push_back(counted(assumed_, "wait") +
                        " for an unnamed event: for the oldest collective that nothing waits for");
    if (delays_ > 0)
      assumed.push_back(counted(delays_, "task") +
                        " over 20 us late for no other reason: after what had just ended elsewhere");
    if (last_of_step_ > 0)
      assumed.push_back("no waits are traced: what follows the step's last collective waits for " +
                        counted(last_of_step_, "collective"));
    if (never > 0)
      assumed.push_back(counted(never, "collective") + " waited for by no task, only by the end of the step");
  }

  Draft& draft_;
  std::vector<bool> awaited_;
  std::vector<std::vector<uint32_t>> by_launch_, on_stream_;  // tasks by call; by stream, in launch order
  absl::flat_hash_map<int64_t, const TraceEvent*> syncs_;
  absl::flat_hash_map<int64_t, uint32_t> by_correlation_;
  std::vector<uint32_t> ops_;
  std::set<uint32_t> explained_;  // collectives whose waiter was found by its delay
  uint32_t unawaited_ = 0;
  int64_t stream_waits_ = 0, said_ = 0, assumed_ = 0, delays_ = 0, last_of_step_ = 0;
};

}  // namespace

void find_waits(Draft& draft) { Waits(draft).find(); }

}  // namespace brigade::replay
