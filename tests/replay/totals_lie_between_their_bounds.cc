// Random timelines: with the traced durations every node begins when it did; with any durations the end of
// each lies between that with free communication and the one where none of it is hidden; longer collectives
// never make it earlier.
#include "sim/base/random.h"
#include "tests/replay/traces.h"

using namespace brigade;

namespace {

// In tens of microseconds: what is so far apart is not taken for rounding.
constexpr double kTen = 10;

WrittenTrace random_trace(uint64_t seed) {
  Random random(seed);
  WrittenTrace t;
  const int steps = static_cast<int>(1 + random.below(3));
  double at = 0;
  std::vector<double> stream_free(3);  // of 7, 20, 22
  double calls_until[3] = {0, 0, 0};
  for (int s = 0; s < steps; ++s) {
    const double begin = at;
    for (int64_t i = random.between(5, 40); i > 0; --i) {
      const auto thread = static_cast<int64_t>(1 + random.below(2));
      at = std::max(at, calls_until[thread]) +
           static_cast<double>(random.between(1, random.below(8) == 0 ? 400 : 30));
      const uint64_t what = random.below(10);
      if (what < 2 || i == 1) {
        const size_t stream = 1;
        const double start = std::max(stream_free[stream], at + static_cast<double>(random.between(4, 60)));
        stream_free[stream] = start + static_cast<double>(random.between(1, 300));
        t.all_reduce(random.between(1, 9000), kTen * at, kTen * start, kTen * stream_free[stream], thread);
      } else if (what < 8) {
        const size_t stream = random.below(3) == 0 ? 2 : 0;
        double start = std::max(stream_free[stream], at + static_cast<double>(random.between(4, 20)));
        if (random.below(4) == 0) start = std::max(start, stream_free[1]);
        stream_free[stream] = start + static_cast<double>(random.between(0, 120));
        t.kernel("kernel", kTen * at, stream == 0 ? 7 : 22, kTen * start, kTen * stream_free[stream], thread);
      } else if (what == 8) {
        t.call("cudaStreamWaitEvent", kTen * at, kTen * (at + 2), thread);
      } else {
        double end = at + 5;
        if (random.below(2) == 0)
          for (const double free : stream_free) end = std::max(end, free + 4);
        t.call(random.below(2) == 0 ? "cudaDeviceSynchronize" : "cudaEventSynchronize", kTen * at, kTen * end,
               thread);
        at = end;
      }
      calls_until[thread] = at + 6;
    }
    at = std::max({at, calls_until[1], calls_until[2]}) + 10;
    t.step(s, kTen * begin, kTen * at);
    at += 3;
  }
  return t;
}

std::vector<Time> ends(const ReplayGraph& graph, const CollectiveTime& time_of) {
  const Dataflow flow = replay_alone(graph, time_of);
  REQUIRE(flow.all_ended());
  std::vector<Time> all;
  for (uint32_t n = 0; n < graph.nodes.size(); ++n) all.push_back(flow.end_of(n));
  return all;
}

}  // namespace

TEST_CASE("random timelines replay as traced, and between their bounds") {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    const ReplayGraph graph = graph_of(random_trace(seed));
    const auto traced = ends(graph, [&](const ReplayCollective& c) { return traced_time(graph, c); });
    for (uint32_t n = 0; n < graph.nodes.size(); ++n)
      REQUIRE(traced[n] == graph.nodes[n].traced_begin + graph.nodes[n].work);

    Random random(seed * 77);
    std::vector<Duration> some, more;
    Duration sum{};
    for (size_t c = 0; c < graph.collectives.size(); ++c) {
      some.push_back(microseconds(random.between(0, 2000)));
      more.push_back(some.back() + microseconds(random.between(0, 500)));
      sum += some.back();
    }
    const auto index = [&](const ReplayCollective& c) {
      return static_cast<size_t>(&c - graph.collectives.data());
    };
    const auto free = ends(graph, [](const ReplayCollective&) { return Duration{}; });
    const auto with_some = ends(graph, [&](const ReplayCollective& c) { return some[index(c)]; });
    const auto with_more = ends(graph, [&](const ReplayCollective& c) { return more[index(c)]; });
    for (uint32_t n = 0; n < graph.nodes.size(); ++n) {
      REQUIRE(free[n] <= with_some[n]);
      REQUIRE(with_some[n] <= free[n] + sum);
      REQUIRE(with_some[n] <= with_more[n]);
    }
  }
}
