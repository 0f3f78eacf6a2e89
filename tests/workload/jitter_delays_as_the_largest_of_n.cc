// Jitter of compute: a step is as long as the slowest of N ranks makes it, so its mean grows with N as the
// expectation of the largest of N draws does (closed forms of order statistics); the draws are the seed's.
#include <algorithm>
#include <cmath>

#include "sim/workload/jitter.h"
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

constexpr JitterKind kKinds[] = {JitterKind::kUniform, JitterKind::kExponential, JitterKind::kPareto};

// Of the largest of n draws of mean 1.
double expected_largest(JitterKind kind, int n) {
  if (kind == JitterKind::kUniform) return 2.0 * n / (n + 1);
  double sum = 0;
  if (kind == JitterKind::kExponential) {
    for (int k = 1; k <= n; ++k) sum += 1.0 / k;
    return sum;
  }
  return std::sqrt(M_PI) * std::exp(std::lgamma(n + 1.0) - std::lgamma(n + 0.5)) - 1;
}

// 90 ms of compute, one bucket at its end, and so little communication that it hides nothing of the waiting.
DdpJobSpec one_bucket(const JitterSpec& jitter, int steps) {
  DdpJobSpec ddp = small_ddp();
  ddp.buckets.one_bucket = true;
  for (LayerSpec& layer : ddp.model.layers) {
    layer.forward = milliseconds(10);
    layer.backward = milliseconds(20);
    layer.parameters[0].elements = 10;
  }
  ddp.compute.jitter = jitter;
  ddp.run.steps = steps;
  return ddp;
}

}  // namespace

TEST_CASE("jitter has its mean, never makes compute faster, and depends on rank and step alone") {
  for (const JitterKind kind : kKinds) {
    const JitterSpec spec{.kind = kind, .mean = 0.1};
    double sum = 0;
    int n = 0;
    for (Rank r = 0; r < 100; ++r)
      for (int step = 0; step < 1000; ++step, ++n) {
        const double x = jitter_factor(spec, 5, 1, r, step) - 1;
        REQUIRE(x >= 0);
        sum += std::min(x, 10.0);  // the heavy tail has no variance; what lies above is 1 % of its mean
      }
    const double cut = kind == JitterKind::kPareto ? 0.1 * 0.1 / (10 + 0.1) : 0;
    CHECK(sum / n == Approx(0.1 - cut).epsilon(0.03));
    CHECK(jitter_factor(spec, 5, 1, 3, 7) == jitter_factor(spec, 5, 1, 3, 7));
    for (const double other : {jitter_factor(spec, 6, 1, 3, 7), jitter_factor(spec, 5, 2, 3, 7),
                               jitter_factor(spec, 5, 1, 4, 7), jitter_factor(spec, 5, 1, 3, 8)})
      CHECK(other != jitter_factor(spec, 5, 1, 3, 7));
  }
  CHECK(jitter_factor({}, 5, 1, 3, 7) == 1);
}

TEST_CASE("the exponential draws lie below x as often as 1 - e^-x says") {
  Random random(11);
  constexpr int kDraws = 200'000;
  std::vector<double> drawn;
  for (int i = 0; i < kDraws; ++i) drawn.push_back(exponential_of_mean_one(random));
  std::sort(drawn.begin(), drawn.end());
  double largest = 0;  // Kolmogorov's distance
  for (int i = 0; i < kDraws; ++i)
    largest = std::max(largest, std::abs(1 - std::exp(-drawn[i]) - double(i) / kDraws));
  CHECK(largest < 1.95 / std::sqrt(double(kDraws)));  // exceeded by 1 seed of 1000
}

TEST_CASE("the mean step grows with the ranks as the expectation of the largest of N draws") {
  constexpr int kSteps = 400;
  for (const JitterKind kind : kKinds)
    for (const int n : {1, 2, 5, 16, 48}) {
      CAPTURE(int(kind), n);
      const auto topology = small_cluster(static_cast<size_t>(n));
      const DdpResult quiet = run_ddp(*topology, one_bucket({}, 1));
      const double mean = 0.02;
      const DdpResult d = run_ddp(*topology, one_bucket({.kind = kind, .mean = mean}, kSteps));
      const double expected_us = quiet.step_time.mean_us + 90'000 * mean * expected_largest(kind, n);
      // Four deviations of the mean; the heavy tail has none, only its bulk can be held to it.
      const double spread = kind == JitterKind::kPareto ? 0.3 * expected_largest(kind, n) : 4 * 1.29 / 20;
      CHECK(std::abs(d.step_time.mean_us - expected_us) < 90'000 * mean * spread);
      CHECK(d.step_time.p99_us > d.step_time.p50_us);
    }
}

// But for microseconds of the ring that the others go ahead.
TEST_CASE("each step lasts as long as the slowest rank's factor says") {
  const JitterSpec jitter{.kind = JitterKind::kExponential, .mean = 0.3};
  const auto topology = small_cluster(3);
  const DdpResult d = run_ddp(*topology, one_bucket(jitter, 1));
  double slowest = 0;
  for (Rank r = 0; r < 3; ++r) slowest = std::max(slowest, jitter_factor(jitter, 1, 0, r, 0));
  const Duration quiet = run_ddp(*topology, one_bucket({}, 1)).last_step;
  CHECK(in_us(d.last_step) == Approx(in_us(quiet) + 90'000 * (slowest - 1)).epsilon(2e-4));
}
