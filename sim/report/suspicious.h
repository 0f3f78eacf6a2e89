// What is allowed and yet looks like a slip: 400 GB/s on a NIC whose port has 400 Gb/s, devices that nothing
// joins.
#pragma once
#include "sim/base/diagnostic.h"
#include "sim/scenario/scenario.h"
#include "sim/topology/topology.h"

namespace brigade {

// A warning for each, at its place. A value that a cluster file repeats for several parts is one warning.
void warn_of_suspicious_values(const Scenario& scenario, Diagnostics& out);

// What shows only in the cluster once it is built, `at` its place: pairs of devices without a route (where
// there are more than four million pairs, of every so-manieth device to all), cables that are not the same
// both ways.
void warn_of_suspicious_topology(const Topology& topology, const Place& at, Diagnostics& out);

}  // namespace brigade
