// What is said of jobs that share a fabric: background traffic, and how much jobs slow each other.
#include "absl/strings/str_cat.h"
#include "sim/base/units.h"
#include "sim/report/table.h"
#include "sim/report/text_jobs.h"

namespace brigade {
namespace {

std::string time(double us) { return to_string(picoseconds(static_cast<int64_t>(us * 1e6 + 0.5))); }

const char* name_of(TrafficPattern pattern) {
  switch (pattern) {
    case TrafficPattern::kPermutation:
      return "to one other each";
    case TrafficPattern::kAllToAll:
      return "to all others in turn";
    case TrafficPattern::kIncast:
      return "all to rank 0";
    case TrafficPattern::kPairs:
      return "in pairs";
  }
  return "";
}

}  // namespace

std::string text_of(const JobResult& job, const BackgroundResult& result, const JobSpec& spec, bool colour) {
  const auto& asked = std::get<BackgroundJobSpec>(spec.kind);
  const std::string title =
      absl::StrCat(job.name, ": background traffic of ", plural(result.senders, "sender"), ", ",
                   name_of(asked.pattern), ", ", to_string(asked.message), " a message");
  Table table;
  table.column(Align::kLeft, "");
  table.column(Align::kRight, "");
  table.column(Align::kLeft, "");
  table.row({"offered", absl::StrCat(decimals(result.offered_gb_per_s, 2), " GB/s"),
             absl::StrCat("for ", to_string(result.window))});
  table.row(
      {"sent", absl::StrCat(decimals(result.sent_gb_per_s, 2), " GB/s"),
       absl::StrCat(plural(result.messages, "message"),
                    result.held_back > 0 ? absl::StrCat(", ", result.held_back, " of them late") : "")});
  if (result.messages > 0)
    table.row({"a message took", time(result.latency.mean_us),
               absl::StrCat("p50 ", time(result.latency.p50_us), ", p99 ", time(result.latency.p99_us))});
  return absl::StrCat(heading(title, colour), "\n", table.text());
}

std::string slowdown_of(const std::vector<JobResult>& jobs, bool colour) {
  Table table;
  table.column(Align::kLeft, "job");
  table.column(Align::kRight, "ranks");
  table.column(Align::kRight, "alone");
  table.column(Align::kRight, "together");
  table.column(Align::kRight, "slowdown");
  bool any = false;
  for (const JobResult& job : jobs) {
    if (!job.alone) continue;
    any = true;
    table.row({job.name, absl::StrCat(job.ranks), time(job.alone->alone_us), time(job.alone->time_us),
               absl::StrCat(decimals(job.alone->slowdown(), 3), "x")});
  }
  if (!any) return "";
  return absl::StrCat(
      heading("each job alone and beside the others: its mean step, or all its collectives", colour), "\n",
      table.text());
}

}  // namespace brigade
