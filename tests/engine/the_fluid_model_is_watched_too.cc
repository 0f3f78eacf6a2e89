// Whoever listens to the engine listens to the fluid model: data, checks event by event, and an order of
// creation that must not matter.
#include "sim/base/random.h"
#include "sim/engine/paranoid.h"
#include "sim/engine/payload.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/engine/run_calls.h"
#include "tests/oracle/collective_cases.h"

using namespace brigade;

TEST_CASE("random jobs end alike in any order of creation, watched or not, with data that ends as its sum") {
  int64_t verified = 0, checks = 0;
  for (uint64_t seed = 1; seed <= cases(80); ++seed) {
    Random random(seed);
    const int n = static_cast<int>(random.between(2, 10));
    const Bandwidth fast = Bandwidth::gb_per_s(50), slow = Bandwidth::per_second({7'000'000'001});
    const auto topology = oracle::star(n, random.below(2) == 0 ? std::vector{fast} : std::vector{fast, slow},
                                       nanoseconds(random.between(0, 2) * 500));
    const std::vector<oracle::PlainJob> jobs = random_jobs(random, *topology);
    NetworkSpec network;
    network.model = NetworkModel::kFluid;
    if (random.below(3) == 0) network.overhead = nanoseconds(500);
    INFO("seed " << seed);
    FluidEngine straight(*topology, network, {.seed = 1, .hash_events = true, .shuffle = false});
    FluidEngine shuffled(*topology, network, {.seed = 1, .hash_events = true, .shuffle = true});
    FluidEngine watched(*topology, network, {.seed = 1, .hash_events = true, .shuffle = false});
    FanOut listeners;
    Payload payload(watched, seed);
    for (JobId j = 0; j < jobs.size(); ++j) payload.verify(j);
    Paranoid paranoid(watched);
    listeners.add(&payload);
    listeners.add(&paranoid);
    watched.observe(listeners.observer());
    const Ends a = run_fast(straight, jobs), b = run_fast(shuffled, jobs), c = run_fast(watched, jobs);
    REQUIRE(a.failure.empty());
    REQUIRE(a.stuck.empty());
    REQUIRE(a.end == b.end);
    REQUIRE(a.end == c.end);
    REQUIRE(a.counts.event_hash == b.counts.event_hash);
    REQUIRE(a.counts.event_hash == c.counts.event_hash);
    paranoid.finish();
    checks += paranoid.checks();
    for (JobId j = 0; j < jobs.size(); ++j) {
      REQUIRE(payload.verification(j).failure.empty());
      verified += payload.verification(j).collectives;
    }
  }
  CHECK(verified > static_cast<int64_t>(cases(100)));
  CHECK(checks > static_cast<int64_t>(cases(10'000)));
}

TEST_CASE("a run ends with its last message, not with an end that was foreseen and came earlier") {
  // B's end is foreseen at 4 s while A shares its link, and comes at 3 s.
  const auto topology = oracle::star(3, {Bandwidth::gb_per_s(1)}, {});
  NetworkSpec network;
  network.model = NetworkModel::kFluid;
  FluidEngine engine(*topology, network, {});
  const CommId comm = engine.add_communicator(0, oracle::gpus_of(*topology), "messages");
  engine.send(comm, {.from = 1, .to = 0, .bytes = gigabytes(1), .tag = 1});
  engine.send(comm, {.from = 2, .to = 0, .bytes = gigabytes(2), .tag = 2});
  while (engine.next()) {
  }
  CHECK(engine.now() == Time{} + milliseconds(3000));
}
