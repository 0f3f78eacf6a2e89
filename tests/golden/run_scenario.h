// Runs a shipped scenario as the command would, without its timeline.
#pragma once
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sim/report/session.h"
#include "tests/catch.h"
#include "tests/source_dir.h"

namespace brigade {

inline RunResult run_scenario(const std::string& name, std::vector<std::string> overrides = {}) {
  Diagnostics errors;
  const auto session = Session::open({.file = absl::StrCat(source_dir(), "/scenarios/", name, ".yaml"),
                                      .overrides = std::move(overrides),
                                      .trace = {.off = true}},
                                     errors);
  INFO(errors.text());
  REQUIRE(session != nullptr);
  RunResult result = session->run();
  INFO(result.failure);
  REQUIRE(result.failure.empty());
  return result;
}

inline const JobResult& job_of(const RunResult& result, const std::string& name) {
  for (const JobResult& job : result.jobs) {
    if (job.name == name) return job;
  }
  FAIL("no job " << name);
  return result.jobs.front();
}

inline const CollectiveRow& row_of(const RunResult& result, const std::string& job,
                                   const std::string& algorithm, int64_t bytes) {
  for (const CollectiveRow& row : std::get<CollectiveResult>(job_of(result, job).result).rows) {
    if (row.algorithm == algorithm && row.bytes.count == bytes) return row;
  }
  FAIL("job " << job << " has no row of " << algorithm << " with " << bytes << " B");
  return std::get<CollectiveResult>(job_of(result, job).result).rows.front();
}

inline const DdpResult& ddp_of(const RunResult& result, const std::string& job) {
  return std::get<DdpResult>(job_of(result, job).result);
}

inline const ParameterServerResult& server_of(const RunResult& result, const std::string& job) {
  return std::get<ParameterServerResult>(job_of(result, job).result);
}

}  // namespace brigade
