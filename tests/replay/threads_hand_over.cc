// Main thread (1), autograd (2): one is silent while the other works.
#include "tests/replay/traces.h"

using namespace brigade;

namespace {

// Forward on thread 1, backward on thread 2 from 300 on, the optimizer on thread 1 from 620 on.
WrittenTrace forward_backward(bool with_watchdog) {
  WrittenTrace t;
  t.step(0, 0, 900);
  for (int i = 0; i < 10; ++i) {
    t.op("forward", 10 + 28 * i, 10 + 28 * i + 20);
    t.kernel("forward_kernel", 12 + 28 * i, 7, 20 + 28 * i, 26 + 28 * i);
  }
  for (int i = 0; i < 10; ++i) {
    t.op("backward", 300 + 30 * i, 300 + 30 * i + 22, 2);
    t.kernel("backward_kernel", 302 + 30 * i, 7, 310 + 30 * i, 316 + 30 * i, 2);
  }
  t.all_reduce(1000, 580, 590, 600, 2);
  for (int i = 0; i < 5; ++i) t.kernel("optimizer", 620 + 30 * i, 7, 640 + 30 * i, 646 + 30 * i);
  if (with_watchdog)
    for (int i = 0; i < 90; i += 4) t.call("cudaEventQuery", 10 * i, 10 * i + 1, 3);
  return t;
}

void scale_lag_after(ReplayGraph& graph, const char* kernel, Duration more) {
  // The first host edge of the thread that launches this kernel.
  const uint32_t task = node_named(graph, kernel);
  for (uint32_t n = 0; n < graph.nodes.size(); ++n)
    for (uint32_t e = graph.edges_first[n]; e < graph.edges_first[n + 1]; ++e)
      if (graph.edges[e].to == task && graph.nodes[n].kind == ReplayNode::Kind::kHost) {
        for (uint32_t f = graph.edges_first[n]; f < graph.edges_first[n + 1]; ++f)
          if (graph.nodes[graph.edges[f].to].kind == ReplayNode::Kind::kHost) graph.edges[f].lag += more;
        return;
      }
  FAIL("no launch of " << kernel);
}

}  // namespace

TEST_CASE("backward begins when forward ends, the optimizer when backward ends") {
  for (const bool with_watchdog : {false, true}) {
    CAPTURE(with_watchdog);
    const ReplayGraph graph = graph_of(forward_backward(with_watchdog));
    CHECK(steps_us(graph) == std::vector<double>{900});
    for (const char* kernel : {"forward_kernel", "backward_kernel", "optimizer"}) {
      CAPTURE(kernel);
      ReplayGraph slower = graph;
      scale_lag_after(slower, kernel, microseconds(250));
      CHECK(steps_us(slower) == std::vector<double>{1150});
    }
  }
}

TEST_CASE("threads that work at the same time do not wait for each other") {
  WrittenTrace t;
  t.step(0, 0, 900);
  for (int i = 0; i < 20; ++i) {
    t.op("one", 40 * i, 40 * i + 20, 1);
    t.kernel("first", 10 + 40 * i, 7, 20 + 40 * i, 26 + 40 * i, 1);
    t.kernel("second", 15 + 40 * i, 8, 30 + 40 * i, 36 + 40 * i, 2);
  }
  t.all_reduce(1000, 820, 830, 840);
  ReplayGraph graph = graph_of(t);
  scale_lag_after(graph, "second", microseconds(100));
  CHECK(steps_us(graph) == std::vector<double>{900});  // thread 2 ends at 886, beside the host's 900
}
