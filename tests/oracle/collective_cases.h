// The oracle's table: a row an algorithm, and what is varied about it. A new algorithm adds its row here (a
// test demands it).
#pragma once
#include <vector>

#include "sim/collective/algorithm.h"

namespace brigade::oracle {

enum class Varied { kNothing, kRoot, kNodes };

struct CollectiveCase {
  Collective collective;
  const char* algorithm;
  Varied varied = Varied::kNothing;
};

inline const CollectiveCase kCollectiveCases[] = {
    {Collective::kAllReduce, "naive"},
    {Collective::kAllReduce, "ring"},
    {Collective::kAllReduce, "tree"},
    {Collective::kAllReduce, "butterfly"},
    {Collective::kAllReduce, "halving_doubling"},
    {Collective::kAllReduce, "hierarchical", Varied::kNodes},
    {Collective::kAllReduce, "double_binary_tree"},
    {Collective::kAllReduce, "direct"},
    {Collective::kReduceScatter, "ring"},
    {Collective::kReduceScatter, "direct"},
    {Collective::kAllGather, "ring"},
    {Collective::kAllGather, "direct"},
    {Collective::kBroadcast, "tree", Varied::kRoot},
    {Collective::kBroadcast, "chain", Varied::kRoot},
    {Collective::kReduce, "tree", Varied::kRoot},
    {Collective::kReduce, "chain", Varied::kRoot},
    {Collective::kAllToAll, "direct"},
    {Collective::kSendRecv, "listed"},
    {Collective::kBarrier, "dissemination"},
};

// Every way to run the case on `ranks` ranks: roots at both ends and between; every division into nodes with
// every inner and outer algorithm.
std::vector<PlanRequest> requests(const CollectiveCase& row, Rank ranks, int64_t elements);

}  // namespace brigade::oracle
