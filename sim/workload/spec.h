// What each job of a scenario asks for, typed and checked, before it runs. `scenario` fills these from YAML;
// the jobs of this folder run them. Defaults here are the documented ones: there are no others.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/base/bandwidth.h"
#include "sim/base/bytes.h"
#include "sim/base/diagnostic.h"
#include "sim/base/ids.h"
#include "sim/base/time.h"
#include "sim/collective/algorithm.h"
#include "sim/replay/mapping.h"
#include "sim/workload/sharding.h"

namespace brigade {

// kTf32 is a rate of compute, not a format of storage: in memory it is fp32.
enum class DType : uint8_t { kUint8, kFp8, kFp16, kBf16, kFp32, kFp64, kInt32, kInt64, kTf32 };
const char* name_of(DType t);  // "bf16", as in scenarios
int64_t bytes_of(DType t);
std::optional<DType> find_dtype(std::string_view name);
std::vector<std::string> dtype_names();

enum class RoundsMode : uint8_t { kFree, kLockstep };

// Ranks [first, last].
struct RankRange {
  Rank first = 0, last = 0;
};

// How a collective is done.
struct AlgorithmSpec {
  std::string algorithm = "ring";
  std::string inner = "ring", outer = "ring";  // hierarchical only
  RoundsMode rounds = RoundsMode::kFree;
  int channels = 1;
};

// Steps that are measured after `warmup` ones.
struct RunSpec {
  int steps = 1;
  int warmup = 0;
};

// Ranks cut into groups of `size`, each rank of a group `stride` after the one before it: of 8 ranks in
// groups of 2 by 2: {0, 2}, {1, 3}, {4, 6}, {5, 7}.
struct GroupSpec {
  int size = 1, stride = 1;
};

// What a rank does differently: `changes: [{job: train, ranks: 3, compute: 50 %, start: 2 ms}]`; from
// `begins` to `ends`: `{ranks: 3, pause: 200 ms, at: 1 s}`, `{ranks: 3, compute: 50 %, at: 1 s, until: 2 s}`.
struct RankChange {
  std::optional<std::string> job;  // every job if absent
  std::string ranks;               // "3", "0-7", "1,5-6": numbers of the job's ranks; or a device selector
  std::optional<double> compute_share;  // 0.5: computes at half speed
  std::optional<Duration> start;        // starts this much later
  bool stops = false;                   // computes nothing, and its host does nothing
  bool of_node = false;                 // `nodes: node[2], state: down`: its links are changes of their own
  Time begins{}, ends = kNever;         // of compute_share and stops
  Place at;
  bool timed() const { return begins > Time{} || ends < kNever; }
};

// `kind: collective`: every size with every algorithm, one after the other, in nccl-tests' columns.
struct CollectiveJobSpec {
  Collective collective = Collective::kAllReduce;
  std::vector<AlgorithmSpec> algorithms;
  std::vector<Bytes> sizes;
  DType dtype = DType::kUint8;
  Rank root = 0;
  std::vector<Pair> sends;                    // send_recv; empty: each rank sends to the next
  std::optional<std::vector<Pair>> receives;  // where they differ from the sends
  // Mistakes to be diagnosed: only these ranks call it; these call it with another size.
  std::optional<std::vector<RankRange>> callers;
  struct OtherSize {
    std::vector<RankRange> ranks;
    Bytes size;
  };
  std::vector<OtherSize> other_sizes;
  std::optional<GroupSpec> groups;  // each group runs it by itself, all at once
  RunSpec run;
};

// --- ddp: a model, its compute, its buckets.

// A gradient tensor written out: ready at `ready` after backward began (without it, by its share of
// backward).
struct TensorSpec {
  std::string name;
  int64_t elements = 0;
  std::optional<Duration> ready;
  std::optional<DType> dtype;  // of its gradient, where it differs from precision.gradients
};
// A layer written out: times, or FLOPs and bytes moved per sample.
struct LayerSpec {
  std::string name;
  std::vector<TensorSpec> parameters;
  int repeat = 1;  // this layer, so often in a row
  std::optional<Duration> forward, backward;
  double forward_flops = 0, backward_flops = 0;
  double forward_bytes = 0, backward_bytes = 0;
  double activation_bytes = 0;  // kept from forward to backward, of a sample
};
struct ModelSpec {
  std::string name;                        // a named model, or empty: layers or tensors are written out
  std::optional<int64_t> sequence_tokens;  // of language models
  std::optional<int64_t> image_pixels;     // side length, of vision models
  std::vector<LayerSpec> layers;
  std::vector<TensorSpec> tensors;
  std::optional<Duration> forward, backward;  // with `tensors`: the whole times
  Place at;
};
enum class Spread : uint8_t { kLayers, kParameters };
// How much longer than planned the compute of a step takes, drawn for each rank and step: by a share of it
// with this mean (jitter.h).
enum class JitterKind : uint8_t { kNone, kUniform, kExponential, kPareto };
struct JitterSpec {
  JitterKind kind = JitterKind::kNone;
  double mean = 0.05;
};
// What compute and communication cost each other while both run on a rank.
struct InterferenceSpec {
  double compute_share = 1;        // of its speed, while a collective of the rank runs
  double communication_share = 1;  // of its links' bandwidth, while the rank computes
};
struct ComputeSpec {
  double kernel_efficiency = 1;  // share of peak that kernels reach while they run
  double memory_efficiency = 1;  // share of memory bandwidth that memory-bound kernels reach
  // kParameters: the lecture's switch. Time 6 x parameters x tokens / (peak x kernel_efficiency) over the
  // tensors in proportion to their elements, a third of it forward.
  Spread spread = Spread::kLayers;
  std::optional<int64_t> tokens;  // per GPU and micro-batch, with spread: parameters
  JitterSpec jitter;
  InterferenceSpec interference;
};
enum class BucketRule : uint8_t { kFixed, kPytorch, kHorovod };
enum class BucketVersion : uint8_t { kLegacy, kCurrent };
enum class BucketOrder : uint8_t { kReady, kRegistration };
struct BucketSpec {
  BucketRule rule = BucketRule::kPytorch;
  BucketVersion version = BucketVersion::kCurrent;
  std::optional<Bytes> cap;                 // fixed: required, or `one_bucket`
  bool one_bucket = false;                  // fixed: the whole gradient
  BucketOrder order = BucketOrder::kReady;  // fixed only: PyTorch's rule has its own
  bool find_unused_parameters = false;
  Duration find_unused_cpu_time{};  // CPU time before backward, per step
  bool static_graph = false;
  bool broadcast_buffers = true;
  bool gradient_as_bucket_view = false;
  // horovod (fusion.h): HOROVOD_FUSION_THRESHOLD, HOROVOD_CYCLE_TIME, and what agreeing takes in each cycle.
  Bytes fusion = mebibytes(128);
  Duration cycle = milliseconds(1), negotiation{};
};
struct PrecisionSpec {
  DType parameters = DType::kFp32, gradients = DType::kFp32, master = DType::kFp32;
  bool has_master = false;       // a separate master copy in `master`
  bool autocast = false;         // computes in `parameters`-independent bf16/fp16 but reduces fp32 gradients
  DType compute = DType::kFp32;  // dtype whose peak FLOP/s counts
};
enum class OptimizerKind : uint8_t { kNone, kSgd, kMomentum, kAdamW };
enum class CommHook : uint8_t { kNone, kFp16, kBf16, kTopK, kPowerSgd, kLocalSgd };
struct CommHookSpec {
  CommHook kind = CommHook::kNone;
  double share = 0.1;  // topk: of the elements that is sent
  int rank = 1;        // powersgd
  // Of ddp only: steps before PowerSGD begins; steps from one averaging of the parameters to the next.
  int start_step = 0;
  int every = 4;  // local_sgd
};
// Of the model-parallel job that a data-parallel one is part of: its ranks are cut as Megatron does (tensor
// fastest, then data, then pipeline), and each holds 1 / (tensor x pipeline) of the model.
struct ModelParallelSpec {
  int tensor = 1, pipeline = 1;
  Duration time{};  // of its own communication and waiting, in each micro-batch; a third of it forward
  int ways() const { return tensor * pipeline; }
};
struct DdpJobSpec {
  ModelSpec model;
  int64_t micro_batch_samples = 1;
  int accumulate = 1;
  PrecisionSpec precision;
  ComputeSpec compute;
  OptimizerKind optimizer = OptimizerKind::kAdamW;
  bool gradient_norm = false;  // a blocking all-reduce of one scalar before the optimizer
  Duration host_gap{};         // between steps
  BucketSpec buckets;
  AlgorithmSpec all_reduce;
  int comm_streams = 1;  // buckets take them in turn
  CommHookSpec comm_hook;
  ModelParallelSpec model_parallel;
  RunSpec run;
};

// --- background: traffic that others meet on the links.

enum class TrafficPattern : uint8_t { kAllToAll, kPermutation, kIncast, kPairs };
enum class Arrivals : uint8_t { kEven, kPoisson };
struct BackgroundJobSpec {
  TrafficPattern pattern = TrafficPattern::kPermutation;
  Bandwidth rate = Bandwidth::gb_per_s(1);  // that each sender offers
  Bytes message = mebibytes(1);
  Arrivals arrivals = Arrivals::kEven;
  int window = 64;                   // messages of a sender under way at most
  std::optional<Duration> duration;  // until the other jobs end if absent
};

// --- training: the lecture's two-layer MLP, really trained (mlp.h).

enum class Average : uint8_t { kWeighted, kPlain };  // of gradients: by samples, or of each worker's mean
enum class BatchNorm : uint8_t { kNone, kLocal, kSynchronised };
struct TrainingJobSpec {
  int64_t samples = 256;        // of the whole batch; every step trains on all of them
  std::vector<int64_t> shards;  // samples of each worker; empty: cut evenly
  int64_t features = 2, hidden = 16;
  double learning_rate = 0.1;
  int steps = 200;
  std::vector<int> report_at = {10, 50, 200};  // steps after which replicas are compared
  Average average = Average::kWeighted;
  bool synchronise = true;  // false: the all-reduce is forgotten
  std::string left_out;     // a parameter that is not synchronised: w1 b1 w2 b2; empty: none
  BatchNorm batch_norm = BatchNorm::kNone;
  CommHookSpec comm_hook;
  AlgorithmSpec all_reduce;
  std::vector<std::string> also_sum_by;  // algorithms that sum the first gradient once more, to compare
};

// --- parameter_server: workers push gradients, servers add them up and update, workers pull.

enum class ServerMode : uint8_t { kSynchronous, kAsynchronous, kBounded };
enum class ShardBy : uint8_t { kBytes, kTensors };
enum class Transfer : uint8_t { kWhole, kLayers };
struct ParameterServerJobSpec {
  DdpJobSpec work;  // of a worker: its model, micro-batch, precision and compute; the rest is not used
  std::vector<std::string> servers;  // selectors; shard j is on server j mod their number
  std::optional<int> shards;         // one a server if absent
  ShardBy shard_by = ShardBy::kBytes;
  std::optional<Bandwidth> update_rate;  // gradients that a server takes in; no time if absent
  ServerMode mode = ServerMode::kSynchronous;
  int staleness_bound = 0;  // kBounded: steps that a worker may be ahead of the slowest
  Transfer transfer = Transfer::kWhole;
  bool priorities = false;  // kLayers: what the next forward needs first goes first
  RunSpec run;
  // Instead of run.steps; worker updates count after the warm-up.
  std::optional<int64_t> until_updates;
  std::optional<Duration> until_time;  // since the job's start
  Place servers_at;
};

// --- zero, fsdp: model states sharded over the ranks (step_program.h). Counts are elements.

// What the ranks' hosts keep and do, in their memory or on their NVMe drives (host_servers.h). Of DeepSpeed's
// offload_optimizer and offload_param (runtime/zero/offload_config.py), whose defaults these are.
enum class Home : uint8_t { kDevice, kHost, kNvme };
struct OffloadSpec {
  Home optimizer = Home::kDevice, parameters = Home::kDevice;
  Bandwidth host_rate = Bandwidth::gb_per_s(1);  // bytes that a host's optimizer moves
  Bandwidth nvme_read = Bandwidth::gb_per_s(1), nvme_write = Bandwidth::gb_per_s(1);  // all drives of a host
  // Parameters on NVMe, in elements of a rank's share: kept in the host's memory all the same, in groups of
  // so many; buffers that shares are read into, and the size of each.
  int64_t max_in_cpu = 1'000'000'000, sub_group_size = 1'000'000'000;
  int64_t buffer_count = 5, buffer_size = 100'000'000;

  bool nvme() const { return optimizer == Home::kNvme || parameters == Home::kNvme; }
};

struct ShardedJobSpec {
  DdpJobSpec work;  // of its buckets only whether they are copied, of its all_reduce all
  ShardPreset preset = ShardPreset::kDeepspeed;
  int stage = 0;
  // zero. Buckets of the preset's size if absent.
  std::optional<int64_t> reduce_bucket, gather_bucket;
  bool overlap =
      false;  // gradients are reduced beside backward; megatron: parameters gathered beside forward
  // zero, deepspeed's stage 3
  int64_t prefetch = 50'000'000, persistence_threshold = 100'000;
  int64_t max_live_parameters = 1'000'000'000, max_reuse_distance = 1'000'000'000;
  // fsdp
  ShardGroup shard_group = ShardGroup::kAll;
  int shard_group_ranks = 0;  // kRanks
  // Gradients are summed over micro-batches first, and reduced over replicas after the last one.
  bool replicas_last = false;
  Reshard reshard_after_forward = Reshard::kAuto;
  int reshard_ranks = 0;                            // kToFewer
  int forward_prefetch = 2, backward_prefetch = 1;  // units
  int communicators = 1;

  std::optional<OffloadSpec> offload;  // zero, deepspeed
  bool updates_on_host() const { return offload && offload->optimizer != Home::kDevice; }
  bool fetches_from_host() const { return offload && offload->parameters != Home::kDevice; }  // stage 3
  ActivationCount activations = ActivationCount::kFlash;
  Recompute recompute = Recompute::kNone;
  AlgorithmSpec all_gather, reduce_scatter;
};

// --- replay: a PyTorch trace becomes the work of the job's ranks (sim/replay).

// How long collectives take: as the network lets them; as traced (with the waiting for late ranks that was in
// it); no time once all ranks are there (infinite bandwidth, no latency); for ever (no bandwidth).
enum class CollectiveDurations : uint8_t { kSimulated, kTraced, kNone, kNever };
struct ReplayJobSpec {
  std::vector<std::string> files;  // of the traces: files, folders, tars
  Place files_at{};
  std::shared_ptr<const ReplayTrace> trace;  // what is in them; null: read when the job is made
  CollectiveDurations durations = CollectiveDurations::kSimulated;
  UnnamedGroups unnamed_groups = UnnamedGroups::kRefused;
  AlgorithmSpec all_reduce;  // others: ring, or the first that there is
};

// Which of the devices that `ranks` selects a job gets, of those that no job before it has (placement.h).
enum class PlacementRule : uint8_t { kPacked, kSpread, kRandom };
struct PlacementSpec {
  PlacementRule rule = PlacementRule::kPacked;
  int count = 1;
  Place at;
};

struct JobSpec {
  std::string name;
  std::vector<std::string> ranks;                         // selectors; rank order is their order
  std::optional<PlacementSpec> placement = std::nullopt;  // without it the job gets all of them
  Duration start{};
  bool verify = false;  // real data travels with its messages and is compared with the direct sum
  std::variant<CollectiveJobSpec, DdpJobSpec, TrainingJobSpec, ParameterServerJobSpec, ShardedJobSpec,
               ReplayJobSpec, BackgroundJobSpec>
      kind;
  Place at;  // of the job; errors of finding ranks go to `ranks_at`
  Place ranks_at;
};

}  // namespace brigade
