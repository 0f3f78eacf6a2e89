// Scaling efficiency: compute 6 P T / (peak x MFU), one hierarchical all-reduce after it, efficiency compute
// / (compute + communication). The lecture's rows (6.1, exercise 6: 1.3e9 parameters in bf16), and other
// GPUs, tokens and NICs by its formulas:
//   2 (g-1) (5 us + M / (g 450 GB/s)) + 2 (n-1) (10 us + M / (g n B)), n nodes of g GPUs
#include "tests/oracle/machines.h"
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

constexpr double kPeak = 989e12, kMfu = 0.45;

std::unique_ptr<const Topology> machine(int nodes, int gpus, int64_t nic_gb_per_s) {
  ClusterSpec spec;
  NodeType type;
  type.name = "node";
  type.gpus = gpus;
  type.gpu = small_device("h100", 0, 0);
  type.gpu.peak_flop_per_s["bf16"] = kPeak;
  type.family = NodeFamily::kSwitched;
  type.nvlink.bandwidth = Bandwidth::gb_per_s(450);
  type.nics = gpus;
  for (CableSpec* cable : {&type.nic_host, &type.nic_port})
    cable->bandwidth = Bandwidth::gb_per_s(nic_gb_per_s);
  for (CableSpec* cable : {&type.nvlink, &type.nic_host, &type.nic_port}) cable->latency = nanoseconds(2500);
  spec.types = {type};
  spec.nodes = {{"node", nodes, {}}};
  spec.fabric.family = FabricFamily::kSwitch;
  return build(spec);
}

DdpJobSpec job(int64_t tensors, int64_t elements, int64_t tokens) {
  DdpJobSpec ddp;
  for (int64_t i = 0; i < tensors; ++i) {
    TensorSpec tensor;
    tensor.name = "block" + std::to_string(i);
    tensor.elements = elements;
    ddp.model.tensors.push_back(tensor);
  }
  ddp.precision.parameters = ddp.precision.gradients = ddp.precision.compute = DType::kBf16;
  ddp.compute.spread = Spread::kParameters;
  ddp.compute.kernel_efficiency = kMfu;
  ddp.compute.tokens = tokens;
  ddp.optimizer = OptimizerKind::kNone;
  ddp.buckets.rule = BucketRule::kFixed;
  ddp.buckets.one_bucket = true;
  ddp.buckets.gradient_as_bucket_view = true;
  ddp.all_reduce.algorithm = "hierarchical";
  return ddp;
}

}  // namespace

TEST_CASE("compute, communication and efficiency without overlap") {
  struct Row {
    int nodes, gpus;
    int64_t tokens, nic;
    double compute_ms, comm_ms, efficiency;  // as the lecture prints them; 0: not there
  };
  const Row rows[] = {{1, 8, 2048, 50, 35.9, 10.18, 0.78},
                      {8, 8, 2048, 50, 35.9, 21.70, 0.62},
                      {8, 8, 16384, 50, 287.1, 21.70, 0.93},
                      {8, 8, 2048, 25, 0, 0, 0},
                      {4, 4, 16384, 100, 0, 0, 0},
                      {2, 1, 4096, 50, 0, 0, 0},
                      {3, 2, 1000, 10, 0, 0, 0},
                      {1, 1, 2048, 50, 0, 0, 0}};
  for (const Row& row : rows) {
    INFO(row.nodes << " nodes of " << row.gpus << " GPUs, " << row.tokens << " tokens, NIC " << row.nic);
    const auto topology = machine(row.nodes, row.gpus, row.nic);
    NetworkSpec network;
    network.segment_rule = SegmentRule::kAuto;
    DdpResult r;
    r = ddp_result(run_jobs(*topology, {job_on("node[*].gpu[*]", job(400, 3'250'000, row.tokens))}, network));
    const double m = 2.6e9, g = row.gpus, n = row.nodes;
    const double compute = 6 * 1.3e9 * static_cast<double>(row.tokens) / (kPeak * kMfu);
    const double comm = 2 * (g - 1) * (5e-6 + m / (g * 450e9)) +
                        2 * (n - 1) * (10e-6 + m / (g * n * static_cast<double>(row.nic) * 1e9));
    CHECK(r.compute.mean_us == Approx(compute * 1e6).epsilon(1e-9));
    CHECK(r.communication.mean_us == Approx(comm * 1e6).epsilon(1e-6).margin(1e-6));
    CHECK(r.exposed.mean_us == Approx(comm * 1e6).epsilon(1e-6).margin(1e-6));
    CHECK(r.efficiency == Approx(compute / (compute + comm)).epsilon(1e-6));
    CHECK(r.global_batch_tokens == row.nodes * row.gpus * row.tokens);
    if (row.compute_ms == 0) continue;
    CHECK(r.compute.mean_us / 1000 == Approx(row.compute_ms).margin(0.05));
    CHECK(r.communication.mean_us / 1000 == Approx(row.comm_ms).margin(0.005));
    CHECK(r.efficiency == Approx(row.efficiency).margin(0.005));
  }
}

TEST_CASE("overlap helps where there is compute to hide behind") {
  const auto topology = machine(2, 2, 50);
  for (const int64_t tokens : {16384, 65536}) {
    DdpJobSpec ddp = job(20, 1'000'000, tokens);
    const DdpResult alone = ddp_result(run_jobs(*topology, {job_on("node[*].gpu[*]", ddp)}));
    ddp.buckets.one_bucket = false;
    ddp.buckets.cap = megabytes(10);
    const DdpResult over = ddp_result(run_jobs(*topology, {job_on("node[*].gpu[*]", ddp)}));
    CHECK(over.efficiency > alone.efficiency);
    CHECK(over.overlapped.mean_us > 0);
    CHECK(over.overlapped.mean_us <= over.communication.mean_us);
  }
}

TEST_CASE("very large batches are marked: beyond 4 million tokens, or 8,192 samples of other models") {
  const auto topology = machine(1, 2, 50);
  const auto large = [&](DdpJobSpec ddp) {
    return ddp_result(run_jobs(*topology, {job_on("node[*].gpu[*]", ddp)})).very_large_batch;
  };
  CHECK_FALSE(large(job(1, 1000, 2'000'000)));
  CHECK(large(job(1, 1000, 2'000'001)));
  DdpJobSpec samples = small_ddp();
  samples.micro_batch_samples = 4096;
  CHECK_FALSE(large(samples));
  samples.micro_batch_samples = 4097;
  CHECK(large(samples));
}
