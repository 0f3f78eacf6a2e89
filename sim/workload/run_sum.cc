#include "sim/workload/run_sum.h"

#include <algorithm>
#include <utility>

#include "sim/base/check.h"

namespace brigade {
namespace {

// More rows of the same collective job.
void append_rows(JobResult& job, const JobResult& more) {
  auto* rows = std::get_if<CollectiveResult>(&job.result);
  const auto* new_rows = std::get_if<CollectiveResult>(&more.result);
  BRIGADE_CHECK(rows != nullptr && new_rows != nullptr, "job \"", job.name, "\" of kind ", job.kind,
                " came in pieces");
  rows->rows.insert(rows->rows.end(), new_rows->rows.begin(), new_rows->rows.end());
  for (const std::string& assumption : more.assumptions)
    if (std::find(job.assumptions.begin(), job.assumptions.end(), assumption) == job.assumptions.end())
      job.assumptions.push_back(assumption);
}

}  // namespace

void RunSum::add_part(uint32_t part, std::span<const uint32_t> units, std::span<const size_t> jobs,
                      const RunResult& result) {
  for (const uint32_t unit : units) use(unit * links_of_unit_, part);
  if (ends_.size() <= part) ends_.resize(part + 1);
  ends_[part] += result.end;
  for (LinkResult link : result.links) {
    if (!result.fold.used()) {
      add_link(link, part);
      continue;
    }
    const LinkId in_unit = link.link;
    for (const uint32_t unit : units) {
      link.link = unit * links_of_unit_ + in_unit;
      add_link(link, part);
    }
  }
  add_counts_and_jobs(jobs, result);
}

void RunSum::add_rest(std::span<const size_t> jobs, const RunResult& result) {
  ends_.push_back(result.end);
  for (const LinkResult& link : result.links) add_link(link, kRest);
  add_counts_and_jobs(jobs, result);
}

void RunSum::use(LinkId link, uint32_t part) {
  const bool is_of_a_unit = link < links_of_units_;
  uint32_t& user = user_[is_of_a_unit ? link - link % links_of_unit_ : link];
  met_ |= user != kNone && user != part;
  user = part;
}

void RunSum::add_link(const LinkResult& link, uint32_t part) {
  use(link.link, part);
  LinkResult& sum = links_[link.link];
  sum.link = link.link;
  sum.bytes += link.bytes;
  sum.busy += link.busy;
}

void RunSum::add_counts_and_jobs(std::span<const size_t> jobs, const RunResult& result) {
  sum_.counts.events += result.counts.events;
  sum_.counts.messages += result.counts.messages;
  sum_.counts.segments += result.counts.segments;
  sum_.counts.segments_lost += result.counts.segments_lost;
  sum_.counts.messages_resumed += result.counts.messages_resumed;
  BRIGADE_CHECK(result.jobs.size() == jobs.size(), result.jobs.size(), " results of ", jobs.size(), " jobs");
  for (size_t i = 0; i < jobs.size(); ++i) {
    std::optional<JobResult>& job = jobs_[jobs[i]];
    if (!job) {
      job = result.jobs[i];
    } else {
      append_rows(*job, result.jobs[i]);
    }
  }
}

std::optional<RunResult> RunSum::result() {
  if (met_) return std::nullopt;
  for (const Duration end : ends_) sum_.end = std::max(sum_.end, end);
  for (LinkResult& link : links_) {
    if (link.bytes.count == 0) continue;
    link.utilization =
        sum_.end.ps == 0 ? 0 : static_cast<double>(link.busy.ps) / static_cast<double>(sum_.end.ps);
    sum_.links.push_back(link);
  }
  sort_busiest_first(sum_.links);
  for (std::optional<JobResult>& job : jobs_) {
    BRIGADE_CHECK(job.has_value(), "a job has run in no piece");
    sum_.jobs.push_back(*std::move(job));
  }
  return std::move(sum_);
}

}  // namespace brigade
