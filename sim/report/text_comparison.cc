#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"
#include "sim/report/table.h"
#include "sim/report/text_jobs.h"

namespace brigade {
namespace {

constexpr ptrdiff_t kInFullMax = 4;  // more of them are only compared

std::string time(double us) { return to_string(picoseconds(static_cast<int64_t>(us * 1e6 + 0.5))); }

bool is_ddp(const JobResult& job) { return std::holds_alternative<DdpResult>(job.result); }
bool is_sharded(const JobResult& job) { return std::holds_alternative<ShardedResult>(job.result); }
bool is_server(const JobResult& job) { return std::holds_alternative<ParameterServerResult>(job.result); }

}  // namespace

bool is_only_compared(const JobResult& job, const std::vector<JobResult>& jobs) {
  return is_ddp(job) && std::count_if(jobs.begin(), jobs.end(), is_ddp) > kInFullMax;
}

std::string comparison_of(const std::vector<JobResult>& jobs, bool colour) {
  Table table;
  table.column(Align::kLeft, "job");
  table.column(Align::kRight, "ranks");
  table.column(Align::kRight, "step");
  const bool of_several_steps = std::any_of(jobs.begin(), jobs.end(), [](const JobResult& job) {
    return is_ddp(job) && std::get<DdpResult>(job.result).step_time.samples > 1;
  });
  if (of_several_steps) table.column(Align::kRight, "p99 step");
  table.column(Align::kRight, "compute");
  table.column(Align::kRight, "comm");
  table.column(Align::kRight, "exposed");
  table.column(Align::kRight, "efficiency");
  table.column(Align::kRight, "global batch");
  int rows = 0;
  bool large = false;
  const auto add = [&](const JobResult& job, const auto& r, const std::string& batch) {
    ++rows;
    std::vector<std::string> row{job.name, absl::StrCat(job.ranks), time(r.step_time.mean_us)};
    if (of_several_steps) row.push_back(time(r.step_time.p99_us));
    for (const Statistic& s : {r.compute, r.communication, r.exposed}) row.push_back(time(s.mean_us));
    row.push_back(percent(r.efficiency));
    row.push_back(batch);
    table.row(row);
  };
  const auto batch_of = [](const std::optional<int64_t>& tokens, int64_t samples, bool very_large) {
    return absl::StrCat(grouped(static_cast<double>(tokens.value_or(samples))),
                        tokens ? " tokens" : " samples", very_large ? " (!)" : "");
  };
  for (const JobResult& job : jobs) {
    if (is_ddp(job) || is_sharded(job)) {
      const auto& r =
          is_ddp(job) ? std::get<DdpResult>(job.result) : std::get<ShardedResult>(job.result).step;
      large |= r.very_large_batch;
      add(job, r, batch_of(r.global_batch_tokens, r.global_batch_samples, r.very_large_batch));
    } else if (is_server(job)) {
      const auto& r = std::get<ParameterServerResult>(job.result);
      large |= r.very_large_batch;
      add(job, r, batch_of(r.batch_tokens, r.batch_samples, r.very_large_batch));
    }
  }
  if (rows < 2) return "";
  std::string out = absl::StrCat(heading("training jobs compared", colour), "\n", table.text());
  if (large) out += "  (!) a very large batch: how it changes what is learnt (statistics) is not simulated\n";
  if (std::count_if(jobs.begin(), jobs.end(), is_ddp) > kInFullMax)
    out += "  the buckets of each ddp job with --json\n";
  return out;
}

}  // namespace brigade
