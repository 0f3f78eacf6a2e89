// Ranks that compute at half speed, start late or are other devices: the step is as long as they make it, and
// its figures are those of the rank that ends last.
#include "tests/workload/small_jobs.h"

using namespace brigade;

TEST_CASE("a rank at half speed doubles compute and hides the others' communication") {
  const auto topology = small_cluster(2);
  const DdpResult d = run_ddp(*topology, small_ddp(), {change("1", 0.5)});
  // Rank 1: forward 60 us, backward 120 us; its buckets are ready at 100, 140, 180 us.
  CHECK(d.last_step == microseconds(186));
  CHECK(d.last_compute == microseconds(180));
  CHECK(d.last_exposed == microseconds(6));  // rank 0 waits far longer, but does not end last
  CHECK(d.buckets[0].ready == microseconds(100));
}

TEST_CASE("the slow rank's copies and optimizer are slow as well, the host's gap is not") {
  const auto topology = small_cluster(2);
  DdpJobSpec ddp = small_ddp();
  ddp.optimizer = OptimizerKind::kAdamW;
  ddp.host_gap = microseconds(5);
  const DdpResult d = run_ddp(*topology, ddp, {change("1", 0.5)});
  CHECK(d.last_step == nanoseconds(186'000 + 2 * 84 + 5'000));
}

TEST_CASE("changes of a rank add up") {
  const auto topology = small_cluster(2);
  CHECK(run_ddp(*topology, small_ddp(), {change("1", 0.5), change("gpu[1]", 0.5)}).last_step ==
        microseconds(4 * 90 + 6));
}

TEST_CASE("case A9 of stragglers: a late start delays the first step once, and no step after it") {
  const auto topology = small_cluster(2);
  const auto changes = {change("1", {}, microseconds(40))};
  DdpJobSpec ddp = small_ddp();
  CHECK(run_ddp(*topology, ddp, changes).last_step == microseconds(136));
  ddp.run = {.steps = 3, .warmup = 1};
  const DdpResult d = run_ddp(*topology, ddp, changes);
  CHECK(d.step_time.mean_us == Approx(96));
  CHECK(d.step_time.p99_us == Approx(96));
}

TEST_CASE("a device with twice the peak waits for the other one") {
  const auto topology = small_cluster({small_device("fast", 2e12), small_device("slow", 1e12)});
  DdpJobSpec ddp = small_ddp();
  ddp.compute.spread = Spread::kParameters;
  ddp.compute.tokens = 1000;
  const DdpResult d = run_ddp(*topology, ddp);
  // 6 x 3000 x 1000 FLOPs at 1 TFLOP/s: 6 us forward, 12 us backward; buckets at 10, 14, 18 us, 6 us each and
  // one after the other: 16, 22, 28 us.
  CHECK(d.last_step == microseconds(28));
  CHECK(d.last_compute == microseconds(18));
  CHECK(d.buckets[1].ready == microseconds(14));
  CHECK(d.buckets[1].start == microseconds(16));
  CHECK(*d.mfu == Approx(2 * 18e6 / (3e12 * 28e-6)));  // over the peak of both
  CHECK(*d.tokens_per_s == Approx(2000 / 28e-6));
  CHECK(*d.global_batch_tokens == 2000);
  CHECK(d.unit == "tokens");
}

TEST_CASE("a change that concerns nobody is a mistake") {
  const auto topology = small_cluster(4);
  const JobSpec job = job_on("gpu[0-1]", small_ddp());
  CHECK(holds(refusal_of(*topology, {job}, {change("2", 0.5)}), "rank 2 is out of range"));
  CHECK(holds(refusal_of(*topology, {job}, {change("gpu[3]", 0.5)}), "\"gpu[3]\" names no rank of any job"));
  RankChange named = change("gpu[3]", 0.5);
  named.job = "train";
  CHECK(holds(refusal_of(*topology, {job}, {named}), "\"gpu[3]\" names no rank of job \"train\""));
  named.job = "trian";
  CHECK(holds(refusal_of(*topology, {job}, {named}), "unknown job \"trian\"; did you mean \"train\"?"));
}
