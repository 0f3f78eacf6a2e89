// Memory over time, by hand.
#include "tests/workload/sharded_jobs.h"

using namespace brigade;

namespace {

ShardedResult run_on_two(const ShardedJobSpec& job) {
  const auto topology = small_cluster(2);
  return sharded_result(run_jobs(*topology, {job_on("gpu[*]", job)}));
}

// Beside model states: 16 channels of NCCL's buffers, and the context.
const int64_t kOthers = 16 * ((4 << 20) + (512 << 10) + (4800 << 10)) + (1343LL << 20);

}  // namespace

TEST_CASE("FSDP holds a unit, the next one, gradients and activations at its peak") {
  // g is 3 us: 1000 parameters of 4 bytes.
  ShardedJobSpec job = fsdp_job({1000, 1000});
  for (LayerSpec& layer : job.work.model.layers) layer.activation_bytes = 700;
  job.work.micro_batch_samples = 10;
  const ShardedResult r = run_on_two(job);
  // Parameters and gradients, a half of 2000 each.
  CHECK(r.model_states.count == 1000 * 8);
  CHECK(r.memory_held.count == r.model_states.count + kOthers);
  // Backward of the second unit: itself, its gradients, the first unit on its way, all activations.
  CHECK(r.memory_peak.count == r.memory_held.count + 3 * 4000 + 2 * 7000);
  CHECK(r.memory_peak_at == microseconds(3 + 10 + 10 + 3));
}

TEST_CASE("recomputed activations are held for one block only, and computed again") {
  ShardedJobSpec job = fsdp_job({1000, 1000});
  for (LayerSpec& layer : job.work.model.layers) layer.activation_bytes = 7000;
  const ShardedResult kept = run_on_two(job);
  job.recompute = Recompute::kFull;
  const ShardedResult again = run_on_two(job);
  CHECK(again.step.last_compute == kept.step.last_compute + microseconds(2 * 10));
  CHECK(again.step.last_step == kept.step.last_step + microseconds(2 * 10));
  CHECK(again.memory_peak.count == kept.memory_peak.count - 7000);
  // Stage 3 of DeepSpeed fetches a module for its recomputation and has it still in backward.
  ShardedJobSpec zero = zero_job(3, {1000, 1000});
  const ShardedResult once = run_on_two(zero);
  zero.recompute = Recompute::kFull;
  const ShardedResult twice = run_on_two(zero);
  CHECK(twice.step.last_compute == once.step.last_compute + microseconds(2 * 10));
}

TEST_CASE("selective recomputation repeats the attention of a named transformer, where scores are kept") {
  const auto topology = small_cluster(2);
  const auto run = [&](ActivationCount count, Recompute recompute) {
    ShardedJobSpec job = fsdp_job({});
    job.work.model.name = "gpt2";
    job.work.model.sequence_tokens = 64;
    job.activations = count;
    job.recompute = recompute;
    return sharded_result(run_jobs(*topology, {job_on("gpu[*]", job)}));
  };
  const ShardedResult none = run(ActivationCount::kStandard, Recompute::kNone);
  const ShardedResult selective = run(ActivationCount::kStandard, Recompute::kSelective);
  // The core of each of 12 layers: 4 s s h FLOPs at 1 TFLOP/s, or 4 s h fp32 elements at 1 TB/s; FLOPs take
  // longer.
  CHECK(selective.step.last_compute == none.step.last_compute + Duration{12 * 4LL * 64 * 64 * 768});
  CHECK(selective.memory_peak < none.memory_peak);
  const ShardedResult fused = run(ActivationCount::kFlash, Recompute::kNone);
  CHECK(run(ActivationCount::kFlash, Recompute::kSelective).step.last_compute == fused.step.last_compute);
}

TEST_CASE("a step that would be too long to write out is refused") {
  ShardedJobSpec job = zero_job(1, {1'000'000});
  job.gather_bucket = 1;
  const auto topology = small_cluster(2);
  CHECK(holds(refusal_of(*topology, {job_on("gpu[*]", job)}), "makes 1e+06 gathers; allowed: 100000"));
  job = zero_job(1, {1, 1});
  job.work.accumulate = 1'000'000;
  CHECK(holds(refusal_of(*topology, {job_on("gpu[*]", job)}), "2 modules in 1000000 micro-batches"));
}

TEST_CASE("stages hold their shares") {
  // fp32 parameters and gradients, AdamW: 4, 4 and 8 bytes; 8000 parameters on 2 ranks, buckets of 1000.
  const auto [stage, states] = GENERATE(table<int, int64_t>(
      {{0, 16 * 8000}, {1, 8 * 8000 + 8 * 4000}, {2, 4 * 8000 + 12 * 4000}, {3, 16 * 4000}}));
  INFO("stage " << stage);
  ShardedJobSpec job = zero_job(stage, {4000, 4000});
  job.work.optimizer = OptimizerKind::kAdamW;
  job.reduce_bucket = 1000;
  const ShardedResult r = run_on_two(job);
  CHECK(r.model_states.count == states);
  CHECK(r.memory_held.count == states + kOthers + 1000 * 4);
}

TEST_CASE("the optimizer works on a rank's share") {
  ShardedJobSpec job = zero_job(0, {4000, 4000});
  job.work.optimizer = OptimizerKind::kAdamW;
  const Duration whole = run_on_two(job).step.last_compute;
  job = zero_job(1, {4000, 4000});
  job.work.optimizer = OptimizerKind::kAdamW;
  // AdamW in fp32 moves 28 bytes a parameter, at 1 byte a ps.
  CHECK(whole == microseconds(60) + Duration{28 * 8000});
  CHECK(run_on_two(job).step.last_compute == microseconds(60) + Duration{28 * 4000});
}

TEST_CASE("a DDP job is warned of as well") {
  DeviceModel device = small_device("small");
  // 3000 parameters and gradients in fp32; buckets are views.
  for (const int64_t room : {24'000 - 1, 24'000}) {
    device.memory = Bytes{kOthers + room};
    const auto topology = small_cluster(std::vector<DeviceModel>(2, device));
    const NetworkSpec network;
    Diagnostics errors;
    const auto run = Run::prepare({.topology = *topology,
                                   .network = network,
                                   .seed = 1,
                                   .jobs = {job_on("gpu[*]", small_ddp())},
                                   .changes = {}},
                                  errors);
    REQUIRE(run != nullptr);
    CHECK(holds(errors.text(), "does not fit") == (room < 24'000));
  }
}

TEST_CASE("what does not fit is warned of before it runs, and only that") {
  DeviceModel device = small_device("small");
  for (const int64_t room : {20'000, 25'999, 26'000}) {
    device.memory = Bytes{kOthers + 8000 + room};
    const auto topology = small_cluster(std::vector<DeviceModel>(2, device));
    ShardedJobSpec job = fsdp_job({1000, 1000});
    for (LayerSpec& layer : job.work.model.layers) layer.activation_bytes = 7000;
    const NetworkSpec network;
    Diagnostics errors;
    const auto run = Run::prepare({.topology = *topology,
                                   .network = network,
                                   .seed = 1,
                                   .jobs = {job_on("gpu[*]", job)},
                                   .changes = {}},
                                  errors);
    REQUIRE(run != nullptr);
    CHECK(errors.ok());
    CHECK(holds(errors.text(), "does not fit") == (room < 26'000));
    CHECK(sharded_result(run->go({})).memory_peak.count == kOthers + 8000 + 26'000);
  }
}
