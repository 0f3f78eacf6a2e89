#include "sim/trace/event_checker.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/trace/counters.h"

namespace brigade {
namespace {

// Decimals of the shortest text of a double: what was written with 3 and fits its 53 bits has 3.
ptrdiff_t decimals(double value) {
  char digits[512];
  const char* const end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed).ptr;
  const char* const point = std::find(static_cast<const char*>(digits), end, '.');
  return point == end ? 0 : end - point - 1;
}

}  // namespace

void EventChecker::violation(const std::string& what) {
  check_.violations.push_back(absl::StrCat(where_, ": ", what));
}

// A pid or tid: an integer from 1 on.
std::optional<int64_t> EventChecker::identifier(const Json& e, const char* key) {
  const auto found = e.find(key);
  if (found == e.end()) {
    violation(absl::StrCat("no ", key));
  } else if (!found->is_number_integer() || found->get<int64_t>() < 1) {
    violation(absl::StrCat(key, " ", found->dump(), " is not an integer from 1 on"));
  } else {
    return found->get<int64_t>();
  }
  return {};
}

std::optional<int64_t> EventChecker::time_ns(const Json& e, const char* key) {
  const auto found = e.find(key);
  if (found == e.end()) {
    violation(absl::StrCat("no ", key));
    return {};
  }
  const double us = found->is_number() ? found->get<double>() : -1;
  if (!std::isfinite(us) || us < 0) {
    violation(absl::StrCat(key, " ", found->dump(), " is not a number from 0 on"));
    return {};
  }
  if (decimals(us) > 3) violation(absl::StrCat(key, " ", found->dump(), " has more than 3 decimals"));
  return std::llround(us * 1000);
}

std::string EventChecker::text(const Json& e, const char* key) {
  const auto found = e.find(key);
  if (found != e.end() && found->is_string() && !found->get_ref<const std::string&>().empty()) return *found;
  violation(absl::StrCat(key, " is missing, empty or no string"));
  return {};
}

void EventChecker::event(const Json& e) {
  where_ = absl::StrCat("event ", index_++);
  if (!e.is_object()) return violation("not an object");
  const std::string phase = text(e, "ph");
  const auto pid = identifier(e, "pid");
  if (phase.empty() || !pid) return;
  if (phase == "M") return metadata(e, *pid);
  processes_[*pid].used = true;
  if (phase == "X") return slice(e, *pid);
  if (phase == "s" || phase == "f") return flow(e, *pid, phase == "s");
  if (phase == "C") return counter(e, *pid);
  violation(absl::StrCat("phase ", phase, " is none of M, X, s, f, C"));
}

void EventChecker::name(const Json& e, std::optional<std::string>& named) {
  const auto args = e.find("args");
  if (args == e.end() || !args->is_object()) return violation("no args");
  if (named) violation("named twice");
  named = text(*args, "name");
}

void EventChecker::metadata(const Json& e, int64_t pid) {
  const std::string kind = text(e, "name");
  if (kind == "process_name") return name(e, processes_[pid].name);
  if (kind == "process_sort_index" || kind == "thread_sort_index") {
    const auto index = e.contains("args") ? e["args"].value("sort_index", Json()) : Json();
    if (!index.is_number_integer() || index.get<int64_t>() < INT32_MIN || index.get<int64_t>() > INT32_MAX) {
      violation("sort_index is not a 32-bit integer");
    }
    return;
  }
  if (kind != "thread_name") return violation(absl::StrCat("metadata ", kind, " is not known to viewers"));
  if (const auto tid = identifier(e, "tid")) name(e, processes_[pid].threads[*tid].name);
}

void EventChecker::args(const Json& e) {
  const auto args = e.find("args");
  if (args == e.end()) return;
  if (!args->is_object()) return violation("args is not an object");
  for (const auto& [key, value] : args->items()) {
    if (!value.is_number() && !value.is_string()) {
      violation(absl::StrCat("args.", key, " is neither number nor text"));
    }
  }
}

void EventChecker::slice(const Json& e, int64_t pid) {
  const auto tid = identifier(e, "tid");
  const auto begin = time_ns(e, "ts");
  const auto dur = time_ns(e, "dur");
  const std::string name = text(e, "name");
  text(e, "cat");
  args(e);
  if (!tid) return;
  Thread& thread = processes_[pid].threads[*tid];
  thread.used = true;
  if (!begin || !dur) return;
  const int64_t end = *begin + *dur;
  if (*begin < thread.last_begin_ns) violation(absl::StrCat(name, " begins before the slice ahead of it"));
  thread.last_begin_ns = *begin;
  // Nesting as viewers see it, who add ts and dur as doubles.
  const double begin_us = e["ts"].get<double>(), seen_end_us = begin_us + e["dur"].get<double>();
  while (!thread.open.empty() && thread.open.back().seen_end_us <= begin_us) thread.open.pop_back();
  if (thread.open.empty()) {
    thread.outermost.push_back({*begin, end, seen_end_us});
  } else if (seen_end_us > thread.open.back().seen_end_us) {
    violation(absl::StrCat(name, " overlaps the slice around it without nesting"));
  }
  thread.open.push_back({*begin, end, seen_end_us});
  const auto& process = processes_[pid];
  ++check_.counts.slices_by_track[absl::StrCat(process.name.value_or(absl::StrCat("pid ", pid)), " / ",
                                               thread.name.value_or(absl::StrCat("tid ", *tid)))];
}

void EventChecker::flow(const Json& e, int64_t pid, bool starts) {
  const auto tid = identifier(e, "tid");
  const auto at = time_ns(e, "ts");
  const std::string identity = absl::StrCat(text(e, "name"), "\n", text(e, "cat"));
  if (!starts && e.value("bp", Json()) != "e") violation("f without bp e binds to the next slice");
  const auto id = e.find("id");
  if (id == e.end() || !id->is_number_integer()) return violation("flow id is missing or no integer");
  if (!tid || !at) return;
  Flow& flow = flows_[id->get<int64_t>()];
  if (flow.identity.empty()) flow.identity = identity;
  if (flow.identity != identity)
    violation(absl::StrCat("flow id ", id->dump(), " has two names or categories"));
  if (!starts && flow.starts.empty())
    violation(absl::StrCat("f of flow ", id->dump(), " stands before its s"));
  if (!starts && !flow.starts.empty() && *at < flow.starts.back().at_ns) {
    violation(absl::StrCat("flow ", id->dump(), " points back in time"));
  }
  (starts ? flow.starts : flow.finishes).push_back({pid, *tid, *at, where_});
}

void EventChecker::counter(const Json& e, int64_t pid) {
  const auto at = time_ns(e, "ts");
  const std::string name = text(e, "name");
  const auto args = e.find("args");
  if (args == e.end() || !args->is_object() || args->empty()) return violation("counter without values");
  for (const auto& [key, value] : args->items()) {
    if (!is_counter_unit(key)) violation(absl::StrCat("counter key ", key, " is not a unit"));
    if (!value.is_number() || value.get<double>() < 0) {
      violation(absl::StrCat("counter value ", value.dump(), " is not a number from 0 on"));
    }
    if (!at) continue;
    const auto [last, is_new] = counter_at_ns_.emplace(absl::StrCat(pid, "\n", name, "\n", key), *at);
    if (!is_new && *at < last->second) violation(absl::StrCat("counter ", name, " goes back in time"));
    last->second = *at;
    ++check_.counts.counter_values;
  }
}

bool EventChecker::inside_slice(const FlowEnd& end) {
  const auto process = processes_.find(end.pid);
  if (process == processes_.end()) return false;
  const auto thread = process->second.threads.find(end.tid);
  if (thread == process->second.threads.end()) return false;
  const auto& slices = thread->second.outermost;
  auto after = std::partition_point(slices.begin(), slices.end(),
                                    [&](const Interval& slice) { return slice.begin_ns <= end.at_ns; });
  return after != slices.begin() && end.at_ns <= (--after)->end_ns;
}

void EventChecker::finish_flow(int64_t id, const Flow& flow) {
  if (flow.starts.size() != 1 || flow.finishes.size() != 1) {
    file_violation(
        absl::StrCat("flow ", id, " has ", flow.starts.size(), " s and ", flow.finishes.size(), " f"));
  } else {
    ++check_.counts.flows;
  }
  for (const auto* ends : {&flow.starts, &flow.finishes}) {
    for (const FlowEnd& end : *ends) {
      if (!inside_slice(end)) {
        file_violation(absl::StrCat(end.where, ": end of flow ", id, " lies in no slice"));
      }
    }
  }
}

TraceCheck EventChecker::finish() {
  for (const auto& [pid, process] : processes_) {
    if (!process.name) file_violation(absl::StrCat("pid ", pid, " has no process_name"));
    if (!process.used) file_violation(absl::StrCat("pid ", pid, " is named but holds nothing"));
    for (const auto& [tid, thread] : process.threads) {
      const std::string id = absl::StrCat("pid ", pid, " tid ", tid);
      if (!thread.name) file_violation(absl::StrCat(id, " has no thread_name"));
      if (!thread.used) file_violation(absl::StrCat(id, " is named but holds nothing"));
    }
  }
  for (const auto& [id, flow] : flows_) finish_flow(id, flow);
  return std::move(check_);
}

}  // namespace brigade
