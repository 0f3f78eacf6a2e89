// broadcast_buffers: ResNet-50's 53,120 floats and 53 integers go from rank 0 to all before a step's forward;
// GPT-2 has none.
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

constexpr Bytes kFloats{4 * 53'120}, kIntegers{8 * 53};

DdpJobSpec named(const std::string& model, bool broadcast) {
  DdpJobSpec ddp;
  ddp.model.name = model;
  ddp.optimizer = OptimizerKind::kNone;
  ddp.buckets.broadcast_buffers = broadcast;
  return ddp;
}

}  // namespace

TEST_CASE("ResNet-50: 53,120 floats and 53 int64 to the other rank, then forward") {
  const auto topology = small_cluster(2);
  const RunResult with = run_jobs(*topology, {job_on("gpu[*]", named("resnet50", true))});
  const RunResult without = run_jobs(*topology, {job_on("gpu[*]", named("resnet50", false))});
  // Rank 1 has the floats after 1 us + 212.48 us; the integers follow them: 424 ns later.
  CHECK((ddp_result(with).last_step - ddp_result(without).last_step).ps ==
        nanoseconds(212'480 + 424 + 1000).ps);
  int64_t more = 0;
  for (const LinkResult& l : with.links) more += l.bytes.count;
  for (const LinkResult& l : without.links) more -= l.bytes.count;
  CHECK(more == 2 * (kFloats + kIntegers).count);  // over two links
  CHECK(with.counts.messages == without.counts.messages + 2);
}

TEST_CASE("a binomial tree: N - 1 copies of each") {
  for (const size_t n : {3u, 5u, 8u}) {
    const auto topology = small_cluster(n);
    const auto messages = [&](bool broadcast) {
      return run_jobs(*topology, {job_on("gpu[*]", named("resnet18", broadcast))}).counts.messages;
    };
    CHECK(messages(true) == messages(false) + 2 * static_cast<int64_t>(n - 1));
  }
}

TEST_CASE("every step broadcasts once, however many micro-batches it has") {
  const auto topology = small_cluster(2);
  const auto messages = [&](bool broadcast, int accumulate, int steps) {
    DdpJobSpec ddp = named("resnet18", broadcast);
    ddp.accumulate = accumulate;
    ddp.run.steps = steps;
    return run_jobs(*topology, {job_on("gpu[*]", ddp)}).counts.messages;
  };
  CHECK(messages(true, 4, 3) == messages(false, 4, 3) + 3 * 2);
}

TEST_CASE("GPT-2 has no buffers to broadcast") {
  const auto topology = small_cluster(2);
  const RunResult with = run_jobs(*topology, {job_on("gpu[*]", named("gpt2", true))});
  const RunResult without = run_jobs(*topology, {job_on("gpu[*]", named("gpt2", false))});
  CHECK(ddp_result(with).last_step == ddp_result(without).last_step);
  CHECK(with.counts.messages == without.counts.messages);
}
