// GPUs and hosts on one switch, as small_jobs.h has them: links of 1 GB/s, 1 us from end to end.
#pragma once
#include <string>

#include "tests/workload/small_jobs.h"

namespace brigade {

inline std::unique_ptr<const Topology> with_hosts(int gpus, int hosts) {
  ClusterSpec spec;
  spec.models["small"] = small_device("small");
  add_vertex(spec, "switch[0]", "switch");
  for (int i = 0; i < gpus; ++i) {
    add_vertex(spec, "gpu[" + std::to_string(i) + "]", "gpu", "small");
    add_cable(spec, "gpu[" + std::to_string(i) + "]", "switch[0]");
  }
  for (int i = 0; i < hosts; ++i) {
    add_vertex(spec, "host[" + std::to_string(i) + "]", "host");
    add_cable(spec, "host[" + std::to_string(i) + "]", "switch[0]");
  }
  return build(spec);
}

// GPUs on a switch, and one host whose memory is reached by way of a switch of its own: copies from it meet
// each other, and never a collective.
inline std::unique_ptr<const Topology> with_host_apart(int gpus, Bandwidth bandwidth, Duration latency) {
  ClusterSpec spec;
  spec.models["small"] = small_device("small");
  for (const char* name : {"switch[0]", "switch[1]"}) add_vertex(spec, name, "switch");
  add_vertex(spec, "host[0]", "host");
  add_cable(spec, "host[0]", "switch[1]", bandwidth, latency);
  for (int i = 0; i < gpus; ++i) {
    const std::string gpu = "gpu[" + std::to_string(i) + "]";
    add_vertex(spec, gpu, "gpu", "small");
    add_cable(spec, gpu, "switch[0]");
    add_cable(spec, gpu, "switch[1]", bandwidth, latency);
    spec.cables.back().cable.cost = 2;  // no way from GPU to GPU
  }
  return build(spec);
}

}  // namespace brigade
