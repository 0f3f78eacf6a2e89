// The rows that the algorithm files define. A new algorithm is declared here and listed in algorithm.cc.
#pragma once
#include "sim/collective/algorithm.h"

namespace brigade {

extern const Algorithm kNaiveAllReduce;
extern const Algorithm kRingAllReduce, kRingReduceScatter, kRingAllGather;
extern const Algorithm kTreeAllReduce, kTreeBroadcast, kTreeReduce;
extern const Algorithm kButterflyAllReduce;
extern const Algorithm kHalvingDoublingAllReduce;
extern const Algorithm kHierarchicalAllReduce;
extern const Algorithm kDoubleBinaryTreeAllReduce;
extern const Algorithm kDirectAllReduce, kDirectReduceScatter, kDirectAllGather, kDirectAllToAll;
extern const Algorithm kChainBroadcast, kChainReduce;
extern const Algorithm kListedSendRecv;
extern const Algorithm kDisseminationBarrier;

// Inside hierarchical only: at other N than powers of two their parts are those of the power of two below, so
// they are no reduce-scatter or all-gather that a user could ask for.
extern const Algorithm kHalvingReduceScatter, kDoublingAllGather;

}  // namespace brigade
