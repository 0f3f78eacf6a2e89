// The user's mistakes in a fabric.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/topology/spec.h"

namespace brigade {

constexpr int kSpinesMax = 4096;
constexpr int kPortsMax = 1024;

// Those that show without its nodes.
void check_fabric(const FabricSpec& f, Diagnostics& errors);
// A node as its fabric sees it.
struct NodePorts {
  uint32_t nics = 0;
  uint32_t vertices = 0;  // of all kinds
};
// Whether it has room for the nodes, and they are such as it can join.
void check_fabric_size(const FabricSpec& f, const std::vector<NodePorts>& nodes, Diagnostics& errors);

}  // namespace brigade
