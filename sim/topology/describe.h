// A topology for people: `brigade topology FILE` prints these.
#pragma once
#include <string>

#include "sim/topology/topology.h"

namespace brigade {

// Counts of vertices, devices with their models, kinds of cables, the routes from the first device to all
// others by class (links, latency, bandwidth), what a node can inject into the fabric.
std::string describe(const Topology& topology);

// Graphviz DOT, undirected, one box a node; dead cables dashed.
std::string graphviz(const Topology& topology);

}  // namespace brigade
