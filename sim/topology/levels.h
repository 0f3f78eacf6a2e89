// The fabric's switches by level: what each carries down towards the devices, and up.
#pragma once
#include <vector>

#include "sim/topology/topology.h"

namespace brigade {

// Equal switches of one level. Bandwidths are of one switch, each way; links that are down do not count.
struct SwitchClass {
  int level = 1;  // 1 has devices or NICs below it; others are as many switches away from them
  int64_t down_bytes_per_s = 0, up_bytes_per_s = 0, across_bytes_per_s = 0;  // across: to the same level
  uint32_t switches = 0;
  VertexId example = kNone;
};

// By vertex: the level of a switch of the fabric, 0 for all else.
std::vector<int> switch_levels(const Topology& topology);

// By level, then by bandwidth. NVLink and PCIe switches are not of the fabric.
std::vector<SwitchClass> switch_classes(const Topology& topology);

}  // namespace brigade
