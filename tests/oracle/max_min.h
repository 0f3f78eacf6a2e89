// Max-min fair rates and the ends of flows by the book, in floating point, everything anew at each change.
#pragma once
#include <vector>

#include "sim/base/ids.h"

namespace brigade::oracle {

struct PlainFlow {
  std::vector<LinkId> route;
  double bytes = 0, start_s = 0;
  double weight = 1;
  double cap_bytes_per_s = 0;  // 0: none
};

// Rates in B/s. Flows that are not `present` have 0.
std::vector<long double> max_min(const std::vector<double>& links_bytes_per_s,
                                 const std::vector<PlainFlow>& flows, const std::vector<bool>& present);

// When each flow ends, in s.
std::vector<long double> flow_ends(const std::vector<double>& links_bytes_per_s,
                                   const std::vector<PlainFlow>& flows);

}  // namespace brigade::oracle
