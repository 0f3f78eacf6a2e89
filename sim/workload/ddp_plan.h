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
  std::vector<Duration> bucket_ready;  // by bucket, since backward began; coded by the hook. With rule
                                       // horovod by tensor
  std::vector<Duration> between;       // by bucket, from its first exchange to its second
  Duration coding{};                   // all that a hook adds
  std::vector<Duration> copy_out;      // by bucket, after its last exchange
  Duration gradient_norm{};            // reading the gradients once
  Duration optimizer{};
  Duration average{};  // of parameters, after they were summed up
  Rates copies;        // of which only memory counts: how fast fused buffers are filled and emptied
};

// What all steps of a kind have in common.
struct DdpIteration {
  std::vector<Bucket> buckets;
  // By group: in the order in which each rank calls them: buffers, buckets, the map of used parameters, the
  // norm, the averages of parameters.
  std::vector<std::vector<CollectiveCall>> calls;
  std::vector<std::vector<uint32_t>> calls_of_stream;  // their numbers, by communication stream
  uint32_t broadcasts = 0, per_bucket = 1;
  bool used_map = false, gradient_norm = false, hooked = false, averages = false;
  std::vector<DdpCompute> compute;  // by kind of rank

  uint32_t count() const { return static_cast<uint32_t>(calls.front().size()); }
  // The first of a bucket's calls, and the last.
  uint32_t bucket_call(uint32_t bucket) const { return broadcasts + bucket * per_bucket; }
  uint32_t last_call(uint32_t bucket) const { return bucket_call(bucket) + per_bucket - 1; }
  // What a collective moves by its count: of an all-reduce its buffer, of an all-gather all parts of it.
  Bytes exchanged(uint32_t bucket) const {
    Bytes sum{};
    for (uint32_t c = bucket_call(bucket); c <= last_call(bucket); ++c)
      for (const auto& plan : calls.front()[c].plans) sum += Bytes{plan->elements * plan->element_bytes};
    return sum;
  }
  bool is_of_bucket(uint32_t call) const {
    return call >= broadcasts && call < bucket_call(static_cast<uint32_t>(buckets.size()));
  }
  uint32_t bucket_of(uint32_t call) const { return (call - broadcasts) / per_bucket; }
  // Calls that the end of backward waits for: up to the last bucket and the used map.
  uint32_t calls_of_backward() const {
    return bucket_call(static_cast<uint32_t>(buckets.size())) + (used_map ? 1 : 0);
  }
  uint32_t norm_call() const { return calls_of_backward(); }
  uint32_t average_call() const { return calls_of_backward() + (gradient_norm ? 1 : 0); }
};

// Ranks that reduce gradients among themselves: all, or those that hold the same shard of the model.
struct DdpGroups {
  std::vector<std::vector<Rank>> ranks;      // by group, as many in each
  std::vector<uint32_t> group_of, place_of;  // by rank
  Rank size = 0;                             // of each, simulated or not
};

struct DdpPlan {
  Model model;  // a rank's share of it
  DdpGroups groups;
  std::vector<DdpIteration> iterations;
  std::vector<uint32_t> kind_of_rank;
  std::optional<double> useful_flops;      // of one rank's step
  double peak_flop_per_s = 0;              // of all ranks together; 0 where one is unknown
  std::optional<int64_t> tokens_per_rank;  // of a step
  std::vector<std::string> assumptions;
  CommHookSpec hook;
  std::vector<TensorInfo> tensors;  // gradients in the order in which they become ready; with rule horovod

  // Which iteration a step is: the first one differs in PyTorch's buckets; PowerSGD begins some steps later;
  // local SGD averages in one step of several.
  size_t kind_of(int step) const;
  const DdpIteration& iteration(int step) const { return iterations[kind_of(step)]; }
  const DdpCompute& compute(int step, Rank r) const { return iteration(step).compute[kind_of_rank[r]]; }
};

std::optional<DdpPlan> plan_ddp(const DdpJobSpec& spec, const JobContext& context, Diagnostics& errors);

}  // namespace brigade
