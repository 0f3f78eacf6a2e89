// What a step of a `zero` or `fsdp` job consists of, worked out before it runs: its program, how long each
// operation lasts on each kind of rank, the plans of its collectives, and the memory that it needs.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/simulation.h"
#include "sim/workload/host_servers.h"
#include "sim/workload/job.h"
#include "sim/workload/rank_kinds.h"
#include "sim/workload/shard_groups.h"
#include "sim/workload/step_comms.h"
#include "sim/workload/step_program.h"

namespace brigade {

struct ShardedPlan {
  StepProgram program;
  ShardGroups groups;
  StepComms comms;
  std::vector<std::vector<CollectiveCall>>
      calls;                                     // those that are alike once, by group of their communicator
  std::vector<uint32_t> call_of;                 // of program.calls: which of them
  std::vector<std::vector<Duration>> durations;  // by kind of rank, by operation
  std::vector<uint32_t> kind_of_rank;
  std::optional<double> useful_flops;  // of one rank's step
  double peak_flop_per_s = 0;          // of all ranks together; 0 where one is unknown
  std::optional<int64_t> tokens_per_rank;
  int64_t parameters = 0;
  int64_t parameter_bytes = 0;
  Bytes model_states{};
  Bytes memory_bound{};                // no rank ever holds more
  std::optional<Bytes> device_memory;  // the smallest
  std::optional<HostPlan> hosts;       // with offload
  std::vector<std::string> assumptions;

  // A collective of the program in each group.
  std::vector<CollectiveCall> labelled(uint32_t call) const;
  Duration duration(Rank r, size_t op) const { return durations[kind_of_rank[r]][op]; }
};

// `errors` gets a warning, too, where the step may hold more than a device has.
std::optional<ShardedPlan> plan_sharded(const ShardedJobSpec& spec, const JobContext& context,
                                        Diagnostics& errors);

}  // namespace brigade
