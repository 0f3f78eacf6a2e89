// Random clusters and jobs hold every invariant: counters, the paranoid checks, data against the direct sum,
// the same events twice and in shuffled creation. Each case runs in a process of its own, so that a broken
// invariant, which ends the process, can be made smaller; a failure prints its seed and the smallest scenario
// found.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "sim/scenario/scenario.h"
#include "sim/topology/topology.h"
#include "sim/workload/run.h"
#include "tests/catch.h"
#include "tests/property/options.h"
#include "tests/property/random_scenario.h"
#include "tests/scenario/scratch.h"

namespace brigade::property {
namespace {

// What is wrong; empty: nothing.
std::string complaint(const std::string& yaml) {
  const Scratch scratch;
  Diagnostics errors;
  auto scenario = load_scenario(scratch.write("case.yaml", yaml), {}, errors);
  if (!scenario) return errors.text();
  for (size_t i = 0; i < scenario->jobs.size(); ++i)
    if (!load_trace(*scenario, i, errors)) return errors.text();
  const auto topology = build_topology(scenario->cluster, scenario->link_changes, errors);
  if (!topology) return errors.text();
  std::vector<LinkChange> timed;
  for (const LinkChange& c : scenario->link_changes)
    if (c.timed()) timed.push_back(c);
  uint64_t hash[3];
  Duration end[3];
  for (int i = 0; i < 3; ++i) {
    const auto run = Run::prepare({.topology = *topology,
                                   .network = scenario->network,
                                   .seed = scenario->seed,
                                   .jobs = scenario->jobs,
                                   .changes = scenario->rank_changes,
                                   .link_changes = timed},
                                  errors);
    if (!run) return errors.text();
    const RunResult result = run->go({.hash_events = true, .paranoid = i == 0, .shuffle = i == 2});
    if (!result.failure.empty()) return result.failure;
    for (const JobResult& job : result.jobs) {
      // Of these, which refuse verify.
      const bool has_none = job.kind == "training" || job.kind == "parameter_server" ||
                            job.kind == "background" || job.kind == "replay";
      if (!has_none && !job.verified) return job.name + " was not verified";
      if (job.verified && job.verified->collectives == 0) return job.name + " has no collective that ended";
    }
    for (const LinkResult& link : result.links)
      if (link.utilization > 1) return topology->link_name(link.link) + " is used above 100 %";
    hash[i] = result.counts.event_hash;
    end[i] = result.end;
  }
  if (hash[0] != hash[1] || end[0] != end[1]) return "another run has other events";
  if (hash[0] != hash[2] || end[0] != end[2]) return "events in another order of creation have another hash";
  return "";
}

// The complaint, out of a process that may die of it.
std::string complaint_of(const RandomScenario& scenario) {
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  std::fflush(nullptr);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(pipe_ends[1], STDERR_FILENO);  // where a broken invariant is named
    const std::string text = complaint(scenario.yaml());
    if (write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(3);
    _exit(text.empty() ? 0 : 1);
  }
  close(pipe_ends[1]);
  std::string text;
  char bytes[4096];
  for (ssize_t n; (n = read(pipe_ends[0], bytes, sizeof bytes)) > 0;)
    text.append(bytes, static_cast<size_t>(n));
  close(pipe_ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  return text.empty() ? "the process died" : text;
}

// What complaints of one kind begin with: they differ in names and numbers. A scenario is made smaller only
// as long as it has the same fault, not a new one.
std::string kind_of(const std::string& complaint) {
  return complaint.substr(0, complaint.find_first_of("\"0123456789"));
}

}  // namespace

TEST_CASE("random clusters and jobs") {
  for (int i = 0; i < options().cases; ++i) {
    const RandomScenario drawn = draw(options().seed + static_cast<uint64_t>(i));
    const std::string complaint = complaint_of(drawn);
    if (complaint.empty()) continue;
    const RandomScenario scenario = smallest(drawn, [&](const RandomScenario& s) {
      const std::string now = complaint_of(s);
      return !now.empty() && kind_of(now) == kind_of(complaint);
    });
    FAIL_CHECK("seed " << scenario.seed << " (test_property --cases 1 --seed " << scenario.seed << "):\n"
                       << complaint_of(scenario) << "\n\nthe smallest scenario that fails:\n"
                       << scenario.yaml());
  }
}

TEST_CASE("a scenario that fails is made smaller") {
  const auto with_ddp = [](const RandomScenario& s) {
    return s.yaml().find("kind: ddp") != std::string::npos;
  };
  int found = 0;
  for (uint64_t seed = 1; found < 5; ++seed) {
    const RandomScenario drawn = draw(seed);
    if (!with_ddp(drawn) || drawn.jobs.size() < 2) continue;
    ++found;
    const RandomScenario small = smallest(drawn, with_ddp);
    CHECK(with_ddp(small));
    CHECK(small.jobs.size() == 1);
    CHECK(small.changes.empty());
    CHECK(small.network.empty());
    CHECK(complaint_of(small).empty());  // and it is a scenario still
  }
}

}  // namespace brigade::property
