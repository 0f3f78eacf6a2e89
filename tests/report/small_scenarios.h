// Scenarios small enough to be worked out by hand: two GPUs joined by one cable of 1 GB/s and 1 us.
//
// A ring all-reduce of M bytes takes 2 rounds of 1 us + M/2 at 1 GB/s: 3 us for 1 KB, 2.002 ms for 2 MB.
#pragma once
#include <memory>
#include <string>

#include "sim/report/report.h"
#include "sim/report/session.h"
#include "tests/catch.h"
#include "tests/scenario/scratch.h"

namespace brigade {

inline const std::string kTwoGpus =
    "brigade: 1\n"
    "name: tiny\n"
    "cluster:\n"
    "  name: pair\n"
    "  models: {g: {peak: {fp32: 1 TFLOP/s}}}\n"
    "  node_types: {n: {gpus: 2, gpu: g, nvlink: {family: ring, bandwidth: 1 GB/s, latency: 1 us}}}\n"
    "  nodes: [{type: n, count: 1}]\n"
    "jobs:\n";

inline const std::string kBench =
    "  bench: {kind: collective, ranks: \"node[*].gpu[*]\", size: 1 KB, algorithm: [ring, "
    "double_binary_tree]}\n";

// Forward 1 ms, backward 3 ms; two gradients of 2 MB, each a bucket, ready 1 ms and 3 ms after backward
// began. So the buckets are reduced from 2 ms to 4.002 ms, and on to 6.004 ms, which is the step.
inline const std::string kTrain =
    "  train:\n"
    "    kind: ddp\n"
    "    ranks: \"node[*].gpu[*]\"\n"
    "    model:\n"
    "      tensors: [{name: a, elements: 500000, ready: 3 ms}, {name: b, elements: 500000, ready: 1 ms}]\n"
    "      forward: 1 ms\n"
    "      backward: 3 ms\n"
    "    batch: {micro: 4 samples}\n"
    "    optimizer: {kind: none}\n"
    "    buckets: {rule: fixed, cap: 1 MB, gradient_as_bucket_view: true, broadcast_buffers: false}\n"
    "    all_reduce: {algorithm: ring}\n"
    "    run: {steps: 2}\n";

// A scenario that has been run, with all that a report refers to.
struct Finished {
  std::unique_ptr<Session> session;
  RunResult result;
  Report report() const {
    return {.scenario = session->scenario(), .topology = session->topology(), .result = result};
  }
};

inline Finished finish(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  const Scratch scratch;
  Diagnostics errors;
  auto session = Session::open({.file = scratch.write("tiny.yaml", yaml), .overrides = overrides}, errors);
  INFO(errors.text());
  REQUIRE(session != nullptr);
  RunResult result = session->run();
  REQUIRE(result.failure == "");
  return {std::move(session), std::move(result)};
}

}  // namespace brigade
