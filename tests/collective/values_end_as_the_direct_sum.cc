// float64 data through every algorithm: bit-equal to the direct sum for integers, within 1e-14 x the sum of
// magnitudes for random values.
#include <cmath>

#include "sim/base/random.h"
#include "sim/collective/replay.h"
#include "tests/catch.h"
#include "tests/oracle/collective_cases.h"

namespace brigade {
namespace {

using Buffers = std::vector<std::vector<double>>;

template <class Draw>
Buffers filled(const PlanRequest& request, Draw draw) {
  Buffers buffers(request.ranks, std::vector<double>(request.elements));
  for (auto& buffer : buffers) {
    for (double& x : buffer) x = draw();
  }
  return buffers;
}

// The largest |result - sum| / sum of magnitudes over all ranks and elements.
double worst_error(const PlanRequest& request, const Buffers& before) {
  const Buffers after = run_values(request, before);
  double worst = 0;
  for (int64_t e = 0; e < request.elements; ++e) {
    long double sum = 0, magnitudes = 0;
    for (const auto& buffer : before) sum += buffer[e], magnitudes += std::abs(buffer[e]);
    for (const auto& buffer : after) {
      worst = std::max(worst, static_cast<double>(std::abs(buffer[e] - sum) / std::max(magnitudes, 1e-300L)));
    }
  }
  return worst;
}

TEST_CASE("every all-reduce ends with the direct sum on every rank") {
  const uint64_t seed = 12;
  Random random(seed);
  for (const oracle::CollectiveCase& row : oracle::kCollectiveCases) {
    if (row.collective != Collective::kAllReduce) continue;
    for (Rank ranks = 1; ranks <= 64; ranks += ranks < 20 ? 1 : 11) {
      for (const PlanRequest& request : oracle::requests(row, ranks, 37)) {
        INFO(row.algorithm << " on " << ranks << ", nodes of " << request.group << " (" << request.inner
                           << ", " << request.outer << "), seed " << seed);
        REQUIRE(worst_error(request, filled(request, [&] {
                              return double(random.between(-1'000'000, 1'000'000));
                            })) == 0);
        REQUIRE(worst_error(request, filled(request, [&] { return random.unit() - 0.5; })) <= 1e-14);
      }
    }
  }
}

}  // namespace
}  // namespace brigade
