// What jobs found out, as plain data for `report`. Times are simulated; null (nullopt) where a figure means
// nothing.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/base/bytes.h"
#include "sim/base/time.h"
#include "sim/engine/verification.h"
#include "sim/workload/spec.h"

namespace brigade {

// Mean, and nearest-rank percentiles, over the measured steps.
struct Statistic {
  double mean_us = 0, p50_us = 0, p99_us = 0;
  int samples = 0;
};
Statistic statistic_of(std::vector<Duration> values);

struct CollectiveRow {
  Collective collective = Collective::kAllReduce;
  std::string algorithm;
  Rank ranks = 0;
  Bytes bytes;
  RoundsMode rounds_mode = RoundsMode::kFree;
  Statistic time{};
  Duration last_time{};  // of the last measured step, exact
  double algbw_gb_per_s = 0, busbw_gb_per_s = 0;
  std::optional<Duration> closed_form{};
  Round rounds = 0;
  Bytes bytes_sent_total{}, bytes_sent_max{};  // by all ranks, by the busiest rank; one step
  std::vector<Duration> rank_end{};            // of the last step, since its start
};
struct CollectiveResult {
  int groups = 1;  // that ran at once; rows are of each, their time that of the last to end, bytes of all
  std::vector<CollectiveRow> rows;
};

struct BucketResult {
  int index = 0;
  Bytes bytes;
  int64_t elements = 0;
  Duration ready{}, start{}, end{};  // since the start of the step, on the rank that ends last
  double busbw_gb_per_s = 0;         // of what is exchanged
  Bytes exchanged{};                 // what its collectives move: its own bytes, or what a hook makes of them
  // With rule horovod: how many tensors were fused, and when the cycle began that found them.
  int tensors = 0;
  Duration cycle{};
};
// What the cycles of Horovod found, in a measured step.
struct FusionResult {
  int tensors = 0;
  double buffers = 0;  // the mean, as of cycles
  int buffers_min = 0, buffers_max = 0;
  // On the rank that ends last: from when it has nothing else to do until the next cycle has found something.
  Statistic waiting{};
  Duration last_waiting{};       // exact, of the last step
  double cycles_used = 0;        // that found tensors to reduce
  std::optional<double> cycles;  // all of them; null where they follow each other without end
};
struct DdpResult {
  Statistic step_time, compute, communication, overlapped, exposed;
  Duration last_step{}, last_compute{}, last_communication{}, last_exposed{};  // exact, of the last step
  double efficiency = 0;                                                       // compute / step time
  std::optional<double> mfu;
  std::optional<double> samples_per_s, tokens_per_s;  // all ranks together
  int64_t global_batch_samples = 0;
  std::optional<int64_t> global_batch_tokens;
  bool very_large_batch = false;  // batch_size.h
  int64_t parameters = 0;
  std::string unit;                   // "samples" or "tokens"
  std::vector<BucketResult> buckets;  // of the last measured step
  // With a hook, of that step on the rank that ended it: the time that coding takes.
  std::optional<Duration> coding = std::nullopt;
  int groups = 1;                                     // of ranks that reduce among themselves
  std::optional<FusionResult> fusion = std::nullopt;  // with rule horovod
};

// Steps of sharded training (zero, fsdp).
struct ShardedResult {
  struct Call {
    std::string label;  // "gather h.3"
    Collective collective = Collective::kAllGather;
    Rank ranks = 1;                      // that take part
    Bytes bytes;                         // of the whole, padded
    Duration set_off{}, start{}, end{};  // since the start of the step, on the rank that ends last
    double busbw_gb_per_s = 0;
  };
  // What a rank sends to those that it shares with, a step.
  struct Sent {
    std::string among;  // "shard_group", "replicas", "after_forward"
    Rank ranks = 1;     // of a group
    Bytes bytes;
  };
  DdpResult step;  // without buckets
  std::string preset;
  int stage = 0;
  std::vector<Call> calls;  // of the last measured step
  Rank shard_group = 1;     // ranks that share one copy of the model states
  Bytes sent_per_step;      // by the busiest rank
  std::vector<Sent> sent;   // that, by groups
  // Of it, in the size of all parameters, as if there were infinitely many ranks; null on one rank and where
  // groups differ.
  std::optional<double> volume_psi;
  Bytes model_states;
  Bytes memory_held, memory_peak;  // between steps; over the run, on the rank that holds most
  Duration memory_peak_at{};       // since the start of the simulation
  std::optional<Bytes> device_memory;
  // With offload: from the reduced gradients to the updated parameters in the last step, on the slowest rank
  // (of parameters alone: how long they take back to the host); and what one host holds for its ranks.
  std::optional<Duration> offload;
  Bytes host_memory, nvme_memory;
  // With offloaded parameters, in the last step on the rank that ended it: copied to its device, read from
  // NVMe for that; how long a copy was wanted and not there, and how long of it the device did not compute.
  struct Fetches {
    Bytes copied, read;
    Duration under_way{}, exposed{};
  };
  std::optional<Fetches> fetches;
};

// Workers against one worker that trains on the whole batch; differences are the largest over all elements.
struct TrainingResult {
  struct Comparison {
    int step = 0;
    double replicas = 0;  // any two of them; 0 is bit-identical
    double single = 0;    // any of them and the single worker
  };
  struct OtherSum {
    std::string algorithm;
    double difference = 0;
    int64_t elements = 0;  // that differ
  };
  int64_t parameters = 0, samples = 0;
  std::vector<int64_t> shards;
  int steps = 0;
  Statistic step_time;
  Duration last_step{};
  Bytes sent_per_step{};           // by the busiest worker
  double gradient_difference = 0;  // of the first step
  double gradient_relative = 0;    // its norm over that of the exact gradient
  std::vector<Comparison> compared;
  std::vector<OtherSum> other_sums;  // of the first gradient
  double loss = 0, single_loss = 0;  // at the end, a sample; of worker 0's parameters on the whole batch
};

// Staleness of an update, of each piece of the gradient: the updates that others made between the pull that
// it was computed on and its own.
struct Staleness {
  double mean = 0;
  int64_t p50 = 0, p99 = 0, max = 0;
  std::vector<std::pair<int64_t, int64_t>> counts;  // staleness, how many had it; ascending
};
struct ParameterServerResult {
  struct Server {
    std::string device;
    Bytes received, sent;  // over the network, in the whole run
  };
  // Synchronous: as of ddp. Else of all measured steps of each worker.
  Statistic step_time, compute, communication, exposed;
  Duration last_step{};   // exact, of the last one that ended
  double efficiency = 0;  // compute / step time
  int64_t updates = 0;    // of workers, measured
  Duration window{};      // in which they were made
  double updates_per_s = 0;
  double samples_per_s = 0;
  std::optional<double> tokens_per_s;
  int64_t batch_samples = 0;  // of an update of the parameters: of all workers where synchronous
  std::optional<int64_t> batch_tokens;
  bool very_large_batch = false;  // batch_size.h
  int64_t parameters = 0;
  Bytes gradient;
  Rank shards = 0;
  Bytes largest_shard;
  uint32_t messages_per_push = 0;
  std::optional<Staleness> staleness;          // null where synchronous: there is none
  int64_t lead_max = 0;                        // steps that a worker was ahead of the slowest
  Bytes worker_sent_max, worker_received_max;  // over the network, in the whole run
  std::vector<Server> servers;
};

struct ReplayResult {
  struct Step {
    std::string name;
    Duration traced{};                               // of the rank that took longest, as is `time`
    std::optional<Duration> time{};                  // null: never ends
    std::optional<Duration> free{};                  // were communication free
    Duration compute{}, communication{}, exposed{};  // on that rank; busy time of its GPU
  };
  struct Call {  // collectives alike
    Collective collective{};
    std::string traced_as, dtype;
    int64_t elements = 0;  // of the larger buffer, here
    Bytes bytes;
    int64_t traced_ranks = 0;
    Rank ranks = 0;
    int64_t count = 0;  // on a rank
    Duration traced{};  // the mean, on rank 0, waiting for late ranks included
    std::optional<Duration> time{};
  };
  struct RankSteps {
    Duration traced{};  // all steps
    std::optional<Duration> time{};
  };
  std::vector<Step> steps;
  std::vector<Call> calls;
  std::vector<RankSteps> ranks;  // where the traces of all ranks were given
  Statistic step_time, traced_step_time, compute, communication, exposed;
  Duration last_step{};
  CollectiveDurations durations{};
  int64_t traced_ranks = 0;
  std::string traced_device;
  // All steps together, on the rank that took longest: as simulated, were communication free, and were none
  // of it hidden. The second and third are bounds of the first. Null where it never ends.
  std::optional<Duration> total, total_free, total_exposed;
  Duration total_traced{};
  std::string blocked;         // what never ends, and from when on
  Duration unblocked_until{};  // then: when the last of what does not wait for it ends
  std::vector<std::string> found, ignored;
};

// A traffic job: what its senders offered, and what came of it.
struct BackgroundResult {
  Bytes sent, received;
  int64_t messages = 0;                            // received
  int64_t held_back = 0;                           // that waited for the window
  Duration window{};                               // in which they were sent
  double offered_gb_per_s = 0, sent_gb_per_s = 0;  // of all senders
  Rank senders = 0;
  Statistic latency;  // of a message, from when it was due
};

struct JobResult {
  std::string name;
  std::string kind;  // "collective", "ddp", "training", "parameter_server", "zero", "fsdp", "replay"
  Rank ranks = 0;
  std::vector<std::string> assumptions;  // "AdamW moves 28 bytes a parameter", ...
  std::variant<CollectiveResult, DdpResult, TrainingResult, ParameterServerResult, ShardedResult,
               ReplayResult, BackgroundResult>
      result;
  std::optional<Verification> verified = std::nullopt;  // where its data was compared
  // The mean time of a step (collective: of all its rows), and the same where the job has the cluster to
  // itself.
  struct Alone {
    double time_us = 0, alone_us = 0;
    double slowdown() const { return alone_us > 0 ? time_us / alone_us : 1; }
  };
  std::optional<Alone> alone = std::nullopt;
};
// The mean time of a step, of a collective job that of all its rows together; nothing of background traffic.
std::optional<double> mean_time_us(const JobResult& job);

}  // namespace brigade
