#include "sim/workload/result.h"
#include "tests/catch.h"
#include "tests/workload/workload_helpers.h"

using namespace brigade;

namespace {
std::vector<Duration> microseconds_down_from(int n) {
  std::vector<Duration> values;
  for (int i = n; i > 0; --i) values.push_back(microseconds(i));
  return values;
}
}  // namespace

TEST_CASE("p50 and p99 of 1..n us are the values of rank ceil(n p / 100)") {
  const auto [n, p50, p99] = GENERATE(table<int, double, double>({{1, 1, 1},
                                                                  {2, 1, 2},
                                                                  {3, 2, 3},
                                                                  {5, 3, 5},
                                                                  {99, 50, 99},
                                                                  {100, 50, 99},
                                                                  {101, 51, 100},
                                                                  {200, 100, 198}}));
  const Statistic s = statistic_of(microseconds_down_from(n));
  INFO("n = " << n);
  CHECK(s.p50_us == Approx(p50));
  CHECK(s.p99_us == Approx(p99));
  CHECK(s.mean_us == Approx((n + 1) / 2.0));
  CHECK(s.samples == n);
}

TEST_CASE("no steps, no statistic") {
  const Statistic s = statistic_of({});
  CHECK(s.samples == 0);
  CHECK(s.mean_us == 0);
}

TEST_CASE("a mean of durations near the limit does not overflow") {
  const Statistic s = statistic_of(std::vector<Duration>(8, Duration{INT64_MAX / 2}));
  CHECK(s.mean_us == Approx(double(INT64_MAX / 2) * 1e-6));
}
