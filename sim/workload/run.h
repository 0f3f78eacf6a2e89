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

class FaultMarks;
template <class Network>
class Engine;

struct RunRequest {
  const Topology& topology;
  NetworkSpec network;
  uint64_t seed = 1;
  std::vector<JobSpec> jobs;
  std::vector<RankChange> changes;
  std::vector<LinkChange> link_changes = {};               // those of a time; `topology` has the others
  Fold fold = {};                                          // `topology` then has its simulated units only
  std::optional<std::vector<size_t>> only = std::nullopt;  // these jobs run, without the others
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
  LinkId every = 0;        // of a fold: every so many links there is one that is alike
};

// Busiest first, then by id.
void sort_busiest_first(std::vector<LinkResult>& links);

// Of a scenario that was folded in a part (partial_fold.h): these jobs, on so many units; or some rows of the
// only one.
struct FoldedPart {
  std::vector<size_t> jobs;
  Fold fold;
  size_t rows = 0, rows_folded = 0;  // of a job whose rows ran apart
};

struct RunResult {
  std::vector<JobResult> jobs;
  std::vector<LinkResult> links;  // that carried anything, busiest first, then by id
  Simulation::Counts counts;
  Duration end{};
  Fold fold = {};  // where it was used: `links` are those of unit 0, all else is of all units
  std::vector<FoldedPart> folded_parts = {};  // where not all was folded; all figures are of everything
  // A fold that found its units unlike: nothing here counts, and all must be simulated.
  bool units_differ = false;
  // Why the simulation could not end: unreachable peer, deadlock. Jobs are empty then. Or what its data ended
  // with where it was verified and is wrong.
  std::string failure;
};

// Checks the whole request (ranks exist, plans can be made); `errors` gets every mistake. Then go() runs it.
class Run {
 public:
  static std::unique_ptr<Run> prepare(const RunRequest& request, Diagnostics& errors);
  RunResult go(const RunOptions& options);
  const Job& job(size_t i) const { return *jobs_[i]; }
  const std::vector<VertexId>& devices_of(size_t job) const { return placed_[job].devices; }  // by rank

 private:
  struct Placed {
    std::string name;
    std::vector<VertexId> devices;                    // by rank
    std::vector<std::vector<ComputeChange>> changes;  // by rank; empty: none at all
  };
  explicit Run(const RunRequest& request) : request_(request) {}
  std::vector<JobTrace> name_ranks(Recorder& recorder, FaultMarks& marks) const;
  template <class Network>
  bool units_agree(const Engine<Network>& engine) const;
  template <class Network>
  RunResult go_over(const RunOptions& options);
  void run_to_the_end(Simulation& simulation);
  std::string dead_nodes(Time now) const;
  void count_links(const Simulation& simulation, RunResult& result) const;

  RunRequest request_;
  std::vector<TimedLink> timed_links_;
  std::vector<std::unique_ptr<Job>> jobs_;  // null where only another one runs
  std::vector<Placed> placed_;              // by job
};

}  // namespace brigade
