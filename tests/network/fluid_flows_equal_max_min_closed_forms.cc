// Right values from arithmetic: what flows over shared links must take when each has its max-min fair share.
#include <algorithm>
#include <cmath>

#include "sim/base/random.h"
#include "tests/catch.h"
#include "tests/network/fluid_messages.h"

using namespace brigade;

namespace {

constexpr int64_t kSecond = 1'000'000'000'000;

void check_near(Time got, double expected_ps, int64_t within_ps = 1) {
  INFO("got " << got.ps << " ps, expected " << expected_ps);
  CHECK(std::abs(static_cast<double>(got.ps) - expected_ps) <= static_cast<double>(within_ps));
}

}  // namespace

TEST_CASE("a flow over three links of 1, 10, 1 GB/s beside one on each: 0.5 | 0.5, 9.5, 0.5") {
  const auto t = row({Bandwidth::gb_per_s(1), Bandwidth::gb_per_s(10), Bandwidth::gb_per_s(1)}, {});
  const Bytes gb = gigabytes(1);
  const auto ends = run_fluid(*t, {{0, 3, gb}, {0, 1, gb}, {1, 2, gb}, {2, 3, gb}});
  check_near(ends.left[0], 2e12);
  check_near(ends.left[1], 2e12);
  check_near(ends.left[2], 1e12 / 9.5);  // 0.105263158 s
  check_near(ends.left[3], 2e12);
}

TEST_CASE("A of 2 GB, and B of 1 GB a second later, on 1 GB/s end together at 3 s") {
  const auto t = row({Bandwidth::gb_per_s(1)}, {});
  const auto ends = run_fluid(*t, {{0, 1, gigabytes(2)}, {0, 1, gigabytes(1), Time{kSecond}}});
  CHECK(ends.left[0].ps == 3 * kSecond);
  CHECK(ends.left[1].ps == 3 * kSecond);
}

TEST_CASE("1 B/s and 0.5 s of latency: a byte takes 1.5 s, k the same way k + 0.5 s, k each way no longer") {
  const auto t = row({Bandwidth::per_second({1})}, milliseconds(500));
  for (const int k : {1, 2, 3, 7, 10, 49}) {
    std::vector<FluidMessage> one_way, both_ways;
    for (int i = 0; i < k; ++i) {
      one_way.push_back({0, 1, {1}});
      both_ways.push_back({0, 1, {1}});
      both_ways.push_back({1, 0, {1}});
    }
    for (const auto& messages : {one_way, both_ways})
      for (const Time at : run_fluid(*t, messages).delivered) check_near(at, (k + 0.5) * kSecond);
  }
}

TEST_CASE("N flows through one port end at N M/B, each N M/B + latencies") {
  for (const int n : {1, 2, 3, 5, 8, 37, 256}) {
    const Bandwidth b = Bandwidth::gb_per_s(50);
    const auto t = oracle::star(n + 1, {b}, microseconds(20));
    const auto gpus = oracle::gpus_of(*t);
    std::vector<FluidMessage> messages;
    for (int i = 1; i <= n; ++i) messages.push_back({gpus[static_cast<size_t>(i)], gpus[0], gigabytes(1)});
    const auto ends = run_fluid(*t, messages);
    for (const Time at : ends.delivered) CHECK(at.ps == (b.time(n * gigabytes(1)) + microseconds(40)).ps);
    CHECK(ends.settled == 2);  // they start, they end
  }
}

TEST_CASE("sizes 1 to N from one instant on through one port: the k-th ends at the time of what it shares") {
  // While the k-th smallest flows, N - k + 1 share the port: it ends at (1 + ... + k + (N - k) k) units.
  for (const int n : {1, 2, 3, 7, 30}) {
    const auto t = row({Bandwidth::gb_per_s(3)}, {});
    std::vector<FluidMessage> messages;
    for (int i = 1; i <= n; ++i) messages.push_back({0, 1, i * Bytes{1'000'003}});
    const auto ends = run_fluid(*t, messages);
    for (int k = 1; k <= n; ++k) {
      const double units = k * (k + 1) / 2.0 + (n - k) * k;
      check_near(ends.left[static_cast<size_t>(k - 1)], units * 1'000'003 / 3e9 * 1e12);
    }
  }
}

TEST_CASE("a long flow over K links, each with one of its own: all have half of a link") {
  for (const int k : {1, 2, 5, 9}) {
    const auto t = row(std::vector<Bandwidth>(static_cast<size_t>(k), Bandwidth::gb_per_s(7)), {});
    std::vector<FluidMessage> messages{{0, static_cast<VertexId>(k), megabytes(7)}};
    for (int i = 0; i < k; ++i)
      messages.push_back({static_cast<VertexId>(i), static_cast<VertexId>(i + 1), megabytes(7)});
    for (const Time at : run_fluid(*t, messages).left) CHECK(at.ps == 2 * kSecond / 1000);
  }
}

TEST_CASE("weights share a link in their proportion, and a cap leaves its rest to the others") {
  const auto t = row({Bandwidth::gb_per_s(6)}, {});
  // 1 : 2 : 3 of 6 GB/s; all of 1 s.
  const auto weighted = run_fluid(*t, {{0, 1, gigabytes(1), {}, {.weight = 1}},
                                       {0, 1, gigabytes(2), {}, {.weight = 2}},
                                       {0, 1, gigabytes(3), {}, {.weight = 3}}});
  for (const Time at : weighted.left) CHECK(at.ps == kSecond);
  // One never has more than 1 GB/s: two others 2.5 each; then, alone, still 1.
  const auto capped = run_fluid(*t, {{0, 1, gigabytes(3), {}, {.weight = 1, .cap = Bandwidth::gb_per_s(1)}},
                                     {0, 1, gigabytes(5)},
                                     {0, 1, gigabytes(5)}});
  CHECK(capped.left[0].ps == 3 * kSecond);
  CHECK(capped.left[1].ps == 2 * kSecond);
  CHECK(capped.left[2].ps == 2 * kSecond);
  // A cap above the fair share changes nothing.
  const auto loose = run_fluid(
      *t, {{0, 1, gigabytes(3), {}, {.weight = 1, .cap = Bandwidth::gb_per_s(4)}}, {0, 1, gigabytes(3)}});
  for (const Time at : loose.left) CHECK(at.ps == kSecond);
}

TEST_CASE("on an idle network a message takes the latencies and T(bytes) at the slowest link") {
  Random random(20261129);
  for (int i = 0; i < 2000; ++i) {
    INFO("case " << i);
    std::vector<Bandwidth> bandwidths;
    const auto hops = random.between(1, 8);
    for (int64_t h = 0; h < hops; ++h)
      bandwidths.push_back(Bandwidth::per_second({random.between(1, int64_t{1} << random.between(1, 42))}));
    const Bandwidth slowest = *std::min_element(bandwidths.begin(), bandwidths.end());
    const Duration latency{random.between(0, 1'000'000'000)};
    const auto t = row(bandwidths, latency);
    Bytes bytes{random.between(0, int64_t{1} << random.between(0, 40))};
    if (bytes / slowest.bytes_per_s() > 2'000'000) bytes = {random.between(0, 9)};  // within a month
    const Time start{random.between(0, kSecond)};
    const auto ends = run_fluid(*t, {{0, static_cast<VertexId>(hops), bytes, start}});
    CHECK(ends.left[0].ps == (start + slowest.time(bytes)).ps);
    CHECK(ends.delivered[0].ps == (start + slowest.time(bytes) + hops * latency).ps);
    CHECK(ends.end == ends.delivered[0]);
  }
}
