// What a sweep costs beside its simulations: points of a scenario that is over in 12 events, so that reading,
// choosing values, building the topology and writing a row is nearly all that is measured. Bar: 1 ms a point.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "sim/study/sweep.h"

namespace brigade {
namespace {

// A message between two GPUs, `range(0)` sizes of it.
std::string study(int64_t points) {
  std::string sizes;
  for (int64_t i = 1; i <= points; ++i) sizes += absl::StrCat(i > 1 ? ", " : "", i, " KB");
  return absl::StrCat(
      "brigade: 1\nbase:\n  cluster: {node_types: {n: {gpus: 2, nvlink: {family: ring, bandwidth: 1 GB/s, "
      "latency: 1 us}}}, "
      "nodes: [{type: n, count: 1}]}\n  jobs: {a: {kind: collective, ranks: \"node[0].gpu[*]\", size: 1 KB, "
      "algorithm: "
      "ring}}\naxes: [{path: jobs.a.size, values: [",
      sizes, "]}]\n");
}

void points(benchmark::State& state) {
  std::string folder = (std::filesystem::temp_directory_path() / "brigade_bench_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return state.SkipWithError("no folder for the study");
  const std::string file = absl::StrCat(folder, "/study.yaml"),
                    results = absl::StrCat(folder, "/study.results.jsonl");
  std::ofstream(file) << study(state.range(0));
  for (auto _ : state) {
    Diagnostics errors;
    const auto prepared = prepare_study(file, {}, {}, errors);
    if (!prepared) return state.SkipWithError(errors.text().c_str());
    SweepOptions options;
    options.version = "bench";
    options.results = results;
    const SweepResult swept = run_sweep(*prepared, options);
    if (swept.failed != 0 || swept.rows.size() != static_cast<size_t>(state.range(0)))
      return state.SkipWithError("points failed");
    std::remove(results.c_str());
  }
  std::remove(file.c_str());
  std::remove(folder.c_str());
  state.counters["CPU per 1000 points"] =
      benchmark::Counter(static_cast<double>(state.range(0)) / 1000,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(points)->Arg(100)->Arg(2000)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

}  // namespace
}  // namespace brigade
