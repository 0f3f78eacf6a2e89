// Collectives whose messages never share a link at one time: every rank ends at the same picosecond in both
// models. And on shared links published values, which both models give.
#include "tests/catch.h"
#include "tests/engine/run_calls.h"

using namespace brigade;

namespace {

NetworkSpec fluid() {
  NetworkSpec spec;
  spec.model = NetworkModel::kFluid;
  return spec;
}

std::vector<std::vector<Time>> packet_ends(const Topology& topology,
                                           const std::vector<oracle::PlainJob>& jobs) {
  FastEngine engine(topology, {}, {});
  return run_fast(engine, jobs).end;
}

std::vector<std::vector<Time>> fluid_ends(const Topology& topology,
                                          const std::vector<oracle::PlainJob>& jobs) {
  FluidEngine engine(topology, fluid(), {});
  return run_fast(engine, jobs).end;
}

PlanRequest all_reduce(const char* algorithm, Rank ranks, int64_t bytes) {
  return {.algorithm = find_algorithm(Collective::kAllReduce, algorithm), .ranks = ranks, .elements = bytes};
}

PlanRequest pairs(Rank ranks, int64_t bytes, std::vector<Pair> list) {
  return {.algorithm = find_algorithm(Collective::kSendRecv, "listed"),
          .ranks = ranks,
          .elements = bytes,
          .pairs = std::move(list)};
}

// Whose messages may meet where chunks are unlike.
bool uneven(const std::string& algorithm) { return algorithm == "direct" || algorithm == "halving_doubling"; }

Duration last_fluid(const Topology& topology, const PlanRequest& request) {
  return last_of(fluid_ends(topology, {job_of(oracle::gpus_of(topology), request)})[0]) - Time{};
}

}  // namespace

TEST_CASE("all-reduces on even links end on every rank at the same picosecond as in the packet model") {
  const Bandwidth odd = Bandwidth::per_second({47'000'000'123});
  for (const Bandwidth b : {Bandwidth::gb_per_s(50), odd})
    for (const Duration latency : {Duration{}, microseconds(10)})
      for (Rank n = 1; n <= 17; ++n) {
        const auto topology = oracle::star(static_cast<int>(n), {b}, latency);
        for (const char* algorithm : {"ring", "direct", "butterfly", "halving_doubling", "tree"}) {
          const bool folds = (n & (n - 1)) != 0;
          if (folds && std::string(algorithm) != "ring" && std::string(algorithm) != "direct") continue;
          for (const int64_t bytes :
               {int64_t{0}, int64_t{1}, int64_t{n}, 77'777 * int64_t{n}, int64_t{1'000'003}}) {
            // Messages of unlike chunks overlap at a receiver for a moment: there they share, here they
            // queue.
            if (uneven(algorithm) && bytes % n != 0) continue;
            INFO(algorithm << ", " << n << " ranks, " << bytes << " B, " << latency.ps << " ps");
            const auto job = job_of(oracle::gpus_of(*topology), all_reduce(algorithm, n, bytes));
            CHECK(fluid_ends(*topology, {job}) == packet_ends(*topology, {job}));
          }
        }
      }
}

TEST_CASE("so does a hierarchical all-reduce over nodes with two kinds of links") {
  const auto topology = oracle::lecture(4, 8);
  PlanRequest request = all_reduce("hierarchical", 32, 1'000'000);
  request.group = 8;
  request.inner = "ring";
  request.outer = "ring";
  const auto job = job_of(oracle::gpus_of(*topology), request);
  CHECK(fluid_ends(*topology, {job}) == packet_ends(*topology, {job}));
}

TEST_CASE("cases C3 to C6 have their values in the fluid model too") {
  const auto slow = oracle::chain({Bandwidth::per_second({1})}, milliseconds(500));
  CHECK(last_fluid(*slow, pairs(2, 1, {{0, 1}})) == milliseconds(1500));
  CHECK(last_fluid(*slow, pairs(2, 1, {{0, 1}, {0, 1}})) == milliseconds(2500));
  CHECK(last_fluid(*slow, pairs(2, 1, {{0, 1}, {1, 0}})) == milliseconds(1500));
  const auto eight = oracle::star(8, {Bandwidth::gb_per_s(50)}, microseconds(10));
  CHECK(last_fluid(*eight, all_reduce("ring", 8, 9'600'000)) == microseconds(616));
  CHECK(last_fluid(*eight, all_reduce("butterfly", 8, 9'600'000)) == microseconds(636));
  CHECK(last_fluid(*eight, all_reduce("halving_doubling", 8, 9'600'000)) == microseconds(456));
  for (const auto& [n, us] : {std::pair{64, 41'895}, std::pair{256, 50'044}}) {
    const auto topology = oracle::nvswitch(n, Bandwidth::gb_per_s(50), microseconds(10));
    const Duration d = last_fluid(*topology, all_reduce("ring", static_cast<Rank>(n), 1'000'000'000));
    CHECK(in_us(d) == Approx(us).margin(0.5));
  }
  for (const auto& [n, us] : {std::pair{Rank{8}, 320'040}, std::pair{Rank{256}, 10'240'040}}) {
    const auto topology =
        oracle::nvswitch(static_cast<int>(n) + 1, Bandwidth::gb_per_s(50), microseconds(10));
    std::vector<Pair> push, pull;
    for (Rank r = 1; r <= n; ++r) {
      push.push_back({r, 0});
      pull.push_back({0, r});
    }
    FluidEngine engine(*topology, fluid(), {});
    const CommId comm = engine.add_communicator(0, oracle::gpus_of(*topology), "incast");
    for (const auto& list : {push, pull})
      engine.add_collective(comm, {plans_of(pairs(n + 1, 1'000'000'000, list)), false, ""});
    for (Rank r = 0; r <= n; ++r) {
      engine.launch(comm, r);
      engine.launch(comm, r);
    }
    while (engine.next()) {
    }
    engine.check_counters();
    CHECK(engine.now() - Time{} == microseconds(us));
  }
}

TEST_CASE("an overhead is paid in the fluid model as in the packet model") {
  const auto topology = oracle::star(5, {Bandwidth::gb_per_s(50)}, microseconds(1));
  const auto job = job_of(oracle::gpus_of(*topology), all_reduce("ring", 5, 1'000'000));
  NetworkSpec packet, flows = fluid();
  packet.overhead = flows.overhead = microseconds(3);
  FastEngine a(*topology, packet, {});
  FluidEngine b(*topology, flows, {});
  CHECK(run_fast(a, {job}).end == run_fast(b, {job}).end);
}
