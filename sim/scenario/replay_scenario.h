// A scenario without a file: a trace replayed on a cluster (`brigade replay`).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/scenario.h"

namespace brigade {

struct ReplayRequest {
  std::vector<std::string> traces;
  std::string topology;                 // a cluster file, or a scenario whose cluster is taken
  std::vector<std::string> parameters;  // "nodes=4"
  std::optional<std::string> ranks;     // as many as were traced without it
  std::string durations = "simulated", unnamed_groups = "refused", all_reduce = "ring", network = "packet";
};

// The ranks are the first GPUs of the cluster (hosts where it has none), in its order.
ScenarioParts replay_scenario(const ReplayRequest& request, Diagnostics& errors);

}  // namespace brigade
