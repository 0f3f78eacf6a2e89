// The events of an instant in another order of creation: the same times, the same hash over all events.
// Several jobs on shared devices, oversubscribed ports and equal starts, so that many events tie.
#include "sim/base/random.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/engine/run_calls.h"
#include "tests/oracle/collective_cases.h"

using namespace brigade;

TEST_CASE("shuffled creation gives the same event hash") {
  int64_t ties = 0;
  for (uint64_t seed = 1; seed <= cases(120); ++seed) {
    Random random(seed);
    const int n = static_cast<int>(random.between(2, 10));
    const Duration latency = nanoseconds(random.between(0, 2) * 500);  // zero latency too
    const auto topology = oracle::star(n, {Bandwidth::gb_per_s(50)}, latency);
    const std::vector<oracle::PlainJob> jobs = random_jobs(random, *topology);
    NetworkSpec network;
    network.segment = {4000};
    if (random.below(3) == 0) network.overhead = nanoseconds(500);
    if (random.below(3) == 0) network.window = 2;
    INFO("seed " << seed);
    FastEngine straight(*topology, network, {.seed = 1, .hash_events = true, .shuffle = false});
    FastEngine shuffled(*topology, network, {.seed = 1, .hash_events = true, .shuffle = true});
    const Ends a = run_fast(straight, jobs), b = run_fast(shuffled, jobs);
    REQUIRE(a.end == b.end);
    REQUIRE(a.counts.events == b.counts.events);
    REQUIRE(a.counts.event_hash == b.counts.event_hash);
    ties += a.counts.events;
  }
  CHECK(ties > static_cast<int64_t>(cases(10'000)));
}
