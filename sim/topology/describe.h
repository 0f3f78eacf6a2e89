// A cluster in words: counts, devices, cables, where pairs of GPUs meet, injection, oversubscription,
// bisection.
#pragma once
#include <string>

#include "sim/topology/topology.h"

namespace brigade {

// Seconds for 65,536 GPUs: what would take longer is looked at in part, which the text says.
std::string describe(const Topology& topology);

}  // namespace brigade
