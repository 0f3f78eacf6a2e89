// One node of each type as a graph with local numbers; the builder stamps it out once a node.
//
// Vertices come in the order GPUs, NVLink switches, PCIe switches, hosts, NICs. NVLink cables come first, in
// the order that node_routes.cc computes with.
#pragma once
#include <array>

#include "sim/topology/graph.h"
#include "sim/topology/spec.h"

namespace brigade {

struct NodeLayout {
  uint32_t gpus = 0, nvswitches = 0, pcie_switches = 0, hosts = 0, nics = 0;

  uint32_t nvswitch(uint32_t i) const { return gpus + i; }
  uint32_t pcie_switch(uint32_t i) const { return gpus + nvswitches + i; }
  uint32_t host(uint32_t i) const { return gpus + nvswitches + pcie_switches + i; }
  uint32_t nic(uint32_t i) const { return gpus + nvswitches + pcie_switches + hosts + i; }
  uint32_t size() const { return nic(nics); }
};

NodeLayout layout_of(const NodeType& type);

// All vertices carry node 0 and no model. Needs a checked type (check_spec.h).
Graph blueprint_of(const NodeType& type);

// DGX-1 with V100: pairs of GPUs and their NVLinks, six links a GPU. Each quad is a full mesh, GPU g is
// joined to g + 4. NVIDIA, "DGX-1 With Tesla V100 System Architecture" (WP-08437), figure 4; the same wiring
// as NCCL reads from such a machine (NVIDIA/nccl issue 671).
struct CubeMeshPair {
  uint8_t a, b, links;
};
constexpr std::array<CubeMeshPair, 16> kHybridCubeMesh{{{0, 1, 1},
                                                        {0, 2, 1},
                                                        {0, 3, 2},
                                                        {0, 4, 2},
                                                        {1, 2, 2},
                                                        {1, 3, 1},
                                                        {1, 5, 2},
                                                        {2, 3, 2},
                                                        {2, 6, 1},
                                                        {3, 7, 1},
                                                        {4, 5, 1},
                                                        {4, 6, 1},
                                                        {4, 7, 2},
                                                        {5, 6, 2},
                                                        {5, 7, 1},
                                                        {6, 7, 2}}};

}  // namespace brigade
