// PyTorch's rule in a running job: one bucket in the first iteration, the rebuilt ones after it; with
// find_unused_parameters never rebuilt, with a search and a map of what was used.
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

DdpJobSpec pytorch_job() {
  DdpJobSpec ddp = small_ddp();
  ddp.buckets.rule = BucketRule::kPytorch;  // an explicit cap of one tensor: three buckets once rebuilt
  return ddp;
}

Duration last_step(const Topology& topology, DdpJobSpec ddp, int step) {
  ddp.run = {.steps = 1, .warmup = step};
  return run_ddp(topology, ddp).last_step;
}

}  // namespace

TEST_CASE("one bucket that is ready at the end of backward, then three that overlap it") {
  const auto topology = small_cluster(2);
  const DdpResult first = run_ddp(*topology, pytorch_job());
  REQUIRE(first.buckets.size() == 1);
  CHECK(first.buckets[0].bytes == Bytes{12'000});
  CHECK(first.buckets[0].elements == 3000);
  CHECK(first.buckets[0].ready == microseconds(90));
  CHECK(first.buckets[0].end == microseconds(104));  // a ring of 12,000 B: 2 (1 us + 6 us)
  CHECK(first.last_step == microseconds(104));
  CHECK(first.last_exposed == microseconds(14));

  DdpJobSpec ddp = pytorch_job();
  ddp.run = {.steps = 1, .warmup = 1};
  const DdpResult second = run_ddp(*topology, ddp);
  REQUIRE(second.buckets.size() == 3);
  for (int i = 0; i < 3; ++i) {
    CHECK(second.buckets[size_t(i)].index == i);
    CHECK(second.buckets[size_t(i)].elements == 1000);
    CHECK(second.buckets[size_t(i)].ready == microseconds(50 + 20 * i));
    CHECK(second.buckets[size_t(i)].start == microseconds(50 + 20 * i));
    CHECK(second.buckets[size_t(i)].end == microseconds(56 + 20 * i));
    // 4,000 B in 6 us; a factor of 2 (N-1)/N = 1.
    CHECK(second.buckets[size_t(i)].busbw_gb_per_s == Approx(4.0 / 6));
  }
  CHECK(second.last_step == microseconds(96));
  CHECK(second.last_compute == microseconds(90));
  CHECK(second.last_communication == microseconds(18));
  CHECK(second.last_exposed == microseconds(6));
}

TEST_CASE("case B5: find_unused_parameters searches before backward, reduces an int32 map, never rebuilds") {
  const auto topology = small_cluster(2);
  DdpJobSpec ddp = pytorch_job();
  ddp.buckets.find_unused_parameters = true;
  ddp.buckets.find_unused_cpu_time = microseconds(7);
  // Buckets 7 us later than without the search: the last one is reduced at 103 us. Then the map of 3 x 4 B in
  // parts of 8 B and 4 B: 2 (1 us + 8 ns).
  for (const int step : {0, 1, 3}) CHECK(last_step(*topology, ddp, step) == nanoseconds(105'016));
  const DdpResult d = run_ddp(*topology, ddp);
  REQUIRE(d.buckets.size() == 3);
  CHECK(d.buckets[0].ready == microseconds(57));
  CHECK(d.last_compute == microseconds(90));  // the search is the CPU's
  CHECK(d.last_exposed == nanoseconds(8016));
  int64_t gradient = 0;
  for (const BucketResult& b : d.buckets) gradient += b.bytes.count;
  CHECK(gradient == 12'000);  // the gradient's bytes stay the same
}

TEST_CASE("static_graph takes search and map away, and rebuilds again") {
  const auto topology = small_cluster(2);
  DdpJobSpec ddp = pytorch_job();
  ddp.buckets.find_unused_parameters = ddp.buckets.static_graph = true;
  ddp.buckets.find_unused_cpu_time = microseconds(7);
  CHECK(last_step(*topology, ddp, 0) == microseconds(104));
  CHECK(last_step(*topology, ddp, 1) == microseconds(96));
  ddp.buckets.find_unused_parameters = false;
  CHECK(last_step(*topology, ddp, 0) == microseconds(104));
  CHECK(last_step(*topology, ddp, 1) == microseconds(96));
}
