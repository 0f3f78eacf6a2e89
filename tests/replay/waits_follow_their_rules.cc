// One timeline a rule of sim/replay/waits.h: the all-reduce is made longer, and what waits for it moves
// along.
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "tests/replay/traces.h"

using namespace brigade;

namespace {

// When a kernel of step 0 begins if each collective takes so long.
double begin_us(const ReplayGraph& graph, const std::string& kernel, int64_t collective_us) {
  const Dataflow flow =
      replay_alone(graph, [&](const ReplayCollective&) { return microseconds(collective_us); });
  return in_us(flow.begin_of(node_named(graph, kernel)) - Time{});
}
bool says(const ReplayGraph& graph, const std::string& words) {
  for (const std::string& line : graph.assumed)
    if (absl::StrContains(line, words)) return true;
  return false;
}

constexpr double kStep = 1000;

}  // namespace

TEST_CASE("waits: a collective waits for the kernel that its thread launched before") {
  WrittenTrace t;
  t.step(0, 0, kStep);
  t.kernel("gemm", 10, 7, 20, 100);
  t.all_reduce(1000, 30, 102, 200);
  t.kernel("beside", 50, 7, 102, 500);
  ReplayGraph graph = graph_of(t);
  Duration& gemm = graph.nodes[node_named(graph, "gemm")].work;
  gemm += microseconds(70);
  CHECK(begin_us(graph, "AllReduce", 98) == 172);
  CHECK(begin_us(graph, "beside", 98) == 172);
}

TEST_CASE("waits: what cuda_sync events say") {
  WrittenTrace t;
  t.step(0, 0, kStep);
  t.kernel("gemm", 10, 7, 20, 100);
  t.all_reduce(1000, 30, 102, 150);
  const int record = t.call("cudaEventRecord", 40, 42);
  t.all_reduce(2000, 50, 150, 200);
  const int wait = t.call("cudaStreamWaitEvent", 60, 62);
  t.event("cuda_sync", "Stream Wait Event", 0, 7, 60, 2,
          absl::StrCat(R"("stream":7,"wait_on_stream":20,"wait_on_cuda_event_record_corr_id":)", record,
                       R"(,"correlation":)", wait));
  t.kernel("after_the_first", 300, 7, 310, 320);
  const ReplayGraph graph = graph_of(t);
  // The first all-reduce ends at 102 + d; the usual lag of this trace's streams is 2.
  CHECK(begin_us(graph, "after_the_first", 48) == 310);
  CHECK(begin_us(graph, "after_the_first", 1000) == 1104);
}

TEST_CASE("waits: unnamed ones are for the oldest collective, DDP's own at the end of backward") {
  WrittenTrace t;
  t.step(0, 0, kStep);
  t.kernel("gemm", 10, 7, 20, 30);
  // DDP's reducer, from within backward.
  t.op("torch::autograd::AccumulateGrad", 35, 60);
  t.op("record_param_comms", 38, 55, 1, WrittenTrace::comm_args("allreduce", 1000, 1000));
  t.call("cudaStreamWaitEvent", 39, 40);
  t.all_reduce(1000, 41, 52, 60);
  // Somebody's own, waited for by a note.
  t.op("record_param_comms", 70, 90, 1, WrittenTrace::comm_args("allreduce", 2000, 2000));
  t.all_reduce(2000, 75, 85, 100);
  t.op("record_param_comms", 120, 130, 1, WrittenTrace::comm_args("wait", 0, 0, "[]", 1));
  t.call("cudaStreamWaitEvent", 122, 124);
  t.kernel("after_own", 140, 7, 160, 170);
  t.call("cudaStreamWaitEvent", 200, 202);
  t.kernel("after_reducer", 210, 7, 230, 240);
  const ReplayGraph graph = graph_of(t);
  CHECK(says(graph, "2 waits for an unnamed event"));
  const Dataflow flow = replay_alone(graph, [&](const ReplayCollective& c) {
    return microseconds(c.in_elements == 2000 ? 15 : 500);  // the reducer's takes long
  });
  const auto begin = [&](const char* name) { return in_us(flow.begin_of(node_named(graph, name)) - Time{}); };
  // Both are on stream 20: the second begins when the first has ended, at 552, with nothing between them.
  CHECK(begin("after_reducer") >= 552);
  CHECK(begin("after_own") >= 567);
  const Dataflow other = replay_alone(
      graph, [&](const ReplayCollective& c) { return microseconds(c.in_elements == 2000 ? 500 : 8); });
  CHECK(in_us(other.begin_of(node_named(graph, "after_own")) - Time{}) >= 585);
}

TEST_CASE("waits: a task that is late for no other reason waits for what had just ended") {
  WrittenTrace t;
  t.step(0, 0, kStep);
  t.kernel("gemm", 10, 7, 20, 100);
  t.all_reduce(1000, 30, 102, 400);
  t.kernel("unrelated", 40, 7, 110, 120);
  t.kernel("delayed", 50, 7, 405, 420);
  const ReplayGraph graph = graph_of(t);
  CHECK(says(graph, "1 task over 20 us late"));
  CHECK(begin_us(graph, "delayed", 298) == 405);
  CHECK(begin_us(graph, "delayed", 598) == 705);
  CHECK(begin_us(graph, "unrelated", 598) == 110);
}

TEST_CASE("waits: without any in the trace the optimizer waits for the collectives of its step") {
  for (const bool has_optimizer : {true, false}) {
    CAPTURE(has_optimizer);
    WrittenTrace t;
    t.step(0, 0, kStep);
    t.kernel("gemm", 10, 7, 20, 100);
    t.all_reduce(1000, 30, 102, 130);
    t.kernel("backward", 140, 7, 150, 160);
    t.all_reduce(1000, 170, 180, 200);
    t.kernel("backward_last", 180, 7, 190, 198);
    if (has_optimizer) t.op("Optimizer.step#SGD.step", 295, 330);
    t.kernel("update", 300, 7, 310, 320);
    const ReplayGraph graph = graph_of(t);
    CHECK(says(graph, "no waits are traced"));
    CHECK(begin_us(graph, "update", 28) == 310);
    CHECK(begin_us(graph, "update", 1000) >= 2102);
    CHECK(begin_us(graph, "backward_last", 1000) == 190);
  }
}

TEST_CASE("waits: one that the trace contradicts is none") {
  WrittenTrace t;
  t.step(0, 0, kStep);
  t.kernel("gemm", 10, 7, 20, 100);
  t.op("record_param_comms", 28, 40, 1, WrittenTrace::comm_args("allreduce", 1000, 1000));
  t.all_reduce(1000, 30, 102, 400);
  t.call("cudaStreamWaitEvent", 50, 52);
  t.kernel("meanwhile", 60, 7, 110, 120);  // began before the all-reduce had ended
  const ReplayGraph graph = graph_of(t);
  CHECK(begin_us(graph, "meanwhile", 900) == 110);
}

TEST_CASE("waits: calls that block the host end after what they wait for") {
  struct Row {
    const char* what;
    const char* call;
    const char* copy;  // launched by the call itself
    bool blocks;
  };
  const Row rows[] = {
      {"the device", "cudaDeviceSynchronize", "", true},
      {"a stream", "cudaStreamSynchronize", "", true},
      {"an event", "cudaEventSynchronize", "", true},
      {"a copy to pageable memory", "cudaMemcpyAsync", "Memcpy DtoH (Device -> Pageable)", true},
      {"a copy to pinned memory", "cudaMemcpyAsync", "Memcpy DtoH (Device -> Pinned)", false},
      {"a plain copy", "cudaMemcpy", "Memcpy DtoH (Device -> Pinned)", true},
      {"a query", "cudaEventQuery", "", false}};
  for (const Row& row : rows) {
    CAPTURE(row.what);
    WrittenTrace t;
    t.step(0, 0, kStep);
    t.all_reduce(1000, 10, 20, 30);
    t.kernel("gemm", 40, 7, 50, 200);
    const int call = t.call(row.call, 60, 230);
    if (*row.copy != 0)
      t.event("gpu_memcpy", row.copy, 0, 7, 202, 20, absl::StrCat(R"("stream":7,"correlation":)", call));
    t.kernel("next", 300, 7, 310, 320);
    ReplayGraph graph = graph_of(t);
    CHECK(begin_us(graph, "next", 10) == 310);
    graph.nodes[node_named(graph, "gemm")].work += microseconds(1000);
    // Else it begins right after the GPU's work, with the lag of this trace's streams.
    CHECK((begin_us(graph, "next", 10) == 1310) == row.blocks);
  }
}
