// The scenario that the design shows, value by value.
#include "tests/catch.h"
#include "tests/scenario/scratch.h"

using namespace brigade;

namespace {

constexpr const char* kCluster =
    "brigade: 1\n"
    "name: HGX H100\n"
    "parameters: {nodes: 2, gpus_per_node: 8}\n"
    "models:\n"
    "  h100: {name: H100 SXM5 80GB, peak: {bf16: 989 TFLOP/s}, memory: 80 GB, memory_bandwidth: 3350 GB/s}\n"
    "node_types:\n"
    "  hgx:\n"
    "    gpus: $gpus_per_node\n"
    "    gpu: h100\n"
    "    nvlink: {family: switched, bandwidth: 450 GB/s, latency: 2.5 us}\n"
    "    nics: {count: 8, host: {bandwidth: 50 GB/s, latency: 0 s}, port: {bandwidth: 400 Gb/s, latency: 5 "
    "us}}\n"
    "nodes: [{type: hgx, count: $nodes}]\n"
    "fabric: {family: rail_optimised, nodes_per_leaf: 4, spines: 2}\n";

constexpr const char* kScenario =
    "brigade: 1                                            # format version\n"
    "cluster: {file: ../topologies/hgx_h100_rail.yaml, nodes: 16}\n"
    "network: {model: packet, segment: 1 MiB}\n"
    "changes: [{links: \"node[2].nic[5]\", bandwidth: 25 %, at: 0 s}]\n"
    "jobs:\n"
    "  train:\n"
    "    kind: ddp\n"
    "    ranks: \"node[*].gpu[*]\"\n"
    "    model: {name: gpt2-xl, sequence: 1024 tokens}\n"
    "    batch: {micro: 8 samples, accumulate: 1}\n"
    "    precision: {parameters: bf16, gradients: bf16, master: fp32}\n"
    "    compute: {kernel_efficiency: 45 %}\n"
    "    optimizer: {kind: adamw}\n"
    "    buckets: {rule: pytorch}\n"
    "    all_reduce: {algorithm: hierarchical}\n"
    "    run: {steps: 6, warmup: 1}\n";

}  // namespace

TEST_CASE("the design's scenario") {
  const Scratch scratch;
  scratch.write("topologies/hgx_h100_rail.yaml", kCluster);
  Diagnostics errors;
  const std::optional<Scenario> loaded =
      load_scenario(scratch.write("scenarios/ddp.yaml", kScenario), {}, errors);
  CAPTURE(errors.text());
  REQUIRE(loaded.has_value());
  const Scenario& s = *loaded;
  CHECK(s.name == "ddp");
  CHECK(s.seed == 1);
  CHECK_FALSE(s.trace.has_value());

  CHECK(s.cluster.name == "HGX H100");
  REQUIRE(s.cluster.types.size() == 1);
  const NodeType& type = s.cluster.types[0];
  CHECK(type.gpus == 8);
  CHECK(type.gpu.name == "H100 SXM5 80GB");
  CHECK(type.gpu.peak_flop_per_s.at("bf16") == 989e12);
  CHECK(type.gpu.memory == gigabytes(80));
  CHECK(type.gpu.memory_bandwidth == Bandwidth::gb_per_s(3350));
  CHECK(type.family == NodeFamily::kSwitched);
  CHECK(type.nvlink.bandwidth == Bandwidth::gb_per_s(450));
  CHECK(type.nvlink.latency == nanoseconds(2500));
  CHECK(type.nics == 8);
  CHECK(type.nic_port.bandwidth == Bandwidth::gb_per_s(50));
  CHECK(s.cluster.nodes.at(0).count == 16);
  CHECK(s.cluster.fabric.family == FabricFamily::kRailOptimised);
  CHECK(s.cluster.fabric.nodes_per_leaf == 4);
  CHECK(s.cluster.fabric.spines == 2);

  CHECK(s.network.segment_rule == SegmentRule::kFixed);
  CHECK(s.network.segment == mebibytes(1));
  CHECK_FALSE(s.network.window.has_value());
  REQUIRE(s.link_changes.size() == 1);
  CHECK(s.link_changes[0].links == "node[2].nic[5]");
  CHECK(s.link_changes[0].bandwidth_share == 0.25);
  CHECK(s.link_changes[0].at.line == 4);

  REQUIRE(s.jobs.size() == 1);
  CHECK(s.jobs[0].name == "train");
  CHECK(s.jobs[0].ranks == std::vector<std::string>{"node[*].gpu[*]"});
  CHECK(s.jobs[0].ranks_at.line == 8);
  CHECK(s.jobs[0].ranks_at.column == 12);
  const auto& ddp = std::get<DdpJobSpec>(s.jobs[0].kind);
  CHECK(ddp.model.name == "gpt2-xl");
  CHECK(ddp.model.sequence_tokens == 1024);
  CHECK(ddp.micro_batch_samples == 8);
  CHECK(ddp.precision.parameters == DType::kBf16);
  CHECK(ddp.precision.compute == DType::kBf16);
  CHECK(ddp.precision.has_master);
  CHECK(ddp.compute.kernel_efficiency == 0.45);
  CHECK(ddp.buckets.rule == BucketRule::kPytorch);
  CHECK(ddp.buckets.version == BucketVersion::kCurrent);
  CHECK_FALSE(ddp.buckets.cap.has_value());
  CHECK(ddp.buckets.broadcast_buffers);
  CHECK(ddp.all_reduce.algorithm == "hierarchical");
  CHECK(ddp.all_reduce.inner == "ring");
  CHECK(ddp.run.steps == 6);
  CHECK(ddp.run.warmup == 1);
}

TEST_CASE("what is left out is noted with its value") {
  const Scratch scratch;
  Diagnostics errors;
  const std::optional<Scenario> s = load_scenario(scratch.write("a.yaml", kGood), {}, errors);
  REQUIRE(s.has_value());
  const auto value_of = [&](const std::string& path) -> std::string {
    for (const DefaultedKey& key : s->defaulted) {
      if (key.path == path) return key.value;
    }
    return "not noted";
  };
  CHECK(value_of("seed") == "1");
  CHECK(value_of("jobs.a.algorithm") == "ring");
  CHECK(value_of("jobs.b.buckets.rule") == "pytorch");
  CHECK(value_of("jobs.b.batch.micro") == "1 samples");
  CHECK(value_of("network.overhead") == "0 s");
  CHECK(value_of("network.segment") == "not noted");
}
