// What the steps of a DDP job consist of, worked out before it runs: buckets, collectives, compute by kind of
// rank.
//
// The first iteration has other buckets than the later ones (PyTorch's rule, see buckets.h); everything else
// repeats.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/simulation.h"
#include "sim/workload/buckets.h"
#include "sim/workload/compute.h"
#include "sim/workload/job.h"
#include "sim/workload/model.h"

namespace brigade {

// The compute of one step on one kind of rank (device model, speed).
struct DdpCompute {
  Duration forward{}, backward{};              // of the last micro-batch, whose backward fills the buckets
  Duration early_forward{}, early_backward{};  // of each micro-batch before (no_sync)
  Duration unused_search{};                    // CPU time before backward
  std::vector<Duration> bucket_ready;          // by bucket, since backward began
  std::vector<Duration> copy_out;              // by bucket, after its all-reduce
  Duration gradient_norm{};                    // reading the gradients once
  Duration optimizer{};
};

struct DdpIteration {
  std::vector<Bucket> buckets;
  // In the order in which each rank calls them: buffers, buckets, the map of used parameters, the norm.
  std::vector<CollectiveCall> calls;
  uint32_t broadcasts = 0;
  bool used_map = false, gradient_norm = false;
  std::vector<DdpCompute> compute;  // by kind of rank

  uint32_t bucket_call(uint32_t bucket) const { return broadcasts + bucket; }
  // Calls that the end of backward waits for: up to the last bucket and the used map.
  uint32_t calls_of_backward() const {
    return broadcasts + static_cast<uint32_t>(buckets.size()) + (used_map ? 1 : 0);
  }
};

struct DdpPlan {
  Model model;
  DdpIteration first, later;
  std::vector<uint32_t> kind_of_rank;
  std::optional<double> useful_flops;      // of one rank's step
  double peak_flop_per_s = 0;              // of all ranks together; 0 where one is unknown
  std::optional<int64_t> tokens_per_rank;  // of a step
  std::vector<std::string> assumptions;

  const DdpIteration& iteration(int step) const { return step == 0 ? first : later; }
  const DdpCompute& compute(int step, Rank r) const { return iteration(step).compute[kind_of_rank[r]]; }
};

std::optional<DdpPlan> plan_ddp(const DdpJobSpec& spec, const JobContext& context, Diagnostics& errors);

}  // namespace brigade
