// Tensor fusion as Horovod does it: which gradients are reduced together is not planned, but follows from
// when they become ready.
//
// A background thread a rank begins a cycle every HOROVOD_CYCLE_TIME, counted from the beginning of the one
// before (horovod/common/operations.cc, RunLoopOnce). In it the ranks agree on the tensors that all of them
// have handed over since, by an all-reduce of bits over the CPUs (response_cache.cc,
// CacheCoordinator::sync), so that the cycles of all ranks begin together. What all have is fused
// (controller.cc, FuseResponses) and reduced, one buffer after the other on a stream; the thread does not
// wait for it (ops/gpu_operations.cc, FinalizeGPUQueue hands that to finalizer threads). So a cycle is longer
// than asked for only where agreeing takes longer; then the next one follows at once.
//
// 64 MiB and 5 ms before release 0.21, 128 MiB and 1 ms since.
// Left out: the first step's requests to the coordinator (nothing is in its cache yet); rounding of the
// threshold and of tensors to multiples of a few bytes; grouped and sparse tensors; autotuning.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/base/time.h"
#include "sim/engine/simulation.h"
#include "sim/workload/buckets.h"

namespace brigade {

// Tensors [first, last) of `in_order` as they are fused: each buffer takes the first that is left and, of its
// dtype, those after it that still fit under the threshold. Past tensors of other dtypes it looks on as long
// as they would fit too. A larger tensor goes alone, with a threshold of 0 every one. Buckets hold indices
// into `in_order`.
std::vector<Bucket> fuse(std::span<const TensorInfo> in_order, uint32_t first, uint32_t last,
                         Bytes threshold);

// When the cycles of ranks that agree with each other begin.
class FusionCycles {
 public:
  FusionCycles(Duration cycle, Duration negotiation, Time first);

  // The first one at `at` or later that has not begun yet; with no time between cycles: `at`.
  Time next(Time at) const;
  void begin(Time at) { last_ = at; }
  // A rank whose host stands still keeps all from agreeing: the cycle that it misses begins when it is back.
  void stop(Time at) { stopped_ = at; }
  void go_on(Time at);
  // How many have begun before `at`; nothing where they follow each other without end.
  std::optional<int64_t> begun(Time at) const;

 private:
  Duration period_;
  Time anchor_;  // here one begins, and from here on one every period
  int64_t before_anchor_ = 0;
  Time last_{-1}, stopped_{};
};

// One fused buffer, the same on all ranks of a group.
struct FusedBuffer {
  Bucket bucket;
  int step = 0;
  uint32_t index = 0;      // within its step
  Time cycle{}, agreed{};  // when its cycle began, and when all ranks know of it
};

// Ranks that agree with each other.
struct FusionGroup {
  FusionCycles cycles;
  AlarmId alarm = 0;
  bool asked = false;    // a cycle is to look for tensors
  uint32_t stopped = 0;  // ranks whose hosts stand still
  uint64_t found = 0;    // tensors of all steps that were ready on all ranks
  std::vector<FusedBuffer> buffers = {};
  size_t known = 0;  // of them, to all ranks
};

// One rank's way through the buffers of its group.
struct FusionRank {
  enum class At : uint8_t { kNothing, kCopyIn, kReduce, kCopyOut };
  struct Stream {
    At at = At::kNothing;
    uint32_t next = 0;  // buffer of the group
  };
  struct Times {
    Time start{}, end{};  // of an all-reduce
  };
  std::vector<Stream> streams;
  std::vector<Times> times;  // by buffer of this step
  uint32_t reduced = 0;      // tensors of this step
  bool stopped = false;
  Duration waited{};  // of this step, for a cycle, with nothing else to do
  Time drawn{};       // its timeline up to here shows what gathered for a cycle
};

}  // namespace brigade
