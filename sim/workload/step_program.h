// A step of sharded training as a list: what the compute stream does, one after the other, and the
// collectives that it sets off and waits for. All ranks have the same list; only how long its operations last
// differs.
//
// A collective is launched when the operation that sets it off begins or ends, or when the collective that
// does is done, and runs on its communicator's stream, in order; where a share has to come from the host
// first, when it has. So what overlaps is nowhere written down. Memory is counted where the list says that it
// is taken or given back.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/base/bytes.h"
#include "sim/collective/algorithm.h"
#include "sim/workload/spec.h"

namespace brigade {

enum class Work : uint8_t {
  kBegin,  // nothing; collectives that start with the step hang on it
  kForward,
  kRecompute,
  kBackward,
  kCopyOut,  // of a gathered buffer into parameters
  kCopyIn,   // of gradients into a buffer that is reduced
  kReshard,  // of a part of gathered parameters, which is kept
  kWait,     // for collectives only
  kNorm,
  kOptimizer,
  kHostOptimizer,  // on the host, once all gradients are there: the compute stream is idle until it has ended
  kToHost,         // updated parameters go back to the host: the same
  kGap             // of the host: the compute stream is idle
};

struct StepOp {
  Work work = Work::kBegin;
  uint32_t segment = 0;         // kForward, kRecompute, kBackward
  std::string name;             // for the timeline: "forward h.3"
  Bytes moved{};                // by memory, beside what layers move
  std::vector<uint32_t> waits;  // collectives that have to be done before
  std::vector<uint32_t> sets_off_at_begin, sets_off_at_end;
  std::vector<uint32_t> reads_at_begin, reads_at_end;  // set off, as the collectives are
  Bytes taken_at_begin{}, given_back_at_end{};         // memory
};

// One of the communicators that every rank has, each with its own stream.
struct StepComm {
  std::string name;                   // of its stream; the first one's is empty
  std::string among = "shard_group";  // who they are, in results
  std::optional<GroupSpec> groups;    // that run its collectives by themselves; absent: all ranks together
};

struct StepCall {
  int communicator = 0;
  Collective collective = Collective::kAllGather;
  int64_t elements = 0;  // of the whole, padded
  DType dtype = DType::kFp32;
  std::string label;
  Bytes taken_at_launch{}, given_back_at_end{};  // memory
  // With offloaded parameters: a rank's share, copied to its device before the collective starts, once these
  // reads have ended.
  Bytes copied{};
  std::vector<uint32_t> reads = {};
  // With the optimizer on the host: a rank's share of the result, which goes there when the collective has
  // ended; and the memory that is given back when it has arrived.
  Bytes to_host{}, given_back_at_host{};
  std::vector<uint32_t> sets_off;  // collectives, when it is done
};

struct StepProgram {
  std::vector<StepOp> ops;
  // In the order in which they are set off, each before those that it sets off.
  std::vector<StepCall> calls;
  std::vector<Bytes> reads;  // of shares, from NVMe into the host's memory
  int64_t host_buffers = 0;  // that the reads cannot do without
  Bytes held{};              // of memory, at the begin and the end of a step
  std::vector<StepComm> comms = {{}};
};

// Collects operations in order, and collectives in any: finish() numbers these by what sets them off.
class ProgramBuilder {
 public:
  // Returns its number; the last one is last().
  uint32_t add(StepOp op);
  uint32_t last() const { return static_cast<uint32_t>(program_.ops.size() - 1); }
  StepOp& op(uint32_t number) { return program_.ops[number]; }
  StepCall& call(uint32_t number) { return program_.calls[number]; }
  // Set off when operation `op` begins or ends. Returns a number for wait_for().
  uint32_t call_at_begin(uint32_t op, StepCall call);
  uint32_t call_at_end(uint32_t op, StepCall call);
  // The same of a read; returns its number.
  uint32_t read_at_begin(uint32_t op, Bytes bytes);
  uint32_t read_at_end(uint32_t op, Bytes bytes);
  uint32_t call_after(uint32_t before, StepCall call);  // when collective `before` is done
  // The first one has number 0 and is there.
  StepComm& first_communicator() { return program_.comms.front(); }
  int add_communicator(StepComm comm);
  // Operation `op` waits for it.
  void wait_for(uint32_t op, uint32_t call) { program_.ops[op].waits.push_back(call); }
  void need_host_buffers(int64_t count) { program_.host_buffers = count; }
  StepProgram finish() &&;

 private:
  uint32_t add_call(StepCall call);
  StepProgram program_;
};

// The most memory that a step can hold: collectives end as late as the list allows.
Bytes peak_bound(const StepProgram& program);

}  // namespace brigade
