// Data parallel inside model parallelism: who reduces with whom, how much, and what a step takes.
#include "tests/oracle/machines.h"
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

DdpJobSpec cut(int tensor, int pipeline, Duration time = {}) {
  DdpJobSpec ddp = small_ddp();
  ddp.buckets.cap = Bytes{4};  // a bucket a tensor
  ddp.model_parallel = {.tensor = tensor, .pipeline = pipeline, .time = time};
  return ddp;
}

RunResult run(const Topology& topology, const DdpJobSpec& ddp, const std::string& ranks = "gpu[*]") {
  JobSpec job = job_on(ranks, ddp);
  job.verify = true;
  return run_jobs(topology, {job}, {}, {}, {.paranoid = true});
}

}  // namespace

TEST_CASE(
    "each group reduces its shard by itself, tensor parts follow each other, pipeline stages are furthest") {
  // On 8 GPUs, tensor 2 x data 2 x pipeline 2: {0, 2}, {1, 3}, {4, 6}, {5, 7}. 1,000 elements a bucket, a
  // quarter each: a ring of two sends 500 bytes twice.
  const RunResult r = run(*small_cluster(8), cut(2, 2));
  const DdpResult d = ddp_result(r);
  CHECK(d.parameters == 3 * 250);
  CHECK(d.buckets.at(0).bytes == Bytes{1000});
  CHECK(d.buckets[0].end - d.buckets[0].start == nanoseconds(2 * 1'500));
  CHECK(d.last_step == nanoseconds(90'000 + 3'000));  // written-out times are a rank's own
  CHECK(d.groups == 4);
  CHECK(d.global_batch_samples == 2);  // data-parallel replicas, not GPUs
  CHECK(r.jobs[0].verified->collectives == 4 * 3);
  for (const LinkResult& link : r.links) CHECK(link.bytes == Bytes{3 * 1000});
  const auto& said = r.jobs[0].assumptions;
  CHECK(std::any_of(said.begin(), said.end(), [](const std::string& s) {
    return holds(s, "only data-parallel traffic is simulated, in 4 groups of 2 (tensor 2 x pipeline 2)");
  }));
}

TEST_CASE("the lecture's case: data of 8 within tensor 8 x pipeline 4, a group on a rail") {
  // 256 GPUs of 32 nodes; stride 8: GPU i of eight nodes reduces among themselves, over the NICs alone.
  const RunResult r = run(*oracle::lecture(32, 8), cut(8, 4), "node[*].gpu[*]");
  CHECK(ddp_result(r).groups == 32);
  CHECK(ddp_result(r).parameters == 3 * 32);  // 1,000 / 32, rounded up
  for (const LinkResult& link : r.links) CHECK(link.bytes == r.links.front().bytes);
  CHECK(r.links.size() == 256 * 4);  // to the NIC, to the switch, and back: nothing on NVLink
}

TEST_CASE("model-parallel time counts as compute, a third of it in forward, gradients in proportion") {
  const DdpResult d = ddp_result(run(*small_cluster(4), cut(2, 1, microseconds(9))));
  // Forward 30 + 3, backward 60 + 6; buckets ready after 20, 40, 60 of 60: 22, 44, 66 of 66.
  CHECK(d.buckets.at(0).ready == microseconds(33 + 22));
  CHECK(d.buckets[1].ready == microseconds(33 + 44));
  CHECK(d.last_compute == microseconds(99));
}

TEST_CASE("a named model's work is cut among the ranks that hold it") {
  DdpJobSpec ddp;
  ddp.model.name = "gpt2";
  ddp.model.sequence_tokens = 8;
  ddp.optimizer = OptimizerKind::kNone;
  const auto topology = small_cluster(4);
  const DdpResult whole = run_ddp(*topology, ddp);
  ddp.model_parallel = {.tensor = 4, .pipeline = 1, .time = {}};
  const DdpResult part = run_ddp(*topology, ddp);
  CHECK(part.parameters == Approx(double(whole.parameters) / 4).epsilon(1e-4));
  CHECK(in_us(part.last_compute) == Approx(in_us(whole.last_compute) / 4).epsilon(0.01));
}

TEST_CASE("ranks that do not come out even are refused") {
  CHECK(holds(refusal_of(*small_cluster(6), {job_on("gpu[*]", cut(2, 2))}),
              "6 ranks are not tensor 2 x pipeline 2 x data; allowed: a multiple of 4"));
}
