// The fluid model where it has most to do: an incast whose senders start at different times (each start and
// each end changes the rate of all others), and a permutation over a fat tree, where many links fill up.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/random.h"
#include "tests/engine/run_calls.h"
#include "tests/oracle/machines.h"

namespace brigade {
namespace {

const Bandwidth kBandwidth = Bandwidth::gb_per_s(50);

struct Start {
  PointToPoint message;
  Time at;
};

void run(benchmark::State& state, const Topology& topology, const std::vector<Start>& starts) {
  NetworkSpec network;
  network.model = NetworkModel::kFluid;
  int64_t messages = 0, recomputed = 0;
  for (auto _ : state) {
    FluidEngine engine(topology, network, {});
    const CommId comm = engine.add_communicator(0, oracle::gpus_of(topology), "messages");
    for (size_t i = 0; i < starts.size(); ++i) engine.timer(0, static_cast<Rank>(i), starts[i].at, 0);
    while (const auto n = engine.next())
      if (n->what == Notice::What::kTimer) engine.send(comm, starts[n->rank].message);
    engine.check_counters();
    messages += engine.counts().messages;
    recomputed += engine.network().shares().recomputed;
  }
  using benchmark::Counter;
  state.counters["messages/s"] = Counter(static_cast<double>(messages), Counter::kIsRate);
  state.counters["rates/s"] = Counter(static_cast<double>(recomputed), Counter::kIsRate);
}

void incast(benchmark::State& state) {
  const auto workers = static_cast<uint32_t>(state.range(0));
  const auto topology = oracle::nvswitch(static_cast<int>(workers) + 1, kBandwidth, microseconds(5));
  std::vector<Start> starts;
  Random random(1);
  for (uint32_t w = 1; w <= workers; ++w)
    starts.push_back({{.from = w, .to = 0, .bytes = megabytes(100), .tag = w},
                      Time{random.between(0, 1'000'000'000'000)}});
  run(state, *topology, starts);
}

// Of k-port switches: k pods of k/2 edge and k/2 aggregation switches, k^2/4 cores, k^3/4 hosts.
std::unique_ptr<const Topology> fat_tree(int k) {
  ClusterSpec spec;
  spec.name = "fat tree";
  const auto vertex = [&](std::string name, const char* kind) {
    VertexSpec v;
    v.name = name;
    v.kind = kind;
    spec.vertices.push_back(v);
    return name;
  };
  const auto cable = [&](std::string a, std::string b) {
    CableSpec c;
    c.bandwidth = kBandwidth;
    c.latency = microseconds(1);
    spec.cables.push_back({std::move(a), std::move(b), c});
  };
  const int half = k / 2;
  const auto numbered = [](const char* word, int i) { return word + std::to_string(i); };
  for (int c = 0; c < half * half; ++c) vertex(numbered("core", c), "switch");
  for (int e = 0; e < k * half; ++e) {
    const int pod = e / half;
    vertex(numbered("edge", e), "switch");
    vertex(numbered("aggregation", e), "switch");
    for (int c = 0; c < half; ++c) cable(numbered("aggregation", e), numbered("core", e % half * half + c));
    for (int h = 0; h < half; ++h)
      cable(vertex("gpu[" + std::to_string(e * half + h) + "]", "gpu"), numbered("edge", e));
    if (e % half == half - 1)
      for (int i = 0; i < half; ++i)
        for (int j = 0; j < half; ++j)
          cable(numbered("edge", pod * half + i), numbered("aggregation", pod * half + j));
  }
  Diagnostics errors;
  auto topology = build_topology(spec, {}, errors);
  BRIGADE_CHECK(topology != nullptr, errors.text());
  return topology;
}

void permutation(benchmark::State& state) {
  const auto topology = fat_tree(static_cast<int>(state.range(0)));
  const auto hosts = static_cast<uint32_t>(oracle::gpus_of(*topology).size());
  std::vector<uint32_t> to(hosts);
  for (uint32_t h = 0; h < hosts; ++h) to[h] = h;
  Random random(1);
  for (uint32_t h = hosts - 1; h > 0; --h) std::swap(to[h], to[random.below(h + 1)]);
  std::vector<Start> starts;
  for (uint32_t h = 0; h < hosts; ++h)
    if (to[h] != h)
      starts.push_back({{.from = h, .to = to[h], .bytes = megabytes(100), .tag = h},
                        state.range(1) != 0 ? Time{random.between(0, 1'000'000'000)} : Time{}});
  run(state, *topology, starts);
}

BENCHMARK(incast)->Arg(256)->Arg(4096)->Unit(benchmark::kMillisecond);
BENCHMARK(permutation)->ArgNames({"k", "apart"})->Args({16, 0})->Args({16, 1})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace brigade
