// A PyTorch (Kineto) trace of one rank as plain events: what replay needs of each, and nothing else.
//
// Follows the Chrome Trace Event Format in the dialect of Kineto, old and new: categories of any case, NCCL
// kernels with or without the sizes of their collective, times of whole or fractional microseconds. Only
// complete events (ph: X) of the host and the GPU are kept; the rest is counted.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/replay/trace_file.h"

namespace brigade {

enum class EventKind : uint8_t {
  kOp,          // of the host: cpu_op
  kAnnotation,  // of the host: user_annotation; steps, "nccl:all_reduce"
  kCall,        // of the host, to the CUDA or HIP runtime or driver
  kTask,        // of the GPU: kernel, memcpy, memset
  kSync         // cuda_sync: what a wait waited for
};

struct TraceEvent {
  int64_t begin_ns = 0, duration_ns = 0;
  int64_t correlation = -1;
  uint32_t name = 0;    // index of names
  uint32_t thread = 0;  // of the host: index of threads
  int32_t stream = -1;  // of the GPU
  int32_t device = -1;  // of the GPU
  int32_t detail = -1;  // index of details
  EventKind kind{};
  int64_t end_ns() const { return begin_ns + duration_ns; }
};

// What a kernel of NCCL, or the operation that launched it, says about its collective; what a wait waited
// for.
struct TraceDetail {
  std::string collective;  // "allreduce", as PyTorch calls it; empty: not said
  std::string dtype;       // "Float"
  int64_t in_elements = -1, out_elements = -1;
  int64_t group_size = -1;
  int64_t rank_start = -1, rank_stride = -1;  // of the group, where they are in step
  std::string group_name;
  std::vector<int64_t> group_ranks;  // empty: not said, or only in part
  std::vector<int64_t> in_split, out_split;
  // "Input Dims" and "Input type": elements of each tensor, 0 for what is none.
  std::vector<int64_t> input_elements;
  std::vector<std::string> input_types;
  // cuda_sync
  int64_t wait_on_stream = -1;
  int64_t wait_on_record = -1;  // correlation of the cudaEventRecord
};

struct ProcessGroup {
  std::string name;
  std::vector<int64_t> ranks;
};

struct TraceEvents {
  std::string file;
  int64_t rank = -1, world_size = -1;  // -1: not said
  int64_t base_ns = 0;                 // what times count from, where it is said
  std::string device;                  // "NVIDIA A100-PG509-200"
  std::vector<ProcessGroup> groups;    // of distributedInfo
  std::vector<std::string> names;
  std::vector<std::string> threads;  // "process thread", as the trace calls them
  std::vector<TraceEvent> events;    // in file order
  std::vector<TraceDetail> details;
  std::map<std::string, int64_t> ignored;  // by what they are, how many
  uint64_t hash = 0;                       // of all bytes
};

// Errors are reported at their place: what is no JSON, is cut short, is another kind of file, an event
// without its times.
TraceEvents read_events(const TraceText& trace, Diagnostics& errors);

}  // namespace brigade
