// Several jobs on one cluster: on disjoint links they do not notice each other, on shared links they share.
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

constexpr Bytes kLarge = megabytes(100);

double ring_us(const RunResult& run, size_t job) { return in_us(rows_of(run, job).at(0).last_time); }

// Ten tensors of 2.5 MB: 100 us forward, 30 ms backward. Each all-reduce takes 2.5 ms of an idle link.
DdpJobSpec large_ddp() {
  DdpJobSpec ddp = small_ddp();
  ddp.model.layers.resize(1);
  ddp.model.layers[0].parameters[0].elements = 625'000;
  ddp.model.layers[0].repeat = 10;
  ddp.model.layers[0].backward = milliseconds(3);
  return ddp;
}

}  // namespace

TEST_CASE("case A12: two all-reduces on disjoint links overlap fully") {
  const auto topology = small_cluster(4);
  const CollectiveJobSpec ring = collective_job("ring", {kLarge});
  const RunResult alone = run_jobs(*topology, {job_on("gpu[0-1]", ring)});
  const RunResult both = run_jobs(*topology, {job_on("gpu[0-1]", ring, "a"), job_on("gpu[2-3]", ring, "b")});
  CHECK(rows_of(both, 0)[0].last_time == rows_of(alone)[0].last_time);
  CHECK(rows_of(both, 1)[0].last_time == rows_of(alone)[0].last_time);
  CHECK(both.end == alone.end);
}

TEST_CASE("case A12: on shared links they share: together they take twice as long") {
  const auto topology = small_cluster(4);
  const CollectiveJobSpec ring = collective_job("ring", {kLarge});
  const double alone = ring_us(run_jobs(*topology, {job_on("gpu[*]", ring)}), 0);
  const RunResult both = run_jobs(*topology, {job_on("gpu[*]", ring, "a"), job_on("gpu[*]", ring, "b")});
  CHECK(ring_us(both, 0) == Approx(2 * alone).epsilon(0.05));
  CHECK(ring_us(both, 1) == Approx(2 * alone).epsilon(0.05));
}

TEST_CASE("case B10: two jobs that share an uplink take twice as long while both run") {
  const auto topology = two_switches();
  const CollectiveJobSpec ring = collective_job("ring", {kLarge});
  const auto across = [&](const std::string& a, const std::string& b, const std::string& name) {
    JobSpec job = job_on(a, ring, name);
    job.ranks.push_back(b);
    return job;
  };
  const double alone = ring_us(run_jobs(*topology, {across("gpu[0]", "gpu[2]", "a")}), 0);
  CHECK(alone == Approx(2 * (1.5 + 50'000)));
  const RunResult both =
      run_jobs(*topology, {across("gpu[0]", "gpu[2]", "a"), across("gpu[1]", "gpu[3]", "b")});
  CHECK(ring_us(both, 0) == Approx(2 * alone).epsilon(0.03));
  CHECK(ring_us(both, 1) == Approx(2 * alone).epsilon(0.03));
  // The second comes when half of the first is over: each has the link alone for half of its bytes.
  JobSpec late = across("gpu[1]", "gpu[3]", "b");
  late.start = milliseconds(50);
  const RunResult staggered = run_jobs(*topology, {across("gpu[0]", "gpu[2]", "a"), late});
  CHECK(ring_us(staggered, 0) == Approx(1.5 * alone).epsilon(0.03));
  CHECK(ring_us(staggered, 1) == Approx(1.5 * alone).epsilon(0.03));
}

TEST_CASE("two training jobs on the same GPUs' links slow each other, the same way every time") {
  const auto topology = small_cluster(2);
  const RunResult alone = run_jobs(*topology, {job_on("gpu[*]", large_ddp())});
  // 30.1 ms of compute, 25 ms of all-reduces hidden behind it but for the last one.
  CHECK(ddp_result(alone).last_step == microseconds(30'100 + 2 * (1 + 1250)));
  const std::vector<JobSpec> two{job_on("gpu[*]", large_ddp(), "a"), job_on("gpu[*]", large_ddp(), "b")};
  const RunResult both = run_jobs(*topology, two, {}, {}, {.hash_events = true});
  // Both need 2 x 2.5 ms of the link every 3 ms of backward, so that all-reduces run behind: 50 ms of them
  // from the first bucket (3.1 ms) on.
  for (size_t job : {0u, 1u})
    CHECK(in_us(ddp_result(both, job).last_step) == Approx(3'100 + 50'000).epsilon(0.02));
  const RunResult again = run_jobs(*topology, two, {}, {}, {.hash_events = true, .shuffle = true});
  CHECK(again.counts.event_hash == both.counts.event_hash);
  CHECK(ddp_result(again, 0).last_step == ddp_result(both, 0).last_step);
  CHECK(ddp_result(again, 1).last_step == ddp_result(both, 1).last_step);
}

TEST_CASE("a benchmark slows the training job beside it, and is slowed by it") {
  const auto topology = small_cluster(4);
  const JobSpec train = job_on("gpu[*]", large_ddp());
  CollectiveJobSpec ring = collective_job("ring", {megabytes(10)});
  ring.run.steps = 3;
  const RunResult both = run_jobs(*topology, {train, job_on("gpu[*]", ring, "test")});
  CHECK(ddp_result(both, 0).last_step > ddp_result(run_jobs(*topology, {train})).last_step);
  CHECK(rows_of(both, 1)[0].time.mean_us >
        rows_of(run_jobs(*topology, {job_on("gpu[*]", ring)}))[0].time.mean_us);
}
