#include "sim/topology/graph.h"

namespace brigade {

Bandwidth bandwidth_of(const CableSpec& c) {
  return Bandwidth::per_second(c.cables * c.bandwidth.bytes_per_s());
}

uint32_t cost_of(const CableSpec& c, uint32_t cost_default) {
  return c.cost ? static_cast<uint32_t>(*c.cost) : cost_default;
}

void Graph::cable(VertexId a, VertexId b, const CableSpec& c, uint32_t cost_default) {
  const Bandwidth bandwidth = bandwidth_of(c);
  const uint32_t cost = cost_of(c, cost_default);
  links.push_back({.from = a, .to = b, .bandwidth = bandwidth, .latency = c.latency, .cost = cost});
  links.push_back({.from = b, .to = a, .bandwidth = bandwidth, .latency = c.latency, .cost = cost});
}

}  // namespace brigade
