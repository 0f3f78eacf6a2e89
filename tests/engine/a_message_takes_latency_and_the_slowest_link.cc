// Idle routes of 1 to 8 links of mixed bandwidths: sum of latencies + T(bytes) at the slowest, whatever the
// segment.
#include "sim/base/random.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/engine/run_calls.h"

using namespace brigade;

namespace {

Duration time_over(const std::vector<Bandwidth>& links, Duration latency, int64_t bytes,
                   const NetworkSpec& network) {
  const auto topology = oracle::chain(links, latency);
  FastEngine engine(*topology, network, {});
  const Ends ends = run_fast(engine, {job_of(oracle::gpus_of(*topology),
                                             {.algorithm = find_algorithm(Collective::kSendRecv, "listed"),
                                              .ranks = 2,
                                              .elements = bytes,
                                              .pairs = {{0, 1}}})});
  return ends.end[0][1] - Time{};
}

}  // namespace

TEST_CASE("50/400/50 Gb/s and worse") {
  const auto gb = [](int64_t n) { return Bandwidth::per_second({n * 125'000'000}); };
  const std::vector<Bandwidth> routes[] = {{gb(50), gb(400), gb(50)},
                                           {gb(400), gb(50), gb(400)},
                                           {gb(1), gb(400), gb(3), gb(400)},
                                           {gb(7), gb(5), gb(3), gb(1), gb(3), gb(5), gb(7), gb(400)}};
  for (const auto& route : routes)
    for (const int64_t bytes : {0, 1, 4095, 1'048'576, 64'000'001})
      for (const int64_t segment : {64 << 10, 1 << 20, 1 << 30}) {
        NetworkSpec network;
        network.segment = {segment};
        const Bandwidth slowest = *std::min_element(route.begin(), route.end());
        const Duration latencies = static_cast<int64_t>(route.size()) * microseconds(1);
        INFO("links " << route.size() << " bytes " << bytes << " segment " << segment);
        CHECK(time_over(route, microseconds(1), bytes, network).ps == (latencies + slowest.time({bytes})).ps);
      }
}

TEST_CASE("random routes, sizes and segments") {
  for (uint64_t seed = 1; seed <= cases(500); ++seed) {
    Random random(seed);
    std::vector<Bandwidth> route;
    for (int64_t i = random.between(1, 8); i > 0; --i)
      route.push_back(Bandwidth::per_second({random.between(100'000'000, 900'000'000'000)}));
    const int64_t bytes = random.between(0, 3'000'000);
    NetworkSpec network;
    network.segment = {random.between(1 + bytes / 500, 2'000'000)};
    const Duration latency = nanoseconds(random.between(0, 3000));
    const Bandwidth slowest = *std::min_element(route.begin(), route.end());
    INFO("seed " << seed << " bytes " << bytes << " segment " << network.segment.count);
    CHECK(time_over(route, latency, bytes, network).ps ==
          (static_cast<int64_t>(route.size()) * latency + slowest.time({bytes})).ps);
  }
}
