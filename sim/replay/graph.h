// A trace of one rank as a graph of what waits for what: everything in it moves when a predecessor moves.
//
// A node begins at the latest of (end of a predecessor + lag of that edge), and ends after its work. Nodes of
// the host are instants (a launch, the begin and end of a call that blocks, a step's ends); the time between
// two of them on a thread is the lag of their edge: the host's work, as traced. Nodes of the GPU are kernels,
// copies and collectives; their predecessors are
//   launch     the call with the same correlation
//   stream     the task before on its stream
//   event      what its stream was made to wait for: see waits.h
// The edge that decided in the trace has exactly the traced lag, so that with traced durations every node
// begins when it did; any other has the lag that is usual for its kind, or what was left in the trace where
// that is less. Calls that block the host end after what they wait for. Where a thread falls silent while
// another works, it is taken to wait for that one (hand-overs between main thread and autograd: handoffs.h).
//
// Left out: launches that block because the GPU's queue is full, kernels that slow each other down, power.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/time.h"
#include "sim/collective/algorithm.h"

namespace brigade {

// A process group of the trace. `ranks` ascend; empty where the trace only says how many they are.
struct ReplayGroup {
  std::string name;
  int64_t size = 0;
  std::vector<int64_t> ranks;
  bool operator==(const ReplayGroup&) const = default;
};

struct ReplayCollective {
  Collective collective{};
  std::string traced_as;                      // "_allgather_base"
  int64_t in_elements = 0, out_elements = 0;  // of this rank's buffers
  std::string dtype;                          // "Float"
  int64_t element_bytes = 0;
  uint32_t group = 0;                        // index of groups
  std::vector<int64_t> in_split, out_split;  // all_to_all: elements to and from each rank, where traced
  uint32_t node = 0;
};

struct ReplayNode {
  enum class Kind : uint8_t { kHost, kTask, kCollective };
  Kind kind{};
  bool blocks = false;  // of the host: the end of a call that waited
  uint16_t stream = 0;  // index of streams
  uint32_t step = 0;
  uint32_t name = 0;            // index of names
  uint32_t collective = kNone;  // index of collectives
  Time traced_begin{};          // since the first step began
  Duration work{};              // as traced
};

struct ReplayEdge {
  uint32_t to = 0;
  Duration lag{};
};

struct ReplayStep {
  std::string name;             // "ProfilerStep#4"
  uint32_t begin = 0, end = 0;  // nodes of the host
};

struct ReplayGraph {
  std::string file;
  int64_t rank = -1, world = -1;  // -1: not said
  std::string device;
  __int128 began_ns = 0;  // the first step, on the clock of the machine
  uint64_t hash = 0;
  std::vector<std::string> names;
  std::vector<int32_t> streams;   // as the trace numbers them, ascending
  std::vector<ReplayNode> nodes;  // node 0 begins the first step and precedes all others
  // Edges that leave node n: [edges_first[n], edges_first[n + 1]).
  std::vector<uint32_t> edges_first;
  std::vector<ReplayEdge> edges;
  std::vector<uint32_t> predecessors;  // by node, how many
  std::vector<ReplayStep> steps;
  std::vector<ReplayGroup> groups;
  std::vector<ReplayCollective> collectives;         // in the order in which they began
  std::vector<std::string> found, assumed, ignored;  // sentences for people
};

}  // namespace brigade
