#include <cmath>

#include "sim/replay/mapping.h"
#include "sim/replay/together.h"
#include "tests/replay/traces.h"

using namespace brigade;

namespace {

void check_within_1_percent(const ReplayGraph& graph) {
  const std::vector<StepTimes> traced = traced_step_times(graph);
  const std::vector<double> replayed = steps_us(graph);
  REQUIRE(replayed.size() == traced.size());
  for (size_t s = 0; s < traced.size(); ++s) {
    CAPTURE(graph.file, graph.steps[s].name);
    CHECK(std::fabs(replayed[s] / in_us(traced[s].time()) - 1) < 0.01);
  }
}

}  // namespace

TEST_CASE("public traces: each step comes out within 1 % with the traced durations") {
  for (const char* name :
       {"hta_resnet50_ddp_2rank_rank0.kineto.json.gz", "hta_sampled_128rank_rank0.kineto.json.gz",
        "param_dlrm_8rank.kineto.tar.gz", "golden/sim_1000.0.pt.trace.json"}) {
    const auto trace = shared_trace(name);
    if (trace == nullptr) continue;
    for (const ReplayGraph& graph : trace->graphs) check_within_1_percent(graph);
  }
}

TEST_CASE("public traces: traced steps last as long as their ProfilerStep says") {
  const auto trace = shared_trace("hta_resnet50_ddp_2rank_rank0.kineto.json.gz");
  if (trace == nullptr) return;
  const std::vector<StepTimes> traced = traced_step_times(trace->graphs[0]);
  REQUIRE(traced.size() == 3);
  CHECK(traced[0].time() == nanoseconds(222'442'191));
  CHECK(traced[1].time() == nanoseconds(219'726'905));
  CHECK(traced[2].time() == nanoseconds(224'936'243));
}

TEST_CASE("public traces: ResNet-50 has 3 steps of 5 all-reduces and 2 broadcasts") {
  const auto trace = shared_trace("hta_resnet50_ddp_2rank_rank0.kineto.json.gz");
  if (trace == nullptr) return;
  const ReplayGraph& graph = trace->graphs[0];
  const int64_t elements[] = {53120, 53, 2049000, 7875584, 6563840, 6637568, 2431040};
  REQUIRE(graph.steps.size() == 3);
  REQUIRE(graph.collectives.size() == 21);
  for (size_t c = 0; c < 21; ++c) {
    const ReplayCollective& x = graph.collectives[c];
    CAPTURE(c);
    CHECK(x.collective == (c % 7 < 2 ? Collective::kBroadcast : Collective::kAllReduce));
    CHECK(x.in_elements == elements[c % 7]);
    CHECK(x.element_bytes == (c % 7 == 1 ? 8 : 4));
    CHECK(graph.nodes[x.node].step == c / 7);
    CHECK(graph.groups[x.group].ranks == std::vector<int64_t>{0, 1});
  }
}

TEST_CASE("public traces: eight ranks of one job, each with its own durations, come out as traced") {
  const auto trace = shared_trace("param_dlrm_8rank.kineto.tar.gz");
  if (trace == nullptr) return;
  REQUIRE(trace->graphs.size() == 8);
  Diagnostics errors;
  const auto map = map_ranks(*trace, 8, UnnamedGroups::kRefused, {}, errors);
  REQUIRE(map.has_value());
  REQUIRE(map->communicators.size() == 1);
  REQUIRE(map->communicators[0].calls.size() == 8);
  std::vector<Time> begins;
  for (const Duration late : trace->late) begins.push_back(Time{} + late);
  const auto flows = replay_together(*trace, *map, begins, std::vector<double>(8, 1.0), Unsimulated::kTraced);
  for (size_t r = 0; r < 8; ++r) {
    const double traced = in_us(traced_step_times(trace->graphs[r])[0].time());
    CHECK(std::fabs(in_us(step_times(flows[r])[0].time()) / traced - 1) < 0.01);
  }
}
