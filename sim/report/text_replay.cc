#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"
#include "sim/report/table.h"
#include "sim/report/text_jobs.h"

namespace brigade {
namespace {

// Longer lists lose their middle or end.
constexpr size_t kStepsMax = 12, kCallsMax = 24, kRanksMax = 16;

std::string time(double us) { return to_string(picoseconds(static_cast<int64_t>(us * 1e6 + 0.5))); }
std::string time(const std::optional<Duration>& d) { return d ? to_string(*d) : "never ends"; }

// How long collectives take, and what that stands for; empty where they are simulated.
std::pair<const char*, const char*> how(CollectiveDurations durations) {
  switch (durations) {
    case CollectiveDurations::kSimulated:
      return {"", ""};
    case CollectiveDurations::kTraced:
      return {"as traced", "with the waiting for late ranks that was in it"};
    case CollectiveDurations::kNone:
      return {"no time", "once all ranks are there: infinite bandwidth, no latency"};
    case CollectiveDurations::kNever:
      return {"never end", "no bandwidth"};
  }
  return {"", ""};
}

std::string against(const std::optional<Duration>& time, Duration traced) {
  if (!time || traced.ps == 0) return "";
  const double change = static_cast<double>(time->ps) / static_cast<double>(traced.ps) - 1;
  return absl::StrCat(change < 0 ? "" : "+", decimals(change * 100, 2), " %");
}

Table summary(const ReplayResult& r) {
  Table table;
  table.column(Align::kLeft, "");
  table.column(Align::kRight, "");
  table.column(Align::kLeft, "");
  const bool ends = r.step_time.samples > 0;
  const double step_us = r.step_time.mean_us;
  const auto of_step = [&](double us) { return step_us > 0 ? percent(us / step_us) + " of the step" : ""; };
  table.row({"step time", ends ? time(step_us) : "never ends",
             absl::StrCat("traced ", time(r.traced_step_time.mean_us),
                          r.steps.size() > 1 ? absl::StrCat("; means of ", r.steps.size(), " steps") : "")});
  if (ends) {
    table.row(
        {"compute", time(r.compute.mean_us), of_step(r.compute.mean_us) + ": kernels and copies of the GPU"});
    table.row({"communication", time(r.communication.mean_us), of_step(r.communication.mean_us)});
    table.row({"  exposed", time(r.exposed.mean_us), of_step(r.exposed.mean_us)});
  }
  if (const auto [time_taken, meaning] = how(r.durations); *time_taken != 0)
    table.row({"collectives", time_taken, meaning});
  table.row({"all steps", time(r.total), absl::StrCat("traced ", to_string(r.total_traced))});
  if (r.total_free) table.row({"  at least", to_string(*r.total_free), "were communication free"});
  if (r.total_exposed) table.row({"  at most", to_string(*r.total_exposed), "were none of it hidden"});
  return table;
}

std::string step_table(const ReplayResult& r) {
  Table table;
  table.column(Align::kLeft, "step");
  table.column(Align::kRight, "replayed");
  table.column(Align::kRight, "traced");
  table.column(Align::kRight, "change");
  table.column(Align::kRight, "comm free");
  table.column(Align::kRight, "compute");
  table.column(Align::kRight, "comm");
  table.column(Align::kRight, "exposed");
  for (size_t i = 0; i < std::min(r.steps.size(), kStepsMax); ++i) {
    const ReplayResult::Step& s = r.steps[i];
    const auto busy = [&](Duration d) { return s.time ? to_string(d) : ""; };
    table.row({s.name, time(s.time), to_string(s.traced), against(s.time, s.traced), time(s.free),
               busy(s.compute), busy(s.communication), busy(s.exposed)});
  }
  if (r.steps.size() > kStepsMax)
    table.line(absl::StrCat("... ", r.steps.size() - kStepsMax, " more, all of them with --json"));
  return "\n" + table.text();
}

std::string call_table(const ReplayResult& r) {
  Table table;
  table.column(Align::kLeft, "collective", "traced as");
  table.column(Align::kRight, "count");
  table.column(Align::kRight, "elements");
  table.column(Align::kLeft, "dtype");
  table.column(Align::kRight, "size");
  table.column(Align::kRight, "ranks", "(traced)");
  table.column(Align::kRight, "replayed", "mean");
  table.column(Align::kRight, "traced", "mean");
  for (size_t i = 0; i < std::min(r.calls.size(), kCallsMax); ++i) {
    const ReplayResult::Call& c = r.calls[i];
    table.row({c.traced_as, absl::StrCat(c.count), grouped(static_cast<double>(c.elements)), c.dtype,
               to_string(c.bytes), absl::StrCat(c.ranks, " (", c.traced_ranks, ")"), time(c.time),
               to_string(c.traced)});
  }
  if (r.calls.size() > kCallsMax)
    table.line(absl::StrCat("... ", r.calls.size() - kCallsMax, " more, all of them with --json"));
  return "\n" + table.text();
}

std::string rank_table(const ReplayResult& r) {
  if (r.ranks.empty()) return "";
  Table table;
  table.column(Align::kRight, "rank");
  table.column(Align::kRight, "replayed", "all steps");
  table.column(Align::kRight, "traced");
  table.column(Align::kRight, "change");
  for (size_t i = 0; i < std::min(r.ranks.size(), kRanksMax); ++i)
    table.row({absl::StrCat(i), time(r.ranks[i].time), to_string(r.ranks[i].traced),
               against(r.ranks[i].time, r.ranks[i].traced)});
  if (r.ranks.size() > kRanksMax)
    table.line(absl::StrCat("... ", r.ranks.size() - kRanksMax, " more, all of them with --json"));
  return "\n" + table.text();
}

std::string list_of(const char* title, const std::vector<std::string>& items) {
  return items.empty() ? "" : "\n" + wrapped(absl::StrCat(title, ":"), items);
}

}  // namespace

std::string text_of(const JobResult& job, const ReplayResult& r, const JobSpec&, bool colour) {
  const std::string title =
      absl::StrCat(job.name, ": ", plural(static_cast<int64_t>(r.steps.size()), "step"), " traced on ",
                   plural(r.traced_ranks, "rank"), r.traced_device.empty() ? "" : " of " + r.traced_device,
                   ", replayed on ", plural(job.ranks, "rank"));
  std::string out = absl::StrCat(heading(title, colour), "\n", summary(r).text());
  if (!r.blocked.empty())
    absl::StrAppend(&out, "  ", r.blocked, "\n  what does not wait for it ends at ",
                    to_string(r.unblocked_until), "\n");
  absl::StrAppend(&out, step_table(r), call_table(r), rank_table(r), list_of("found", r.found),
                  r.ignored.empty() ? "" : wrapped("ignored:", r.ignored));
  return out;
}

}  // namespace brigade
