// Values from other simulators' trackers and papers, by their number in the collection that the project was
// planned with (part C, and of part A what is the network's).
#include "tests/catch.h"
#include "tests/engine/run_calls.h"

using namespace brigade;

namespace {

Duration time_of(const Topology& topology, const PlanRequest& request, const NetworkSpec& network = {}) {
  FastEngine engine(topology, network, {});
  return last_of(run_fast(engine, {job_of(oracle::gpus_of(topology), request)}).end[0]) - Time{};
}

PlanRequest pairs(Rank ranks, int64_t bytes, std::vector<Pair> list) {
  return {.algorithm = find_algorithm(Collective::kSendRecv, "listed"),
          .ranks = ranks,
          .elements = bytes,
          .pairs = std::move(list)};
}

PlanRequest all_reduce(const char* algorithm, Rank ranks, int64_t bytes) {
  return {.algorithm = find_algorithm(Collective::kAllReduce, algorithm), .ranks = ranks, .elements = bytes};
}

}  // namespace

TEST_CASE("case C3: a link of 1 B/s and 0.5 s latency: 1.5 s, 2.5 s the same way, 1.5 s in opposite ways") {
  const auto topology = oracle::chain({Bandwidth::per_second({1})}, milliseconds(500));
  CHECK(time_of(*topology, pairs(2, 1, {{0, 1}})) == milliseconds(1500));
  CHECK(time_of(*topology, pairs(2, 1, {{0, 1}, {0, 1}})) == milliseconds(2500));
  CHECK(time_of(*topology, pairs(2, 1, {{0, 1}, {1, 0}})) == milliseconds(1500));
}

TEST_CASE("cases C4 and C9: 9.6 MB over 8 ranks, 50 GB/s, 20 us a message, which block no link") {
  const auto topology = oracle::star(8, {Bandwidth::gb_per_s(50)}, microseconds(10));
  CHECK(time_of(*topology, all_reduce("ring", 8, 9'600'000)) == microseconds(616));
  CHECK(time_of(*topology, all_reduce("butterfly", 8, 9'600'000)) == microseconds(636));
  CHECK(time_of(*topology, all_reduce("halving_doubling", 8, 9'600'000)) == microseconds(456));
}

TEST_CASE("case C5: N x 1 GB through a 50 GB/s port and back, 2 x 20 us") {
  for (const auto& [n, us] :
       {std::pair{Rank{8}, 320'040}, std::pair{Rank{256}, 10'240'040}, std::pair{Rank{4096}, 163'840'040}}) {
    const auto topology =
        oracle::nvswitch(static_cast<int>(n) + 1, Bandwidth::gb_per_s(50), microseconds(10));
    NetworkSpec network;
    network.segment_rule = SegmentRule::kWhole;
    FastEngine engine(*topology, network, {});
    const CommId comm = engine.add_communicator(0, oracle::gpus_of(*topology), "incast");
    std::vector<Pair> push, pull;
    for (Rank r = 1; r <= n; ++r) {
      push.push_back({r, 0});
      pull.push_back({0, r});
    }
    for (const auto& list : {push, pull})
      engine.add_collective(comm, {plans_of(pairs(n + 1, 1'000'000'000, list)), false, ""});
    for (Rank r = 0; r <= n; ++r) {
      engine.launch(comm, r);
      engine.launch(comm, r);
    }
    while (engine.next()) {
    }
    REQUIRE(engine.failure() + engine.stuck() == "");
    INFO("N = " << n);
    CHECK(engine.now() == Time{} + microseconds(us));
  }
}

TEST_CASE("case C6: a ring of 1 GB, 20 us a message, 50 GB/s, on one switch") {
  for (const auto& [n, seconds] : {std::pair{Rank{64}, 0.041895}, {256, 0.050044}, {1024, 0.080881}}) {
    const auto topology = oracle::nvswitch(static_cast<int>(n), Bandwidth::gb_per_s(50), microseconds(10));
    INFO("N = " << n);
    CHECK(in_s(time_of(*topology, all_reduce("ring", n, 1'000'000'000))) == Approx(seconds).margin(5e-7));
  }
}

TEST_CASE("case C12: direct takes two latencies where a ring takes 2 (N - 1), and as long for the bytes") {
  const auto topology = oracle::star(8, {Bandwidth::gb_per_s(50)}, microseconds(10));
  const Duration bytes = 14 * Bandwidth::gb_per_s(50).time({1'200'000});
  CHECK(time_of(*topology, all_reduce("ring", 8, 9'600'000)) == 14 * microseconds(20) + bytes);
  CHECK(time_of(*topology, all_reduce("direct", 8, 9'600'000)) == 2 * microseconds(20) + bytes);
}

TEST_CASE("case A16: a lone flow has its link's rate, however small or large it is") {
  const auto topology = oracle::chain({Bandwidth::gb_per_s(50)}, Duration{});
  for (const int64_t bytes : {int64_t{1}, int64_t{1000}, int64_t{1'000'000'000'000}})
    CHECK(time_of(*topology, pairs(2, bytes, {{0, 1}})) == Duration{bytes * 20});
}

TEST_CASE("case A17: 65,536 ranks") {
  const auto topology = oracle::nvswitch(65'536, Bandwidth::gb_per_s(50), microseconds(10));
  CHECK(time_of(*topology, {.algorithm = find_algorithm(Collective::kBarrier, "dissemination"),
                            .ranks = 65'536}) == 16 * microseconds(20));
  CHECK(time_of(*topology, all_reduce("tree", 65'536, 50'000)) == 32 * (microseconds(20) + microseconds(1)));
}
