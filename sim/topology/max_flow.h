// What a network carries at most from some vertices to others, all links shared at best: the max-flow of
// Ford and Fulkerson, by Boykov and Kolmogorov's algorithm (Boost.Graph). An upper bound of what routes
// reach.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/topology/topology.h"

namespace brigade {

enum class FlowEnd : uint8_t { kNone, kSource, kSink };

// In bytes per second. `ends` has an entry a vertex. Devices that do not relay carry nothing for others;
// links that are down do not exist. Exact up to 2^62 B/s in all; beyond, capacities are scaled down.
double max_flow(std::span<const Vertex> vertices, std::span<const Link> links,
                const std::vector<FlowEnd>& ends);

}  // namespace brigade
