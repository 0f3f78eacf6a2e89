#include "sim/topology/node_blueprint.h"

namespace brigade {
namespace {

void add_vertices(const NodeType& type, const NodeLayout& at, Graph& g) {
  const auto add = [&g](VertexKind kind, uint32_t count, bool forward) {
    for (uint32_t i = 0; i < count; ++i) {
      g.vertices.push_back({.kind = kind, .forward = forward, .node = 0, .index = i});
    }
  };
  add(VertexKind::kGpu, at.gpus, type.forward);
  add(VertexKind::kNvswitch, at.nvswitches, false);
  add(VertexKind::kPcie, at.pcie_switches, false);
  // The root of a PCIe tree passes traffic between its switches and to the other sockets.
  add(VertexKind::kHost, at.hosts, at.pcie_switches > 0);
  add(VertexKind::kNic, at.nics, false);
}

void add_nvlinks(const NodeType& type, const NodeLayout& at, Graph& g) {
  const auto cable = [&](uint32_t a, uint32_t b, int links) {
    CableSpec c = type.nvlink;
    c.cables *= links;
    g.cable(a, b, c, kCostDefault);
  };
  switch (type.family) {
    case NodeFamily::kNone:
      break;
    case NodeFamily::kSwitched:
      for (uint32_t i = 0; i < at.gpus; ++i) {
        for (uint32_t s = 0; s < at.nvswitches; ++s) cable(i, at.nvswitch(s), 1);
      }
      break;
    case NodeFamily::kFullMesh:
      for (uint32_t a = 0; a < at.gpus; ++a) {
        for (uint32_t b = a + 1; b < at.gpus; ++b) cable(a, b, 1);
      }
      break;
    case NodeFamily::kRing:
      for (uint32_t i = 0; i + 1 < at.gpus; ++i) cable(i, i + 1, 1);
      if (at.gpus > 2) cable(at.gpus - 1, 0, 1);
      break;
    case NodeFamily::kHybridCubeMesh:
      for (const CubeMeshPair& p : kHybridCubeMesh) cable(p.a, p.b, p.links);
      break;
  }
}

void add_pcie_tree(const NodeType& type, const NodeLayout& at, Graph& g) {
  const auto share = [&](uint32_t i, uint32_t count) {
    return at.pcie_switch(i / (count / at.pcie_switches));
  };
  for (uint32_t i = 0; i < at.gpus; ++i) g.cable(i, share(i, at.gpus), type.pcie, kCostPcieDefault);
  for (uint32_t i = 0; i < at.nics; ++i) g.cable(at.nic(i), share(i, at.nics), type.pcie, kCostPcieDefault);
  for (uint32_t i = 0; i < at.pcie_switches; ++i) {
    const uint32_t socket = i / (at.pcie_switches / at.hosts);
    g.cable(at.pcie_switch(i), at.host(socket), type.pcie, kCostPcieDefault);
  }
  for (uint32_t a = 0; a < at.hosts; ++a) {
    for (uint32_t b = a + 1; b < at.hosts; ++b) {
      g.cable(at.host(a), at.host(b), type.socket_link, kCostPcieDefault);
    }
  }
}

// Without a PCIe tree NICs hang directly on the devices that they serve.
void add_direct_nics(const NodeType& type, const NodeLayout& at, Graph& g) {
  const auto cable = [&](uint32_t device, uint32_t nic) {
    g.cable(device, at.nic(nic), type.nic_host, kCostPcieDefault);
  };
  if (at.nics <= at.gpus) {
    for (uint32_t i = 0; i < at.gpus && at.nics > 0; ++i) cable(i, i * at.nics / at.gpus);
  } else if (at.gpus > 0) {
    for (uint32_t n = 0; n < at.nics; ++n) cable(n * at.gpus / at.nics, n);
  }
  if (at.hosts == 0) return;
  for (uint32_t n = 0; n < at.nics; ++n) cable(at.host(0), n);
  for (uint32_t i = 0; i < at.gpus && at.nics == 0; ++i) g.cable(i, at.host(0), type.pcie, kCostPcieDefault);
}

}  // namespace

NodeLayout layout_of(const NodeType& type) {
  NodeLayout at;
  at.gpus = static_cast<uint32_t>(type.gpus);
  at.nvswitches = type.family == NodeFamily::kSwitched ? static_cast<uint32_t>(type.nvswitches) : 0;
  at.pcie_switches = static_cast<uint32_t>(type.pcie_switches);
  at.nics = static_cast<uint32_t>(type.nics);
  if (at.pcie_switches > 0) {
    at.hosts = static_cast<uint32_t>(type.sockets);
  } else if (type.host || type.gpus == 0) {
    at.hosts = 1;
  }
  return at;
}

Graph blueprint_of(const NodeType& type) {
  const NodeLayout at = layout_of(type);
  Graph g;
  add_vertices(type, at, g);
  add_nvlinks(type, at, g);
  if (at.pcie_switches > 0) {
    add_pcie_tree(type, at, g);
  } else {
    add_direct_nics(type, at, g);
  }
  return g;
}

}  // namespace brigade
