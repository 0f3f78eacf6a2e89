// The whole loop, from the first launch to the last notice, on one core: messages and events a second.
//
// The bar is 10 M messages/s for `ring, 1024 ranks`, two links a message. `plain engine` is the slow one of
// tests/oracle: its ratio to the same ring on the fast one is worth more than either, for both see the same
// machine.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "tests/engine/run_calls.h"
#include "tests/oracle/machines.h"
#include "tests/oracle/plain_engine.h"

namespace brigade {
namespace {

const Bandwidth kBandwidth = Bandwidth::gb_per_s(50);
const Duration kLatency = microseconds(5);

void report(benchmark::State& state, int64_t messages, int64_t events) {
  using benchmark::Counter;
  state.counters["messages/s"] = Counter(static_cast<double>(messages), Counter::kIsRate);
  state.counters["events/s"] = Counter(static_cast<double>(events), Counter::kIsRate);
}

void run(benchmark::State& state, const Topology& topology, const oracle::PlainJob& job) {
  int64_t messages = 0, events = 0;
  for (auto _ : state) {
    state.PauseTiming();
    FastEngine engine(topology, {}, {});
    const std::vector<oracle::PlainJob> jobs{job};
    state.ResumeTiming();
    const Ends ends = run_fast(engine, jobs);
    messages += ends.counts.messages;
    events += ends.counts.events;
  }
  report(state, messages, events);
}

oracle::PlainJob all_reduce(const Topology& topology, const char* algorithm, Bytes bytes) {
  std::vector<VertexId> gpus = oracle::gpus_of(topology);
  const auto ranks = static_cast<Rank>(gpus.size());
  return job_of(std::move(gpus), {.algorithm = find_algorithm(Collective::kAllReduce, algorithm),
                                  .ranks = ranks,
                                  .elements = bytes.count});
}

// 1 MB a message, one segment: 1 GB over 1,000 ranks.
Bytes ring_size(const benchmark::State& state) { return state.range(0) * megabytes(1); }

void ring_even(benchmark::State& state) {
  const auto topology = oracle::nvswitch(static_cast<int>(state.range(0)), kBandwidth, kLatency);
  run(state, *topology, all_reduce(*topology, "ring", ring_size(state)));
}
BENCHMARK(ring_even)
    ->Name("ring, even links, ranks")
    ->Arg(256)
    ->Arg(1024)
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond);

// Links of three bandwidths and ranks that start at different times: events no longer fall on the same
// instants.
void ring_uneven(benchmark::State& state) {
  const auto topology =
      oracle::star(static_cast<int>(state.range(0)),
                   {kBandwidth, Bandwidth::gb_per_s(49), Bandwidth::per_second({47'300'000'011})}, kLatency);
  oracle::PlainJob job = all_reduce(*topology, "ring", ring_size(state));
  for (size_t r = 0; r < job.start.size(); ++r)
    job.start[r] = Time{} + nanoseconds(static_cast<int64_t>(r * 7919 % job.start.size()));
  run(state, *topology, job);
}
BENCHMARK(ring_uneven)->Name("ring, uneven and skewed, ranks")->Arg(1024)->Unit(benchmark::kMillisecond);

void halving_doubling(benchmark::State& state) {
  const auto topology = oracle::nvswitch(static_cast<int>(state.range(0)), kBandwidth, kLatency);
  run(state, *topology, all_reduce(*topology, "halving_doubling", megabytes(1)));
}
BENCHMARK(halving_doubling)->Name("halving_doubling, ranks")->Arg(65'536)->Unit(benchmark::kMillisecond);

// Each sends 64 MB in segments of 1 MiB to rank 0, whose port they share.
void incast(benchmark::State& state) {
  const auto ranks = static_cast<Rank>(state.range(0)) + 1;
  const auto topology = oracle::nvswitch(static_cast<int>(ranks), kBandwidth, kLatency);
  PlanRequest request{.algorithm = find_algorithm(Collective::kSendRecv, "listed"),
                      .ranks = ranks,
                      .elements = megabytes(64).count};
  for (Rank r = 1; r < ranks; ++r) request.pairs.push_back({r, 0});
  run(state, *topology, job_of(oracle::gpus_of(*topology), request));
}
BENCHMARK(incast)->Name("incast, senders")->Arg(1024)->Unit(benchmark::kMillisecond);

void plain_ring(benchmark::State& state) {
  const auto topology = oracle::nvswitch(static_cast<int>(state.range(0)), kBandwidth, kLatency);
  const oracle::PlainJob job = all_reduce(*topology, "ring", ring_size(state));
  int64_t messages = 0, events = 0;
  for (auto _ : state) {
    const oracle::PlainResult result = oracle::run_plain(*topology, {}, {job});
    messages += result.messages;
    events += result.events;
  }
  report(state, messages, events);
}
BENCHMARK(plain_ring)->Name("plain engine: ring, even links, ranks")->Arg(256)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace brigade
