// A scenario: everything that a run needs, typed, checked as far as one can without building the cluster, and
// with all defaults filled in. The only way from YAML to the floors below.
//
// Left to those who build: selectors (they need the cluster), ranks out of range, peaks that a device lacks.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/base/ids.h"
#include "sim/base/time.h"
#include "sim/network/spec.h"
#include "sim/topology/spec.h"
#include "sim/trace/recorder.h"
#include "sim/workload/spec.h"

namespace brigade {

// Where the timeline goes and what it holds.
struct TraceSpec {
  std::string file;  // relative to the working directory, as all paths here
  TraceLevel level = TraceLevel::kMessage;
  std::vector<RankRange> ranks;  // empty: all
  Time window_begin{}, window_end = kNever;
  Place at;  // of `file`
};

// A key that the file left out, with the value that stands for it.
struct DefaultedKey {
  std::string path;  // "jobs.train.batch.accumulate"
  std::string value;
};

struct Scenario {
  std::string name;
  uint64_t seed = 1;
  bool alone = false;  // each job runs by itself, too, to tell by how much the others slow it
  ClusterSpec cluster;
  std::vector<LinkChange> link_changes;
  std::vector<RankChange> rank_changes;
  NetworkSpec network;
  std::vector<JobSpec> jobs;  // in file order: JobId is the index
  std::optional<TraceSpec> trace;
  std::vector<DefaultedKey> defaulted;
  std::string input_hash;  // 16 hex digits over all input bytes: see InputHash
};

// Reads `path` after applying `overrides` ("jobs.train.buckets.cap=50MB"). Empty if `errors` got any.
std::optional<Scenario> load_scenario(const std::string& path, const std::vector<std::string>& overrides,
                                      Diagnostics& errors);

// A scenario as far as it could be read, for those who look for further mistakes in its sound parts.
struct ScenarioParts {
  Scenario scenario;
  bool cluster_is_sound = false;
  std::vector<bool> sound_jobs = {};  // by job
  // All that the cluster is built from, as text: equal texts build equal clusters.
  std::string cluster_text = {};
};
// As load_scenario, which returns what this reads if `errors` got nothing.
ScenarioParts read_scenario_parts(const std::string& path, const std::vector<std::string>& overrides,
                                  Diagnostics& errors);

// Reads what a replay of `scenario.jobs[job]` replays, which then belongs to the input's hash. False where it
// cannot be read; true of all other jobs.
bool load_trace(Scenario& scenario, size_t job, Diagnostics& errors);

// Whether the file holds a cluster and no jobs. False where it cannot be read.
bool is_cluster_file(const std::string& path);

struct ClusterFile {
  ClusterSpec cluster;
  std::vector<LinkChange> link_changes;  // of a scenario
  std::string input_hash;
};

// Reads a cluster file with `parameters` ("nodes=4") for its own, or the cluster of a scenario, whose
// overrides `parameters` then are. Empty if `errors` got any.
std::optional<ClusterFile> load_cluster(const std::string& path, const std::vector<std::string>& parameters,
                                        Diagnostics& errors);

}  // namespace brigade
