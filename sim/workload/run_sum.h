// The result of a run out of those of its pieces, which had no link in common or came one after the other
// (partial_fold.h): what one run of everything would have given.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "sim/topology/topology.h"
#include "sim/workload/run.h"

namespace brigade {

class RunSum {
 public:
  // `units` that have `links_of_unit` links each, of unit 0 first; links of no unit follow.
  RunSum(size_t jobs, size_t links, uint32_t units, LinkId links_of_unit)
      : jobs_(jobs),
        links_(links),
        user_(links, kNone),
        links_of_units_(units * links_of_unit),
        links_of_unit_(links_of_unit) {}

  // A piece of `part`, which is on these units: after the pieces of this part that were added
  // before. Its jobs are `jobs`: a job that was there before gets more rows.
  void add_part(uint32_t part, std::span<const uint32_t> units, std::span<const size_t> jobs,
                const RunResult& result);
  // What ran beside all of these.
  void add_rest(std::span<const size_t> jobs, const RunResult& result);

  // Nothing if two that ran at the same time used the same unit, or the same link between units.
  std::optional<RunResult> result();

 private:
  static constexpr uint32_t kRest = kNone - 1;
  void use(LinkId link, uint32_t part);
  void add_link(const LinkResult& link, uint32_t part);
  void add_counts_and_jobs(std::span<const size_t> jobs, const RunResult& result);

  std::vector<std::optional<JobResult>> jobs_;
  std::vector<LinkResult> links_;
  std::vector<uint32_t> user_;  // by link, of a unit by its first one: the part that used it
  LinkId links_of_units_, links_of_unit_;
  std::vector<Duration> ends_;  // by part
  RunResult sum_;
  bool met_ = false;  // parts that should not
};

}  // namespace brigade
