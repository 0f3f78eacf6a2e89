// All ranks of a replay together, without a network: collectives last as traced, no time, or for ever.
#pragma once
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "sim/replay/dataflow.h"
#include "sim/replay/mapping.h"

namespace brigade {

// Where a collective of a rank runs: which communicator, which of its calls, and who the rank is there.
struct CallPlace {
  uint32_t communicator = 0, call = 0;
  Rank rank = 0;
};
// places[rank][index of collectives].
std::vector<std::vector<CallPlace>> places_of(const ReplayTrace& trace, const ReplayMap& map, Rank ranks);

inline const ReplayGraph& graph_of(const ReplayTrace& trace, Rank r) {
  return trace.graphs[trace.has_all_ranks() ? r : 0];
}

enum class Unsimulated : uint8_t {
  kTraced,  // each rank's part lasts as long as it did there
  kNone,    // ends everywhere when the last rank has begun
  kNever
};
// A flow a rank; `begins` and `compute_shares` by rank.
std::deque<Dataflow> replay_together(const ReplayTrace& trace, const ReplayMap& map,
                                     std::span<const Time> begins, std::span<const double> compute_shares,
                                     Unsimulated mode);

}  // namespace brigade
