// Rates that were mended as flows came and went, and the ends that follow, against everything filled anew.
#include <algorithm>
#include <cmath>
#include <set>

#include "sim/base/random.h"
#include "tests/catch.h"
#include "tests/network/fluid_messages.h"
#include "tests/oracle/max_min.h"

using namespace brigade;

namespace {

// Few sizes, so that several links fill up at one level; or any.
Bandwidth draw_bandwidth(Random& random, bool even) {
  if (even) return Bandwidth::gb_per_s(int64_t{5} << random.below(4));
  return Bandwidth::per_second({random.between(1'000'000, 900'000'000'000)});
}

std::vector<LinkId> draw_route(Random& random, size_t links) {
  std::set<LinkId> route;
  const auto hops = random.between(1, 6);
  for (int64_t h = 0; h < hops; ++h) route.insert(static_cast<LinkId>(random.below(links)));
  return {route.begin(), route.end()};
}

double as_double(Rate r) { return static_cast<double>(r) * 0x1p-64; }

}  // namespace

TEST_CASE("after each of many random changes every rate is that of progressive filling") {
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    Random random(seed);
    const bool even = random.below(2) == 0;
    const size_t n = 1 + random.below(30);
    std::vector<Bandwidth> links;
    std::vector<double> plain_links;
    for (size_t l = 0; l < n; ++l) {
      links.push_back(draw_bandwidth(random, even));
      plain_links.push_back(static_cast<double>(links.back().bytes_per_s().count));
    }
    FairShares shares(links, 6);
    constexpr FlowId kFlows = 40;
    std::vector<oracle::PlainFlow> flows(kFlows);
    std::vector<bool> present(kFlows);
    for (int change = 0; change < 60; ++change) {
      for (uint64_t i = random.below(4); i < 4; ++i) {
        const auto f = static_cast<FlowId>(random.below(kFlows));
        if (present[f]) {
          shares.remove(f);
        } else {
          const auto weight = static_cast<uint32_t>(random.below(3) == 0 ? random.between(1, 7) : 1);
          std::optional<Bandwidth> cap;
          if (random.below(4) == 0) cap = draw_bandwidth(random, even);
          flows[f] = {.route = draw_route(random, n), .weight = static_cast<double>(weight)};
          if (cap) flows[f].cap_bytes_per_s = static_cast<double>(cap->bytes_per_s().count);
          shares.add(f, flows[f].route, weight, cap);
        }
        present[f] = !present[f];
      }
      shares.settle();
      const auto expected = oracle::max_min(plain_links, flows, present);
      std::vector<Rate> load(n);
      for (FlowId f = 0; f < kFlows; ++f) {
        if (!present[f]) continue;
        INFO("seed " << seed << ", change " << change << ", flow " << f);
        REQUIRE(as_double(shares.rate(f)) == Approx(static_cast<double>(expected[f])).epsilon(1e-12));
        for (const LinkId l : flows[f].route) load[l] += shares.rate(f);
      }
      for (LinkId l = 0; l < n; ++l) {
        REQUIRE(load[l] == shares.load(l));
        REQUIRE(load[l] >> 64 <= static_cast<uint64_t>(links[l].bytes_per_s().count));
      }
    }
  }
}

TEST_CASE("random messages over a star end within a picosecond of the exact time, in any order of creation") {
  int64_t worst = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const int n = static_cast<int>(random.between(2, 9));
    std::vector<Bandwidth> bandwidths;
    for (int i = 0; i < n; ++i) bandwidths.push_back(draw_bandwidth(random, random.below(2) == 0));
    const auto t = oracle::star(n, bandwidths, nanoseconds(random.between(0, 500)));
    const auto gpus = oracle::gpus_of(*t);
    std::vector<double> links;
    for (const Link& l : t->links()) links.push_back(static_cast<double>(l.bandwidth.bytes_per_s().count));
    std::vector<FluidMessage> messages;
    std::vector<oracle::PlainFlow> flows;
    const auto count = random.between(1, 40);
    for (int64_t i = 0; i < count; ++i) {
      const auto from = random.below(static_cast<uint64_t>(n)), to = random.below(static_cast<uint64_t>(n));
      if (from == to) continue;
      FluidMessage m{gpus[from],
                     gpus[to],
                     {random.between(1, 1'000'000)},
                     Time{random.below(3) == 0 ? 0 : random.between(0, 20'000'000)}};
      m.share.weight = static_cast<uint32_t>(random.below(4) == 0 ? random.between(2, 5) : 1);
      LinkId route[8];
      const int hops = t->router().route(m.from, m.to, messages.size(), route);
      messages.push_back(m);
      flows.push_back({.route = {route, route + hops},
                       .bytes = static_cast<double>(m.bytes.count),
                       .start_s = static_cast<double>(m.start.ps) * 1e-12,
                       .weight = static_cast<double>(m.share.weight)});
    }
    const auto ends = run_fluid(*t, messages);
    const auto expected = oracle::flow_ends(links, flows);
    for (size_t i = 0; i < messages.size(); ++i) {
      INFO("seed " << seed << ", message " << i);
      const auto late = static_cast<int64_t>(
          std::llround(std::abs(static_cast<double>(ends.left[i].ps - expected[i] * 1e12L))));
      worst = std::max(worst, late);
      CHECK(late <= 1);
    }
    const auto again = run_fluid(*t, messages, true);
    CHECK(again.left == ends.left);
    CHECK(again.delivered == ends.delivered);
  }
  CHECK(worst <= 1);
}
