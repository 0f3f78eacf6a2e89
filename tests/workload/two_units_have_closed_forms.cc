// FSDP2 with two units, worked out by hand: a gather or a reduction of a unit alone takes g, forward f and
// backward b of a unit. On two ranks g is 1 us and the bytes of half a unit at 1 GB/s. The fluid model shares
// links exactly.
#include <algorithm>

#include "tests/workload/sharded_jobs.h"

using namespace brigade;

namespace {

constexpr int64_t kElements = 1000;
const Duration kLatency = microseconds(1), kWire = nanoseconds(2 * kElements), kG = kLatency + kWire;

struct Case {
  int forward_prefetch, backward_prefetch, communicators;
  Duration f, b;
};

// The end of the second unit's forward.
Duration forward_end(const Case& c) {
  if (c.forward_prefetch == 0) return kG + c.f + kG + c.f;
  return std::max(kG + c.f, kG + kG) + c.f;  // the second gather runs beside the first forward
}

Duration step_of(const Case& c) {
  const Duration t = forward_end(c) + kG;  // the second unit is there again
  const Duration x = t + c.b;              // its gradients are
  Duration arrived, reduced;               // the first unit is there; the second one's gradients are reduced
  if (c.backward_prefetch == 0) {
    // Reduction and gather are set off together: one after the other, or sharing the links for twice as long.
    if (c.communicators == 1) {
      reduced = x + kG;
      arrived = reduced + kG;
    } else {
      reduced = arrived = x + kLatency + kWire + kWire;
    }
  } else if (c.communicators == 1) {
    arrived = t + kG;
    reduced = std::max(x, arrived) + kG;
  } else if (c.b < kWire) {
    // The gather has b of its bytes through when the reduction joins it.
    arrived = t + c.b + (kWire - c.b) + (kWire - c.b) + kLatency;
    reduced = t + kWire + kWire + kLatency;
  } else {
    arrived = t + kG;
    reduced = x + kG;
  }
  const Duration computed = std::max(x, arrived) + c.b;
  return std::max(computed, reduced) + kG;
}

}  // namespace

TEST_CASE("prefetch of 0, 1, 2 units and one or two communicators take what the closed forms say") {
  const auto topology = small_cluster(2);
  NetworkSpec fluid;
  fluid.model = NetworkModel::kFluid;
  int cases = 0;
  for (const int forward : {0, 1, 2})
    for (const int backward : {0, 1, 2})
      for (const int communicators : {1, 2})
        for (const Duration f : {nanoseconds(700), microseconds(5)})
          for (const Duration b : {Duration{0}, nanoseconds(1300), nanoseconds(2500), microseconds(10)}) {
            const Case c{forward, backward, communicators, f, b};
            ShardedJobSpec job = fsdp_job({kElements, kElements}, f, b);
            job.forward_prefetch = forward;
            job.backward_prefetch = backward;
            job.communicators = communicators;
            INFO("prefetch " << forward << ", " << backward << "; " << communicators << " communicators; f "
                             << f.ps << " ps, b " << b.ps << " ps");
            const RunResult run = run_jobs(*topology, {job_on("gpu[*]", job)}, fluid);
            CHECK(sharded_result(run).step.last_step.ps == step_of(c).ps);
            ++cases;
          }
  CHECK(cases == 144);
}

TEST_CASE("copies hold compute up, before a unit's forward and backward and after its backward") {
  const auto topology = small_cluster(2);
  ShardedJobSpec job = fsdp_job({kElements, kElements}, microseconds(10), microseconds(20));
  const Duration without = sharded_result(run_jobs(*topology, {job_on("gpu[*]", job)})).step.last_step;
  job.work.buckets.gradient_as_bucket_view = false;
  const ShardedResult with = sharded_result(run_jobs(*topology, {job_on("gpu[*]", job)}));
  // A unit has 4000 bytes; each of three copies reads and writes them, at 1 byte a ps.
  CHECK(with.step.last_step == without + Duration{2 * 3 * 8000});
}

TEST_CASE("a unit waits in forward for its own gather only") {
  // Three units whose gathers take longer than compute: the third one arrives at 3 g.
  const auto topology = small_cluster(2);
  ShardedJobSpec job = fsdp_job({kElements, kElements, kElements}, microseconds(1), microseconds(1));
  job.reshard_after_forward = Reshard::kNever;
  const ShardedResult r = sharded_result(run_jobs(*topology, {job_on("gpu[*]", job)}));
  REQUIRE(r.calls.size() == 6);
  CHECK(r.calls[2].end == kG + kG + kG);
  CHECK(r.calls[2].set_off == kG);  // two ahead of the first, whose forward begins then
  CHECK(r.calls[3].set_off == r.calls[2].end + microseconds(2));
}
