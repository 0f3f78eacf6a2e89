// Small clusters that tests run on, made by hand so that their figures can be checked by hand.
#pragma once
#include <memory>
#include <vector>

#include "sim/topology/topology.h"

namespace brigade::oracle {

// `n` GPUs on one switch; up- and downlink of GPU i have bandwidths[i mod size].
std::unique_ptr<const Topology> star(int n, const std::vector<Bandwidth>& bandwidths, Duration latency);

// The same as a node family, whose routes are computed and not looked up: `n` GPUs on an NVLink switch.
std::unique_ptr<const Topology> nvswitch(int n, Bandwidth bandwidth, Duration latency);

// gpu[0] - switches - gpu[1] in a row, one cable for each bandwidth.
std::unique_ptr<const Topology> chain(const std::vector<Bandwidth>& bandwidths, Duration latency);

// The lecture's machine: nodes of `gpus` on an NVLink switch (450 GB/s, 2.5 us a link), a NIC for each (50
// GB/s, 1 us to the GPU, 4 us to the switch).
std::unique_ptr<const Topology> lecture(int nodes, int gpus, double bf16_peak_flop_per_s = 0);

std::vector<VertexId> gpus_of(const Topology& topology);

}  // namespace brigade::oracle
