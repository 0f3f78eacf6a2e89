// Studies of two GPUs joined by one cable of 1 GB/s and 1 us: a ring all-reduce of M bytes takes 2 us + M /
// (1 GB/s).
#pragma once
#include <string>
#include <vector>

#include "sim/study/relative.h"
#include "sim/study/sweep_report.h"
#include "tests/catch.h"
#include "tests/scenario/scratch.h"

namespace brigade {

inline const std::string kBase =
    "brigade: 1\n"
    "base:\n"
    "  cluster:\n"
    "    models: {g: {peak: {fp32: 1 TFLOP/s}}}\n"
    "    node_types: {n: {gpus: 2, gpu: g, nvlink: {family: ring, bandwidth: 1 GB/s, latency: 1 us}}}\n"
    "    nodes: [{type: n, count: 1}]\n"
    "  jobs:\n"
    "    a: {kind: collective, ranks: \"node[*].gpu[*]\", size: 1 KB, algorithm: ring}\n";

// 2.001 ms at 2 MB is what a study of these axes has.
inline const std::string kSizes = kBase + "axes: [{path: jobs.a.size, values: [1 KB, 1 MB, 2 MB]}]\n";

struct Swept {
  PreparedStudy prepared;
  SweepResult result;
  std::string print(std::string (*format)(const SweepReport&)) const {
    return format({.prepared = prepared,
                   .rows = result.rows,
                   .relative = relative_of(prepared, result.rows),
                   .crossovers = crossovers_of(prepared, result.rows)});
  }
};

inline PreparedStudy prepare(const std::string& yaml, const std::vector<std::string>& columns = {}) {
  const Scratch scratch;
  Diagnostics errors;
  auto prepared = prepare_study(scratch.write("study.yaml", yaml), {}, columns, errors);
  INFO(errors.text());
  REQUIRE(prepared);
  return std::move(*prepared);
}

inline Swept sweep(const std::string& yaml, const SweepOptions& options = {}) {
  Swept swept{prepare(yaml), {}};
  swept.result = run_sweep(swept.prepared, options);
  REQUIRE(swept.result.io_error == IoError{});
  return swept;
}

}  // namespace brigade
