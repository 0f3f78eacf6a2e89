// Jobs that are small enough to be timed by hand, and the cluster that makes the hand's work easy.
//
// Links of 1 GB/s (a byte lasts 1 ns) and 500 ns, so a message of b bytes through the switch takes 1 us + b
// ns. A GPU's memory moves a byte in 1 ps and computes a FLOP in 1 ps.
#pragma once
#include <string>
#include <vector>

#include "sim/base/check.h"
#include "tests/workload/run_jobs.h"

namespace brigade {

inline DeviceModel small_device(const std::string& name, double flop_per_s = 1e12, int64_t gb_per_s = 1000) {
  DeviceModel device;
  device.name = name;
  if (flop_per_s > 0) device.peak_flop_per_s["fp32"] = flop_per_s;
  if (gb_per_s > 0) device.memory_bandwidth = Bandwidth::gb_per_s(gb_per_s);
  return device;
}

inline std::unique_ptr<const Topology> build(const ClusterSpec& spec) {
  Diagnostics errors;
  auto topology = build_topology(spec, {}, errors);
  BRIGADE_CHECK(topology != nullptr, errors.text());
  return topology;
}

inline void add_vertex(ClusterSpec& spec, const std::string& name, const std::string& kind,
                       std::optional<std::string> model = {}) {
  VertexSpec v;
  v.name = name;
  v.kind = kind;
  v.model = std::move(model);
  spec.vertices.push_back(v);
}
inline void add_cable(ClusterSpec& spec, const std::string& a, const std::string& b,
                      Bandwidth bandwidth = Bandwidth::gb_per_s(1), Duration latency = nanoseconds(500)) {
  CableSpec cable;
  cable.bandwidth = bandwidth;
  cable.latency = latency;
  spec.cables.push_back({a, b, cable});
}

// gpu[i] is devices[i].
inline std::unique_ptr<const Topology> small_cluster(const std::vector<DeviceModel>& devices) {
  ClusterSpec spec;
  add_vertex(spec, "switch[0]", "switch");
  for (size_t i = 0; i < devices.size(); ++i) {
    const std::string gpu = "gpu[" + std::to_string(i) + "]";
    spec.models[devices[i].name] = devices[i];
    add_vertex(spec, gpu, "gpu", devices[i].name);
    add_cable(spec, gpu, "switch[0]");
  }
  return build(spec);
}
inline std::unique_ptr<const Topology> small_cluster(size_t gpus) {
  return small_cluster(std::vector(gpus, small_device("small")));
}

// Two pairs of GPUs, (0, 1) on one switch and (2, 3) on the other, joined by a single cable.
inline std::unique_ptr<const Topology> two_switches() {
  ClusterSpec spec;
  for (const char* name : {"switch[0]", "switch[1]"}) add_vertex(spec, name, "switch");
  for (int i = 0; i < 4; ++i) {
    const std::string gpu = "gpu[" + std::to_string(i) + "]";
    add_vertex(spec, gpu, "gpu");
    add_cable(spec, gpu, i < 2 ? "switch[0]" : "switch[1]");
  }
  add_cable(spec, "switch[0]", "switch[1]");
  return build(spec);
}

template <class Kind>
JobSpec job_on(const std::string& ranks, const Kind& kind, const std::string& name = "train") {
  JobSpec job;
  job.name = name;
  job.ranks = {ranks};
  job.kind = kind;
  return job;
}

// Whose gradient is ready so long after backward began.
inline TensorSpec tensor_ready(const std::string& name, Duration ready, int64_t elements) {
  TensorSpec tensor;
  tensor.name = name;
  tensor.elements = elements;
  tensor.ready = ready;
  return tensor;
}

// Three layers of 1,000 fp32 parameters, each 10 us forward and 20 us backward; a bucket a tensor, nothing
// else. On two GPUs a ring takes 2 (1 us + 2 us) = 6 us a bucket, so that a step is
//     forward 0 - 30 us, backward 30 - 90 us, buckets ready at 50, 70, 90 us, the last one reduced at 96 us.
inline DdpJobSpec small_ddp() {
  DdpJobSpec ddp;
  for (int i = 0; i < 3; ++i) {
    LayerSpec layer;
    layer.name = "layer" + std::to_string(i);
    TensorSpec tensor;
    tensor.name = layer.name + ".weight";
    tensor.elements = 1000;
    layer.parameters.push_back(tensor);
    layer.forward = microseconds(10);
    layer.backward = microseconds(20);
    ddp.model.layers.push_back(layer);
  }
  ddp.optimizer = OptimizerKind::kNone;
  ddp.buckets.rule = BucketRule::kFixed;
  ddp.buckets.cap = Bytes{4000};
  ddp.buckets.gradient_as_bucket_view = true;
  return ddp;
}

inline CollectiveJobSpec collective_job(const std::string& algorithm, std::vector<Bytes> sizes,
                                        Collective collective = Collective::kAllReduce) {
  CollectiveJobSpec job;
  job.collective = collective;
  AlgorithmSpec spec;
  spec.algorithm = algorithm;
  job.algorithms = {spec};
  job.sizes = std::move(sizes);
  return job;
}

inline DdpResult ddp_result(const RunResult& run, size_t job = 0) {
  return std::get<DdpResult>(run.jobs.at(job).result);
}
inline DdpResult run_ddp(const Topology& topology, const DdpJobSpec& ddp,
                         const std::vector<RankChange>& changes = {}) {
  return ddp_result(run_jobs(topology, {job_on("gpu[*]", ddp)}, {}, changes));
}
inline std::vector<CollectiveRow> rows_of(const RunResult& run, size_t job = 0) {
  return std::get<CollectiveResult>(run.jobs.at(job).result).rows;
}
inline std::vector<CollectiveRow> run_collective(const Topology& topology, const CollectiveJobSpec& job,
                                                 const NetworkSpec& network = {},
                                                 const std::vector<RankChange>& changes = {}) {
  return rows_of(run_jobs(topology, {job_on("gpu[*]", job, "test")}, network, changes));
}

inline RankChange change(const std::string& ranks, std::optional<double> compute_share,
                         std::optional<Duration> start = {}) {
  RankChange c;
  c.ranks = ranks;
  c.compute_share = compute_share;
  c.start = start;
  return c;
}

// The diagnostics of a request that must be refused.
inline std::string refusal_of(const Topology& topology, std::vector<JobSpec> jobs,
                              std::vector<RankChange> changes = {}) {
  Diagnostics errors;
  const NetworkSpec network;
  const auto run = Run::prepare({.topology = topology,
                                 .network = network,
                                 .seed = 1,
                                 .jobs = std::move(jobs),
                                 .changes = std::move(changes)},
                                errors);
  CHECK(run == nullptr);
  return errors.text();
}

inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace brigade
