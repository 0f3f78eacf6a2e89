// What is replayed: the graph of one rank, which stands for all, or those of all ranks of a job.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/replay/graph.h"

namespace brigade {

struct ReplayTrace {
  std::vector<ReplayGraph> graphs;  // one; or of several, by rank, all ranks of the job
  int64_t world = 1;                // ranks of the job that was traced
  uint64_t hash = 0;                // of all bytes
  std::vector<Duration> late;       // by graph: begins so much after the first, on the clocks of the traces
  std::vector<std::string> assumed;
  bool has_all_ranks() const { return graphs.size() > 1; }
};

// Files, folders and tars (trace_file.h), which together hold one rank of a job or all. Null if `errors` got
// any; those of files as a whole go to `asked_from`, unless that names no file.
std::shared_ptr<const ReplayTrace> load_replay(const std::vector<std::string>& paths, const Place& asked_from,
                                               Diagnostics& errors);

}  // namespace brigade
