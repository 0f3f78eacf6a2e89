// scenarios/traces/README.md has the timeline: a step is 600 us and the larger of its all-reduce of 400 us
// and 300 us of backward beside it.
#include <cmath>

#include "tests/replay/traces.h"

using namespace brigade;

namespace {

// The edge of the host that is `us` long and leaves the end of the wait for the GPU: the host's own work.
void scale_host_gap(ReplayGraph& graph, uint32_t step, int64_t us, int64_t factor) {
  for (uint32_t n = 0; n < graph.nodes.size(); ++n) {
    if (!graph.nodes[n].blocks || graph.nodes[n].traced_begin < Time{} + microseconds(1000 * step)) continue;
    for (uint32_t e = graph.edges_first[n]; e < graph.edges_first[n + 1]; ++e)
      if (graph.edges[e].lag == microseconds(us)) {
        graph.edges[e].lag = factor * graph.edges[e].lag;
        return;
      }
  }
  FAIL("no gap of " << us << " us");
}

}  // namespace

TEST_CASE("the hand-made trace replays as traced") {
  const ReplayGraph graph = two_steps();
  CHECK(steps_us(graph) == std::vector<double>{1000, 1000});
  REQUIRE(graph.collectives.size() == 2);
  CHECK(graph.collectives[0].in_elements == 1'000'000);
  CHECK(graph.steps[1].name == "ProfilerStep#1");
  CHECK(graph.streams == std::vector<int32_t>{7, 20});
}

TEST_CASE("doubling one piece of work of a step moves that step alone") {
  struct Row {
    const char* name;
    double moved_us;
  };
  const Row rows[] = {{"forward_kernel", 200},
                      {"backward_kernel_2", 200},
                      {"backward_kernel_1", 200},  // 300 longer, 100 of it beside the all-reduce
                      {"optimizer_kernel", 100},
                      {"AllReduce", 400}};
  for (const Row& row : rows)
    for (const uint32_t step : {0u, 1u}) {
      CAPTURE(row.name, step);
      ReplayGraph graph = two_steps();
      Duration& work = graph.nodes[node_named(graph, row.name, step)].work;
      work = 2 * work;
      std::vector<double> expected{1000, 1000};
      expected[step] += row.moved_us;
      CHECK(steps_us(graph) == expected);
    }
}

TEST_CASE("doubling a gap of the host moves its step by the gap") {
  for (const uint32_t step : {0u, 1u}) {
    ReplayGraph graph = two_steps();
    scale_host_gap(graph, step, 64, 2);
    std::vector<double> expected{1000, 1000};
    expected[step] += 64;
    CHECK(steps_us(graph) == expected);
  }
}

TEST_CASE("a step follows the longer of the all-reduce and the backward beside it") {
  const ReplayGraph graph = two_steps();
  for (const int64_t us : {0, 1, 299, 300, 301, 400, 5000}) {
    CAPTURE(us);
    const double step = 600 + static_cast<double>(std::max<int64_t>(us, 300));
    CHECK(steps_us(graph, [&](const ReplayCollective&) { return microseconds(us); }) ==
          std::vector<double>{step, step});
  }
}
