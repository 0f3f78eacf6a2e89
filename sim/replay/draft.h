// What the pieces of the graph's making share; not for others. In order: steps, calls of the host, tasks of
// the GPU, collectives, waits, hand-overs, then the graph.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "sim/base/diagnostic.h"
#include "sim/base/ids.h"
#include "sim/replay/events.h"
#include "sim/replay/graph.h"

namespace brigade::replay {

struct StepSpan {
  int64_t begin_ns, end_ns;
  uint32_t thread;
  std::string name;
};

// Where on the host a call stands: the operations around it.
struct CallContext {
  uint32_t op = kNone;      // event: the outermost operation of a collective, or the note of a wait
  int32_t detail = -1;      // of the innermost one that names its collective
  int32_t annotation = -1;  // of "nccl:all_reduce": dims of what is sent
  int32_t tensors = -1;     // of "c10d::alltoall_base_": dims of both buffers
  uint32_t annotation_name = kNone, tensors_name = kNone;
  bool is_noted = false;    // within record_param_comms
  bool in_reducer = false;  // within AccumulateGrad: DDP's reducer launched it
  bool in_optimizer = false;
};

enum class CallKind : uint8_t { kOther, kLaunch, kStreamWait, kDeviceSync, kStreamSync, kEventSync };
struct Call {
  uint32_t event;
  uint32_t thread;
  int64_t begin_ns, end_ns;
  CallKind kind = CallKind::kOther;
  bool blocking_copy = false;
  CallContext context{};  // of launches and waits
};

struct Task {
  uint32_t event = 0;
  uint32_t stream = 0;  // index of streams
  int64_t begin_ns = 0, end_ns = 0;
  uint32_t launch = kNone;  // call
  uint32_t step = 0;
  uint32_t collective = kNone;
  uint32_t before = kNone;           // task before on its stream
  std::vector<uint32_t> waits = {};  // tasks that it waits for besides
};

// A thread's call that ends after tasks, besides the time it takes itself.
struct HostWait {
  uint32_t call;
  std::vector<uint32_t> tasks;
};
// What happens on `to` at to_ns waits for what happened on `from` at from_ns.
struct Handoff {
  uint32_t from, to;  // threads
  int64_t from_ns, to_ns;
};

struct Draft {
  explicit Draft(const TraceEvents& events) : trace(events) {}

  const TraceEvents& trace;
  int64_t begin_ns = 0, end_ns = 0;  // first step's begin, last step's end
  std::vector<StepSpan> steps;
  std::vector<Call> calls;  // by begin
  std::vector<Task> tasks;  // by begin
  std::vector<int32_t> streams;
  std::vector<ReplayGroup> groups;
  std::vector<ReplayCollective> collectives;  // `node` is their task for now
  std::vector<HostWait> host_waits;
  std::vector<Handoff> handoffs;
  std::vector<std::string> found, assumed, ignored;

  const std::string& name_of(uint32_t event) const { return trace.names[trace.events[event].name]; }
};

// A wait that fits the trace no better than this is none: clocks are rounded to microseconds.
constexpr int64_t kRounding_ns = 1'000;
// A delay that is longer must have a reason.
constexpr int64_t kDelay_ns = 20'000;
// A thread that is silent for longer may be waiting for another.
constexpr int64_t kSilence_ns = 100'000;

// "1 step", "3 steps".
std::string counted(int64_t count, const char* noun);

// Each reports what it finds to be no trace of training: then nothing after it makes sense.
bool find_steps(Draft& draft, Diagnostics& errors);
void find_calls(Draft& draft);
bool find_tasks(Draft& draft, Diagnostics& errors);
bool find_collectives(Draft& draft, Diagnostics& errors);
// Numbers the streams and links each task to the one before. A task that begins before that one has ended
// (times are rounded) ends it.
void order_streams(Draft& draft);
void find_waits(Draft& draft);
void find_handoffs(Draft& draft);

}  // namespace brigade::replay
