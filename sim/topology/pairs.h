// Where pairs of devices meet: over NVLink, over PCIe, on one rail, across rails; and how long the longest
// route is.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/topology/topology.h"

namespace brigade {

// Pairs whose routes are of one kind.
struct PairClass {
  std::string way;  // "NVLink through a switch", "network, same rail, 1 switch", "no route"
  uint64_t pairs = 0;
  int hops_min = 0, hops_max = 0;
  Duration latency_min{}, latency_max{};
  int64_t slowest_min = 0, slowest_max = 0;  // bytes per second of the slowest link
  VertexId from = kNone, to = kNone;         // an example
};

struct Pairs {
  std::vector<PairClass> classes;  // near ones first
  uint64_t looked_at = 0;          // ordered pairs
  uint64_t devices = 0, destinations = 0;
  int diameter = 0;  // links of the longest route that was looked at
  bool all() const { return destinations == devices; }
};

// All pairs of a cluster of up to about a thousand devices; beyond, the routes from all devices to some of
// them, evenly chosen.
Pairs pairs_of(const Topology& topology);

}  // namespace brigade
