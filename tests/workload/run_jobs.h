// Runs jobs on a cluster as a scenario would, and fails the test on any diagnostic.
#pragma once
#include <string>

#include "sim/workload/run.h"
#include "tests/catch.h"

namespace brigade {

inline RunResult run_jobs(const Topology& topology, std::vector<JobSpec> jobs, NetworkSpec network = {},
                          std::vector<RankChange> changes = {}, const RunOptions& options = {},
                          std::vector<LinkChange> link_changes = {}) {
  Diagnostics errors;
  const auto run = Run::prepare({.topology = topology,
                                 .network = network,
                                 .seed = 1,
                                 .jobs = std::move(jobs),
                                 .changes = std::move(changes),
                                 .link_changes = std::move(link_changes)},
                                errors);
  INFO(errors.text());
  REQUIRE(run != nullptr);
  RunResult result = run->go(options);
  INFO(result.failure);
  REQUIRE(result.failure.empty());
  return result;
}

}  // namespace brigade
