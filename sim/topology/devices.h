// The devices that figures of a cluster are about.
#pragma once
#include <vector>

#include "sim/topology/topology.h"

namespace brigade {

// All GPUs in id order, or all hosts where there is no GPU.
inline std::vector<VertexId> devices_of(const Topology& topology) {
  std::vector<VertexId> gpus, hosts;
  for (VertexId v = 0; v < topology.vertices().size(); ++v) {
    if (topology.vertices()[v].kind == VertexKind::kGpu) gpus.push_back(v);
    if (topology.vertices()[v].kind == VertexKind::kHost) hosts.push_back(v);
  }
  return gpus.empty() ? hosts : gpus;
}

}  // namespace brigade
