// From a scenario file to a result: read, build the cluster, make plans, run, write the timeline. What the
// command and the tests call; the floors below each do one of these.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/scenario/scenario.h"
#include "sim/topology/topology.h"
#include "sim/trace/output_file.h"
#include "sim/trace/recorder.h"
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
};

// A scenario that is ready to run: everything a user can get wrong has been looked at.
class Session {
 public:
  // Null if `errors` got any; warnings may be there beside a session.
  static std::unique_ptr<Session> open(const SessionRequest& request, Diagnostics& errors);

  const Scenario& scenario() const { return scenario_; }
  const Topology& topology() const { return *topology_; }
  const std::optional<TraceSpec>& trace() const { return trace_; }
  Rank ranks() const { return ranks_; }  // of all jobs together

  // Runs everything; a session runs once.
  RunResult run();
  // After run(), with a trace: its file, also of a simulation that failed. To ask check_writable before a
  // long run is up to the caller.
  [[nodiscard]] IoError write_trace() const;

 private:
  Session() = default;

  Scenario scenario_;
  std::unique_ptr<const Topology> topology_;
  std::unique_ptr<Run> run_;
  std::optional<TraceSpec> trace_;
  std::optional<Recorder> recorder_;  // with a trace
  Rank ranks_ = 0;
  bool paranoid_ = false;
};

}  // namespace brigade
