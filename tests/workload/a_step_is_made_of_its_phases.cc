// Each phase of a DDP step adds what it lasts, to the picosecond: micro-batches, copies, gradient norm,
// optimizer, host gap.
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

DdpResult run(const DdpJobSpec& ddp) {
  const auto topology = small_cluster(2);
  return run_ddp(*topology, ddp);
}

}  // namespace

TEST_CASE("forward, backward and what the last bucket leaves exposed") {
  const DdpResult d = run(small_ddp());
  CHECK(d.last_step == microseconds(96));
  CHECK(d.last_compute == microseconds(90));
  CHECK(d.last_communication == microseconds(18));
  CHECK(d.last_exposed == microseconds(6));
  CHECK(d.overlapped.mean_us == Approx(12));
  CHECK(d.efficiency == Approx(90.0 / 96));
  CHECK(d.parameters == 3000);
}

TEST_CASE("accumulation: only the last micro-batch reduces") {
  DdpJobSpec ddp = small_ddp();
  ddp.accumulate = 3;
  const DdpResult d = run(ddp);
  CHECK(d.last_step == microseconds(2 * 90 + 96));
  CHECK(d.last_compute == microseconds(3 * 90));
  CHECK(d.last_communication == microseconds(18));
  CHECK(d.buckets[0].ready == microseconds(2 * 90 + 50));
  CHECK(d.global_batch_samples == 3 * 2);
}

TEST_CASE("copies into and out of buckets, which gradient_as_bucket_view saves") {
  DdpJobSpec ddp = small_ddp();
  ddp.buckets.gradient_as_bucket_view = false;
  const DdpResult d = run(ddp);
  // A gradient is read and written: 8,000 B = 8 ns, inside backward and again after its all-reduce. The first
  // two copies out run while the last bucket is reduced.
  CHECK(d.buckets[0].ready == nanoseconds(50'008));
  CHECK(d.buckets[2].ready == nanoseconds(90'024));
  CHECK(d.last_step == nanoseconds(96'024 + 8));
  CHECK(d.last_compute == nanoseconds(90'024 + 24));
  CHECK(d.last_exposed == nanoseconds(6'000 - 16));
}

TEST_CASE("micro-batches that are not reduced copy nothing into buckets") {
  DdpJobSpec ddp = small_ddp();
  ddp.buckets.gradient_as_bucket_view = false;
  ddp.accumulate = 2;
  CHECK(run(ddp).last_step == nanoseconds(90'000 + 96'032));
}

TEST_CASE("the gradient norm reads the gradients and reduces one float, before the optimizer") {
  DdpJobSpec ddp = small_ddp();
  ddp.gradient_norm = true;
  const DdpResult d = run(ddp);
  // 12,000 B = 12 ns, then 4 B in parts of 4 B and 0 B: 2 (1 us + 4 ns).
  CHECK(d.last_step == nanoseconds(96'000 + 12 + 2'008));
  CHECK(d.last_compute == nanoseconds(90'012));
  CHECK(d.last_exposed == nanoseconds(6'000 + 2'008));
}

TEST_CASE("an optimizer lasts the bytes it moves / memory bandwidth") {
  // fp32 parameters without a master: 12, 20, 28 bytes each, 3,000 of them, 1 ps a byte.
  const auto [kind, ns] = GENERATE(table<OptimizerKind, int64_t>({{OptimizerKind::kNone, 0},
                                                                  {OptimizerKind::kSgd, 36},
                                                                  {OptimizerKind::kMomentum, 60},
                                                                  {OptimizerKind::kAdamW, 84}}));
  DdpJobSpec ddp = small_ddp();
  ddp.optimizer = kind;
  CHECK(run(ddp).last_step == nanoseconds(96'000 + ns));
  ddp.compute.memory_efficiency = 0.5;
  const DdpResult slow = run(ddp);
  CHECK(slow.last_step == nanoseconds(96'000 + 2 * ns));
  CHECK(slow.last_compute == nanoseconds(90'000 + 2 * ns));
}

TEST_CASE("a host gap adds to the step, neither compute nor exposed communication") {
  DdpJobSpec ddp = small_ddp();
  ddp.host_gap = microseconds(5);
  const DdpResult d = run(ddp);
  CHECK(d.last_step == microseconds(101));
  CHECK(d.last_compute == microseconds(90));
  CHECK(d.last_exposed == microseconds(6));
}

TEST_CASE("one rank: nothing to reduce, nothing to wait for") {
  const auto topology = small_cluster(1);
  for (const BucketRule rule : {BucketRule::kFixed, BucketRule::kPytorch}) {
    DdpJobSpec ddp = small_ddp();
    ddp.buckets.rule = rule;
    ddp.buckets.find_unused_parameters = true;
    ddp.gradient_norm = true;
    ddp.run = {.steps = 3, .warmup = 1};
    const DdpResult d = run_ddp(*topology, ddp);
    CHECK(d.last_step == nanoseconds(90'012));
    CHECK(d.last_communication == Duration{});
    CHECK(d.last_exposed == Duration{});
    CHECK(d.efficiency == Approx(1));
    CHECK(d.buckets[0].busbw_gb_per_s == 0);
  }
}

TEST_CASE("a job that starts late is not slower for it") {
  const auto topology = small_cluster(2);
  JobSpec job = job_on("gpu[*]", small_ddp());
  job.start = microseconds(100);
  const RunResult result = run_jobs(*topology, {job});
  CHECK(ddp_result(result).last_step == microseconds(96));
  CHECK(result.end == microseconds(196));  // case A9: the run ends when nothing is left to do
}
