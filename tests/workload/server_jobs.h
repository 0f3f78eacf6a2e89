// Parameter servers on a star: gpu[0-n] are workers, host[0-k] servers, every cable 50 GB/s (a byte lasts 20
// ps) and 1 us, so a message waits 2 us besides its bytes.
#pragma once
#include "tests/workload/small_jobs.h"

namespace brigade {

inline const Bandwidth kServerRate = Bandwidth::gb_per_s(50);
constexpr Duration kThere = microseconds(2);

inline std::unique_ptr<const Topology> server_star(int workers, int servers) {
  ClusterSpec spec;
  add_vertex(spec, "switch[0]", "switch");
  const auto add = [&](const std::string& name, const char* kind) {
    add_vertex(spec, name, kind);
    add_cable(spec, name, "switch[0]", kServerRate, microseconds(1));
  };
  for (int i = 0; i < workers; ++i) add("gpu[" + std::to_string(i) + "]", "gpu");
  for (int i = 0; i < servers; ++i) add("host[" + std::to_string(i) + "]", "host");
  return build(spec);
}

// A gradient of `bytes` single bytes, no compute, servers on all hosts.
inline ParameterServerJobSpec server_job(int64_t bytes, ServerMode mode = ServerMode::kSynchronous) {
  ParameterServerJobSpec job;
  TensorSpec tensor;
  tensor.name = "gradient";
  tensor.elements = bytes;
  job.work.model.tensors = {tensor};
  job.work.model.forward = job.work.model.backward = Duration{};
  job.work.precision.gradients = DType::kUint8;
  job.work.optimizer = OptimizerKind::kNone;
  job.work.buckets.gradient_as_bucket_view = true;
  job.servers = {"host[*]"};
  job.mode = mode;
  return job;
}

inline ParameterServerResult server_result(const RunResult& run, size_t job = 0) {
  return std::get<ParameterServerResult>(run.jobs.at(job).result);
}
inline ParameterServerResult run_server(const Topology& topology, const ParameterServerJobSpec& job,
                                        const NetworkSpec& network = {},
                                        const std::vector<RankChange>& changes = {}) {
  return server_result(run_jobs(topology, {job_on("gpu[*]", job)}, network, changes, {.paranoid = true}));
}

}  // namespace brigade
