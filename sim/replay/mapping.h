// From the ranks of the traced job to N ranks: who communicates with whom, and how much.
//
// With the traces of all ranks N is their number, groups and sizes are as traced, and the k-th collective of
// a group is the same on all of its ranks. The trace of one rank stands for all, by these rules:
//   groups     ranks first, first + d, ... of the traced job. What reaches over the whole job (every rank, or
//   every
//              d-th) does so over N ranks; anything smaller keeps its size, and d x size must divide N.
//              (Tensor parallelism in the node keeps its size, data parallelism across nodes grows.)
//   sizes      all_reduce, reduce, broadcast, and what a rank brings to all_to_all stay; all_gather and
//              reduce_scatter keep the whole, and each rank has 1/N of it, rounded up.
// A group of which the trace does not say the ranks, or whose ranks are not in step, cannot be mapped.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/base/ids.h"
#include "sim/replay/replay_trace.h"

namespace brigade {

// What stands for the ranks of a group of which only the number is known.
enum class UnnamedGroups : uint8_t { kRefused, kContiguous, kStrided };

struct MappedCall {
  Collective collective{};
  int64_t elements = 0, element_bytes = 1;  // as CommunicateRequest counts them
  std::string label;
  std::vector<uint32_t> at;  // by rank of the communicator: index of collectives in the graph of that rank
  // all_to_all that is not even: elements that rank i of the communicator sends to rank j, at i x ranks + j.
  std::vector<int64_t> sent;
};
struct MappedCommunicator {
  std::string name;
  std::vector<Rank> ranks;        // of the job
  std::vector<MappedCall> calls;  // in order
};
struct ReplayMap {
  std::vector<MappedCommunicator> communicators;
  std::vector<std::string> rules;  // what was done, for people
};

// Nothing where it cannot be; `errors` then says why, at `at`.
std::optional<ReplayMap> map_ranks(const ReplayTrace& trace, Rank ranks, UnnamedGroups unnamed,
                                   const Place& at, Diagnostics& errors);

}  // namespace brigade
