// float64 data that travels with the simulated messages: every collective and algorithm, any N, any number of
// elements, unequal starts, several jobs at once, cut messages, windows. Whole numbers end bit-equal to the
// direct sum, random ones within 1e-14 of the sum of magnitudes.
#include "sim/base/random.h"
#include "sim/engine/payload.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/engine/run_calls.h"
#include "tests/oracle/collective_cases.h"

using namespace brigade;

namespace {

// Verifies all jobs; returns the largest difference.
double run_verified(const Topology& topology, const NetworkSpec& network,
                    const std::vector<oracle::PlainJob>& jobs) {
  FastEngine engine(topology, network, {});
  Payload payload(engine, 7);
  for (JobId j = 0; j < jobs.size(); ++j) payload.verify(j);
  engine.observe(&payload);
  const Ends ends = run_fast(engine, jobs);
  REQUIRE(ends.failure + ends.stuck == "");
  double largest = 0;
  for (JobId j = 0; j < jobs.size(); ++j) {
    const Verification& v = payload.verification(j);
    REQUIRE(v.failure == "");
    REQUIRE(v.collectives == 1);
    REQUIRE(v.ranks == static_cast<int64_t>(jobs[j].devices.size()));
    largest = std::max(largest, v.largest_difference);
  }
  return largest;
}

}  // namespace

TEST_CASE("every algorithm, every N, any number of elements") {
  for (const oracle::CollectiveCase& row : oracle::kCollectiveCases) {
    for (Rank n = 1; n <= 64; n += n < 18 ? 1 : 23) {
      const auto topology = oracle::star(static_cast<int>(n), {Bandwidth::gb_per_s(50)}, microseconds(1));
      for (const int64_t elements : {int64_t{0}, int64_t{1}, int64_t{n} - 1, int64_t{n} + 1, int64_t{37}}) {
        const auto requests = oracle::requests(row, n, elements);
        const PlanRequest& request = requests[static_cast<size_t>(n + elements) % requests.size()];
        INFO(name_of(row.collective) << " " << row.algorithm << " on " << n << ", " << elements
                                     << " elements, nodes of " << request.group);
        REQUIRE(run_verified(*topology, {}, {job_of(oracle::gpus_of(*topology), request)}) <= 1e-14);
      }
    }
  }
}

TEST_CASE("several jobs on shared links, late ranks, cut messages, windows") {
  for (uint64_t seed = 1; seed <= cases(150); ++seed) {
    Random random(seed);
    INFO("seed " << seed);
    const int n = static_cast<int>(random.between(1, 9));
    const auto topology =
        oracle::star(n, {Bandwidth::gb_per_s(50), Bandwidth::gb_per_s(7)}, nanoseconds(500));
    std::vector<oracle::PlainJob> jobs;
    for (int64_t j = random.between(1, 3); j > 0; --j) {
      const auto& row = oracle::kCollectiveCases[random.below(std::size(oracle::kCollectiveCases))];
      const auto requests = oracle::requests(row, static_cast<Rank>(n), random.between(0, 3000));
      jobs.push_back(job_of(oracle::gpus_of(*topology), requests[random.below(requests.size())]));
      for (Time& start : jobs.back().start) start = Time{} + nanoseconds(random.between(0, 20'000));
      jobs.back().lockstep = random.below(4) == 0;
    }
    NetworkSpec network;
    network.segment = {random.between(1, 400)};
    if (random.below(3) == 0) network.window = random.between(1, 3);
    if (random.below(3) == 0) network.overhead = nanoseconds(300);
    run_verified(*topology, network, jobs);
  }
}

TEST_CASE("a wrong algorithm is found, with rank, element and what it should be") {
  static const Algorithm* const ring = find_algorithm(Collective::kAllReduce, "ring");
  Algorithm broken = *ring;
  broken.step = [](const Plan& plan, Rank r, Round k) {
    Step step = ring->step(plan, r, k);
    if (r == 2 && k == 1) step.reduce = false;  // copies where it should add
    return step;
  };
  const auto topology = oracle::star(5, {Bandwidth::gb_per_s(50)}, microseconds(1));
  FastEngine engine(*topology, {}, {});
  Payload payload(engine, 7);
  payload.verify(0);
  engine.observe(&payload);
  run_fast(engine, {job_of(oracle::gpus_of(*topology), {.algorithm = &broken, .ranks = 5, .elements = 50})});
  const std::string& failure = payload.verification(0).failure;
  INFO(failure);
  CHECK(failure.find("job \"job 0\", collective 0 (all_reduce ring): rank ") == 0);
  CHECK(failure.find("the sum over all ranks") != std::string::npos);
}

TEST_CASE("ranks that add the same numbers end with the same bits") {
  const Rank n = 7;
  const int64_t elements = 29;
  const auto topology = oracle::star(n, {Bandwidth::gb_per_s(50)}, microseconds(1));
  for (const oracle::CollectiveCase& row : oracle::kCollectiveCases) {
    if (row.collective != Collective::kAllReduce) continue;
    for (const PlanRequest& request : oracle::requests(row, n, elements)) {
      FastEngine engine(*topology, {}, {});
      Payload payload(engine, 1);
      payload.carry(0);
      engine.observe(&payload);
      Random random(3);
      for (Rank r = 0; r < n; ++r) {
        std::vector<double> values;
        for (int64_t e = 0; e < elements; ++e) values.push_back(random.unit() - 0.5);
        if (r == 0) {
          engine.add_communicator(0, oracle::gpus_of(*topology), "job");
          engine.add_collective(0, {plans_of(request), false, ""});
        }
        payload.put(0, 0, r, values);
      }
      for (Rank r = 0; r < n; ++r) engine.launch(0, r);
      std::vector<std::vector<double>> after(n);
      while (const auto notice = engine.next()) after[notice->rank] = payload.take(0, 0, notice->rank);
      INFO(row.algorithm << ", nodes of " << request.group << " (" << request.inner << ", " << request.outer
                         << ")");
      REQUIRE(after[0].size() == static_cast<size_t>(elements));
      for (Rank r = 1; r < n; ++r) REQUIRE(after[r] == after[0]);
    }
  }
}
