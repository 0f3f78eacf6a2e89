// Runs collectives on the fast engine without a job: what the tests of this folder share.
#pragma once
#include <vector>

#include "sim/base/random.h"
#include "sim/engine/engine.h"
#include "tests/oracle/collective_cases.h"
#include "tests/oracle/machines.h"
#include "tests/oracle/plain_engine.h"

namespace brigade {

using FastEngine = Engine<PacketNetwork>;
using FluidEngine = Engine<FluidNetwork>;

struct Ends {
  std::vector<std::vector<Time>> end;  // by job and rank
  Simulation::Counts counts;
  std::string failure, stuck;
};

// Every job calls its plans once, each rank at its start. The counters are checked at the end.
template <class Network>
Ends run_fast(Engine<Network>& engine, const std::vector<oracle::PlainJob>& jobs) {
  Ends result;
  if (std::any_of(jobs.begin(), jobs.end(), [](auto& job) { return job.message_class > 0; }))
    engine.serve_by_class();
  for (size_t j = 0; j < jobs.size(); ++j) {
    const CommId comm =
        engine.add_communicator(static_cast<JobId>(j), jobs[j].devices, "job " + std::to_string(j));
    engine.add_collective(comm, {.plans = jobs[j].plans,
                                 .lockstep = jobs[j].lockstep,
                                 .label = "",
                                 .message_class = jobs[j].message_class});
    for (Rank r = 0; r < jobs[j].devices.size(); ++r)
      if (jobs[j].start[r] != kNever) engine.timer(static_cast<JobId>(j), r, jobs[j].start[r], 0);
    result.end.emplace_back(jobs[j].devices.size(), kNever);
  }
  while (const auto n = engine.next()) {
    if (n->what == Notice::What::kTimer)
      engine.launch(n->job, n->rank);
    else
      result.end[n->job][n->rank] = n->at;
  }
  result.failure = engine.failure();
  result.stuck = engine.stuck();
  if (result.failure.empty() && result.stuck.empty()) engine.check_counters();
  result.counts = engine.counts();
  return result;
}

inline std::vector<std::shared_ptr<const Plan>> plans_of(const PlanRequest& request) {
  std::vector<std::shared_ptr<const Plan>> plans;
  for (int e = 0; e < request.algorithm->executions; ++e) {
    PlanResult made = make_plan(request, static_cast<uint32_t>(e));
    BRIGADE_CHECK(made.plan != nullptr, made.error);
    plans.push_back(made.plan);
  }
  return plans;
}

inline oracle::PlainJob job_of(std::vector<VertexId> devices, const PlanRequest& request) {
  const size_t n = devices.size();
  return {std::move(devices), plans_of(request), std::vector<Time>(n), false};
}

// One to three of any collective, of up to 60,000 elements, each on all GPUs.
inline std::vector<oracle::PlainJob> random_jobs(Random& random, const Topology& topology) {
  const std::vector<VertexId> gpus = oracle::gpus_of(topology);
  std::vector<oracle::PlainJob> jobs;
  for (int64_t j = random.between(1, 3); j > 0; --j) {
    const auto& row = oracle::kCollectiveCases[random.below(std::size(oracle::kCollectiveCases))];
    const auto requests =
        oracle::requests(row, static_cast<Rank>(gpus.size()), int64_t{1000} * random.between(0, 60));
    jobs.push_back(job_of(gpus, requests[random.below(requests.size())]));
  }
  return jobs;
}

inline Time last_of(const std::vector<Time>& ends) { return *std::max_element(ends.begin(), ends.end()); }

}  // namespace brigade
