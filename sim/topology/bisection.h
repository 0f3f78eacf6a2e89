// Bisection bandwidth: what crosses at most between two halves of the devices, each way.
//
// The least over all halves is NP-hard to find; what is searched are the halves that the numbering of devices
// suggests: by order (whole nodes: with an odd number of them one half is a node larger), and by each place
// of the number in a mixed base (device mod P below P/2, or above, for even P that divide their count). These
// hold the narrowest cut of trees, of tori of even sides, of cubes, rings and meshes numbered as usual. So it
// is an upper bound, and named as such.
#pragma once
#include <cstdint>

#include "sim/topology/topology.h"

namespace brigade {

struct Bisection {
  double bytes_per_s = 0;  // 0: fewer than two devices
  uint64_t devices = 0;    // GPUs, or hosts where there is none
  uint64_t period = 0;     // of the narrowest halves: `devices` is by order
  uint64_t smaller = 0;    // devices in the smaller half
  int splits = 0;          // that were looked at
  bool all_splits = true;  // false: too many for a large cluster, the coarsest only
};

Bisection bisection_of(const Topology& topology);

}  // namespace brigade
