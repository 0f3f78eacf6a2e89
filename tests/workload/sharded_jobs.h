// Sharded jobs of written-out layers, on the clusters of small_jobs.h.
#pragma once
#include <string>
#include <vector>

#include "tests/workload/small_jobs.h"

namespace brigade {

// `layers` of these many fp32 parameters; nothing takes time but compute and collectives, and nothing is
// kept.
inline ShardedJobSpec sharded_job(const std::vector<int64_t>& layers, Duration forward, Duration backward) {
  ShardedJobSpec job;
  for (size_t i = 0; i < layers.size(); ++i) {
    LayerSpec layer;
    layer.name = "layer" + std::to_string(i);
    TensorSpec tensor;
    tensor.name = "weight";
    tensor.elements = layers[i];
    layer.parameters.push_back(tensor);
    layer.forward = forward;
    layer.backward = backward;
    job.work.model.layers.push_back(layer);
  }
  job.work.optimizer = OptimizerKind::kNone;
  job.work.buckets.gradient_as_bucket_view = true;
  job.prefetch = job.persistence_threshold = job.max_reuse_distance = 0;
  return job;
}

inline ShardedJobSpec zero_job(int stage, const std::vector<int64_t>& layers) {
  ShardedJobSpec job = sharded_job(layers, microseconds(10), microseconds(20));
  job.stage = stage;
  job.overlap = stage == 3;
  return job;
}

inline ShardedJobSpec fsdp_job(const std::vector<int64_t>& layers, Duration forward = microseconds(10),
                               Duration backward = microseconds(20)) {
  ShardedJobSpec job = sharded_job(layers, forward, backward);
  job.preset = ShardPreset::kFsdp2;
  job.stage = 3;
  return job;
}

inline ShardedResult sharded_result(const RunResult& run, size_t job = 0) {
  return std::get<ShardedResult>(run.jobs.at(job).result);
}

// Bytes that left all ranks together, by the counters of their links to the switch.
inline int64_t sent_by_all(const Topology& topology, const RunResult& run) {
  int64_t sum = 0;
  for (const LinkResult& link : run.links)
    if (topology.is_endpoint(topology.links()[link.link].from)) sum += link.bytes.count;
  return sum;
}

}  // namespace brigade
