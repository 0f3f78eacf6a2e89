// A graph under construction, of one node type or of the whole cluster: what blueprints and the builder
// share.
#pragma once
#include <vector>

#include "sim/topology/spec.h"
#include "sim/topology/topology.h"

namespace brigade {

// What a cable costs a route where its spec names no cost. PCIe counts double, so that NVLink wins wherever
// both join two devices: GPU - NVSwitch - GPU is 2, GPU - PCIe switch - GPU is 4.
constexpr uint32_t kCostDefault = 1;
constexpr uint32_t kCostPcieDefault = 2;

struct Graph {
  std::vector<Vertex> vertices;
  std::vector<Link> links;  // 2 i leads from a to b of cable i, 2 i + 1 back

  void cable(VertexId a, VertexId b, const CableSpec& c, uint32_t cost_default);
};

// `cables` of the spec in one link: `cables` times the bandwidth.
Bandwidth bandwidth_of(const CableSpec& c);
uint32_t cost_of(const CableSpec& c, uint32_t cost_default);

// Whether routes may lead through the vertex: switches and NICs always, devices only if told to.
inline bool relays(const Vertex& v) {
  return v.forward || (v.kind != VertexKind::kGpu && v.kind != VertexKind::kHost);
}

}  // namespace brigade
