// How far busbw can go on the links that a collective has. A run that claims more is wrong.
#pragma once
#include <span>
#include <string>

#include "sim/base/bandwidth.h"
#include "sim/topology/topology.h"
#include "sim/workload/result.h"

namespace brigade {

// Whatever the algorithm: an all-reduce has every rank but one send the buffer twice in all, so that busbw,
// as nccl-tests counts it, is at most what the ranks can send on average; what every rank must receive or
// send is bound by the slowest of them. Without collectives in the network, which are not in the packet
// model.
double busbw_limit_gb_per_s(Collective collective, Rank root, std::span<const VertexId> devices,
                            const Topology& topology);

// Why a row's busbw is above the slowest wire between neighbours: part of the traffic does not cross it.
// Empty where it is not above.
std::string busbw_above_wire(const CollectiveRow& row, std::span<const VertexId> devices,
                             const Topology& topology);

}  // namespace brigade
