// Two ranks, two buckets whose ring takes T each, ready at c1 and c2 > c1: the step ends at c1 + max(c2 - c1,
// T) + T.
#include "sim/base/random.h"
#include "tests/oracle/machines.h"
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

JobSpec two_buckets(Duration c1, Duration c2, int64_t elements) {
  DdpJobSpec ddp;
  ddp.model.tensors = {tensor_ready("last", c2, elements), tensor_ready("first", c1, elements)};
  ddp.model.forward = Duration{};
  ddp.model.backward = c2;
  ddp.optimizer = OptimizerKind::kNone;
  ddp.buckets.rule = BucketRule::kFixed;
  ddp.buckets.cap = Bytes{1};
  ddp.buckets.gradient_as_bucket_view = true;
  JobSpec job;
  job.name = "train";
  job.ranks = {"gpu[0-1]"};
  job.kind = ddp;
  return job;
}

}  // namespace

TEST_CASE("the step ends at c1 + max(c2 - c1, T) + T") {
  const Bandwidth b = Bandwidth::gb_per_s(50);
  const auto topology = oracle::star(2, {b}, microseconds(5));
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const int64_t elements = random.between(1, 20'000'000);
    const Duration t = 2 * (microseconds(10) + b.time({(elements + 1) / 2 * 4}));  // fp32
    const Duration c1 = {random.between(0, 30'000'000'000)};
    const Duration c2 = c1 + Duration{random.between(1, 3 * t.ps)};
    const DdpResult d =
        std::get<DdpResult>(run_jobs(*topology, {two_buckets(c1, c2, elements)}).jobs[0].result);
    INFO("seed " << seed << " T " << t.ps << " c1 " << c1.ps << " c2 " << c2.ps);
    CHECK(d.last_step.ps == (c1 + std::max(c2 - c1, t) + t).ps);
    CHECK(d.last_exposed.ps == (d.last_step - c2).ps);
  }
}

TEST_CASE("case B6 of public trackers: 512 KiB buckets, T = 6302444 ns, computed 10 ms and then 20 ms") {
  // T = 2 (a + 256 KiB / B): 83.2 MB/s and no latency gives 6301.5 us; the case's own network is not
  // published, so its T is set by the latency.
  const Bandwidth b = Bandwidth::gb_per_s(50);
  const Duration message{6302444 * int64_t{1000} / 2};
  const Duration latency = {(message - b.time(kibibytes(256))).ps / 2};
  const auto topology = oracle::star(2, {b}, latency);
  const Duration t = 2 * (2 * latency + b.time(kibibytes(256)));
  JobSpec job = two_buckets(milliseconds(10), milliseconds(30), 131072);
  DdpResult d = std::get<DdpResult>(run_jobs(*topology, {job}).jobs[0].result);
  CHECK(d.last_step.ps == (milliseconds(30) + t).ps);
  CHECK(in_us(d.last_step) * 1000 == Approx(36302444).margin(1));
  // Case B7: the second bucket ready before the first all-reduce ends.
  job = two_buckets(milliseconds(10), milliseconds(12), 131072);
  d = std::get<DdpResult>(run_jobs(*topology, {job}).jobs[0].result);
  CHECK(d.last_step.ps == (milliseconds(10) + 2 * t).ps);
}
