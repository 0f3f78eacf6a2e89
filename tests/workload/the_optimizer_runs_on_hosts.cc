// ZeRO-Offload by hand: two ranks and their host on one switch, links of 1 GB/s, 1 us from end to end.
#include "tests/workload/clusters_with_hosts.h"
#include "tests/workload/sharded_jobs.h"

using namespace brigade;

namespace {

// 8000 fp32 parameters with AdamW: a rank of two has 4000, gradients of 16 KB, states of 32 KB, and 112 KB to
// move.
ShardedJobSpec offloaded(bool nvme, int stage = 1) {
  ShardedJobSpec job = zero_job(stage, {4000, 4000});
  job.work.optimizer = OptimizerKind::kAdamW;
  OffloadSpec offload;
  offload.optimizer = nvme ? Home::kNvme : Home::kHost;
  offload.host_rate = Bandwidth::gb_per_s(4);
  offload.nvme_read = Bandwidth::gb_per_s(2);
  offload.nvme_write = Bandwidth::gb_per_s(1);
  job.offload = offload;
  return job;
}

ShardedResult run_on(const Topology& topology, const ShardedJobSpec& job) {
  return sharded_result(run_jobs(topology, {job_on("gpu[*]", job)}));
}

}  // namespace

TEST_CASE("shares meet at the host's cable and queue for its optimizer") {
  const auto topology = with_hosts(2, 1);
  // Gradients arrive after 17 and, sharing the host's cable, 33 us. The optimizer takes 28 us each, one after
  // the other: 45, 73. Rank 0 has its parameters at 62 and begins the all-gather, which holds rank 1's cable
  // from 62.5 to 78.5; so what left the host for rank 1 at 73 arrives at 95.
  const ShardedResult cpu = run_on(*topology, offloaded(false));
  CHECK(in_us(*cpu.offload) == 78.5 + 16 + 0.5);
  CHECK(cpu.host_memory.count == 2 * 4000 * (4 + 8));
  CHECK(cpu.nvme_memory.count == 0);
  // With drives: read until 33 and 49, updated until 61 and 89, written until 93 and 125; rank 0 has its
  // parameters at 110, and the cable is held from 110.5 to 126.5.
  const ShardedResult nvme = run_on(*topology, offloaded(true));
  CHECK(in_us(*nvme.offload) == 126.5 + 16 + 0.5);
  CHECK(nvme.host_memory.count == 2 * 4000 * 4);
  CHECK(nvme.nvme_memory.count == 2 * 4000 * 8);
  CHECK(in_us(nvme.step.last_step - cpu.step.last_step) == 143 - 95);
}

TEST_CASE("the device holds no optimizer states, and does not compute the update") {
  const auto topology = with_hosts(2, 1);
  for (int stage = 1; stage <= 3; ++stage) {
    INFO("stage " << stage);
    ShardedJobSpec job = offloaded(false, stage);
    const ShardedResult off = run_on(*topology, job);
    job.offload.reset();
    const ShardedResult on = run_on(*topology, job);
    // At stage 1 each has all gradients, from stage 2 on its share of them, which leaves.
    CHECK(on.memory_held.count - off.memory_held.count == 4000 * (stage == 1 ? 8 : 8 + 4));
    CHECK(on.step.last_compute - off.step.last_compute == Duration{28 * 4000});
    CHECK(!on.offload);
    // The collectives are the same: what goes to the host is not counted with them.
    CHECK(on.sent_per_step == off.sent_per_step);
  }
}

TEST_CASE("one rank alone waits for nobody") {
  const auto topology = with_hosts(1, 1);
  ShardedJobSpec job = offloaded(false);
  job.work.run.steps = 3;
  // All 8000 parameters: 32 KB each way, 224 KB to move.
  const ShardedResult r = run_on(*topology, job);
  CHECK(r.offload->ps == microseconds(33 + 56 + 33).ps);
  CHECK(r.step.last_step == microseconds(60 + 33 + 56 + 33));
}

TEST_CASE("gradients leave during backward, a bucket when it has been reduced") {
  const auto topology = with_hosts(1, 1);
  ShardedJobSpec job = offloaded(false, 2);
  job.work.model.layers.push_back(job.work.model.layers.back());
  job.work.model.layers.back().name = "layer2";
  job.reduce_bucket = 4000;
  // 3 buckets of 16 KB. A bucket is closed by the gradient that does not fit: the first one at 70 us, when
  // the second backward ends, the others at 90. They have arrived at 87, 107 and 123; 12000 parameters move
  // 336 KB in 84 us, and come back in 49.
  const RunResult run = run_jobs(*topology, {job_on("gpu[*]", job)});
  CHECK(sharded_result(run).offload == microseconds(123 - 90 + 84 + 49));
  CHECK(sharded_result(run).step.last_step == microseconds(123 + 84 + 49));
  CHECK(sharded_result(run).model_states.count == 12'000 * 4);
  // Stage 2 reduces in every micro-batch, and each sum goes to the host.
  const auto up = [&](int stage) {
    job.stage = stage;
    job.work.accumulate = 3;
    for (const LinkResult& link : run_jobs(*topology, {job_on("gpu[*]", job)}).links)
      if (topology->vertex_name(topology->links()[link.link].from) == "gpu[0]") return link.bytes.count;
    return int64_t{0};
  };
  CHECK(up(2) == 3 * 48'000);
  CHECK(up(1) == 48'000);
}

TEST_CASE("ranks without a host are refused") {
  const std::string text = refusal_of(*small_cluster(2), {job_on("gpu[*]", offloaded(false))});
  CHECK(holds(text, "offload needs a host for gpu[0]"));
}
