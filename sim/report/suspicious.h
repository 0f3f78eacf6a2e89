// Values that are allowed and yet look like a slip of a unit: 400 GB/s on a NIC whose port has 400 Gb/s.
#pragma once
#include "sim/base/diagnostic.h"
#include "sim/scenario/scenario.h"

namespace brigade {

// A warning for each, at its place. A value that a cluster file repeats for several parts is one warning.
void warn_of_suspicious_values(const Scenario& scenario, Diagnostics& out);

}  // namespace brigade
