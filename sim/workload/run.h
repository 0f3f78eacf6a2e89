// Runs the jobs of a scenario on a cluster, from the first event to the last, and gathers what they found.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/engine/simulation.h"
#include "sim/network/spec.h"
#include "sim/topology/topology.h"
#include "sim/trace/recorder.h"
#include "sim/workload/job.h"

namespace brigade {

struct RunRequest {
  const Topology& topology;
  NetworkSpec network;
  uint64_t seed = 1;
  std::vector<JobSpec> jobs;
  std::vector<RankChange> changes;
};

struct RunOptions {
  Recorder* recorder = nullptr;  // null: no trace
  bool hash_events = false;
  bool paranoid = false;  // checks the expensive invariants too, event by event
  bool shuffle = false;   // tests: the events of an instant are created in another order
};

struct LinkResult {
  LinkId link = kNone;
  Bytes bytes;
  Duration busy{};
  double utilization = 0;  // busy / end
};

struct RunResult {
  std::vector<JobResult> jobs;
  std::vector<LinkResult> links;  // that carried anything, busiest first, then by id
  Simulation::Counts counts;
  Duration end{};
  // Why the simulation could not end: unreachable peer, deadlock. Jobs are empty then. Or what its data ended
  // with where it was verified and is wrong.
  std::string failure;
};

// Checks the whole request (ranks exist, plans can be made); `errors` gets every mistake. Then go() runs it.
class Run {
 public:
  static std::unique_ptr<Run> prepare(const RunRequest& request, Diagnostics& errors);
  RunResult go(const RunOptions& options);

 private:
  struct Placed {
    std::string name;
    std::vector<VertexId> devices;  // by rank
  };
  explicit Run(const RunRequest& request) : request_(request) {}
  std::vector<JobTrace> name_ranks(Recorder& recorder) const;

  RunRequest request_;
  std::vector<std::unique_ptr<Job>> jobs_;
  std::vector<Placed> placed_;  // by job
};

}  // namespace brigade
