// From a scenario file to a result: read, build the cluster, make plans, run, write the timeline. What the
// command and the tests call; the floors below each do one of these.
#pragma once
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/scenario/scenario.h"
#include "sim/topology/topology.h"
#include "sim/trace/output_file.h"
#include "sim/trace/recorder.h"
#include "sim/workload/partial_fold.h"
#include "sim/workload/run.h"

namespace brigade {

// The timeline as the command line asks for it. Each option that is given replaces what the scenario says.
struct TraceOptions {
  bool off = false;
  std::optional<std::string> file = std::nullopt;
  std::optional<std::string> level = std::nullopt;   // "message"
  std::optional<std::string> ranks = std::nullopt;   // "0-7,12": numbers over all jobs, in file order
  std::optional<std::string> window = std::nullopt;  // "0us:5ms", [begin, end)
};

struct SessionRequest {
  std::string file;
  std::vector<std::string> overrides = {};  // "jobs.train.buckets.cap=50MB"
  TraceOptions trace = {};
  bool verify = false;    // every job, whatever the scenario says
  bool paranoid = false;  // checks the expensive invariants too
  // Simulates two of at least so many units that are alike (sim/workload/fold.h); nothing: always all.
  std::optional<uint32_t> fold_from = kFoldFrom;

  static constexpr uint32_t kFoldFrom = 64;  // fewer are simulated in no time
};

// Clusters that were built, for sessions that run on the same one again and again. Safe to use from several
// threads.
class TopologyCache {
 public:
  std::shared_ptr<const Topology> find(const std::string& cluster_text);
  void add(const std::string& cluster_text, std::shared_ptr<const Topology> topology);

 private:
  static constexpr size_t kKept = 16;  // the last ones
  std::mutex mutex_;
  std::deque<std::pair<std::string, std::shared_ptr<const Topology>>> kept_;
};

// A scenario that is ready to run: everything a user can get wrong has been looked at.
class Session {
 public:
  // Null if `errors` got any; warnings may be there beside a session.
  static std::unique_ptr<Session> open(const SessionRequest& request, Diagnostics& errors);
  // The same of a scenario that has been read: `request` is asked for all but its file and overrides. `cache`
  // may be null.
  static std::unique_ptr<Session> open(ScenarioParts parts, const SessionRequest& request,
                                       TopologyCache* cache, Diagnostics& errors);

  const Scenario& scenario() const { return scenario_; }
  // Where the run was folded, its first kNamedUnits units: enough to name links.
  const Topology& topology() const { return *topology_; }
  static constexpr uint32_t kNamedUnits = 64;
  const std::optional<TraceSpec>& trace() const { return trace_; }
  Rank ranks() const { return ranks_; }  // of all jobs together

  // Runs everything; a session runs once.
  RunResult run();
  // After run(), with a trace: its file, also of a simulation that failed. To ask check_writable before a
  // long run is up to the caller.
  [[nodiscard]] IoError write_trace() const;

 private:
  Session() = default;
  // Prepares two units in place of all; false where that cannot be.
  bool fold(uint32_t units_min, Diagnostics& errors);
  // Runs each job by itself and notes what it took.
  void run_alone(RunResult& result);
  // Prepares everything, and what of it can be folded all the same.
  void unfold(const ScenarioParts& parts, TopologyCache* cache, Diagnostics& errors);

  Scenario scenario_;
  std::shared_ptr<const Topology> topology_, simulated_;  // `simulated_`: of a fold
  std::unique_ptr<Run> run_;
  std::unique_ptr<PartialFold> partial_fold_;  // tried before `run_`
  std::optional<RunRequest> request_;          // what `run_` runs, unless it is a fold
  std::optional<TraceSpec> trace_;
  std::optional<Recorder> recorder_;  // with a trace
  Rank ranks_ = 0;
  bool paranoid_ = false;
  std::optional<uint32_t> fold_from_;  // nothing also where all is watched
};

}  // namespace brigade
