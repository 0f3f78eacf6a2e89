// Statistics over the measured steps; MFU, tokens and samples per second where they mean something.
#include "tests/workload/small_jobs.h"

using namespace brigade;

TEST_CASE("mean, p50 and p99 over the measured steps; warm-up is left out") {
  const auto topology = small_cluster(2);
  DdpJobSpec ddp = small_ddp();
  ddp.buckets.rule = BucketRule::kPytorch;  // the first step takes 104 us, the others 96 us
  ddp.run = {.steps = 4, .warmup = 0};
  DdpResult d = run_ddp(*topology, ddp);
  CHECK(d.step_time.samples == 4);
  CHECK(d.step_time.mean_us == Approx(98));
  CHECK(d.step_time.p50_us == Approx(96));
  CHECK(d.step_time.p99_us == Approx(104));
  CHECK(d.exposed.mean_us == Approx(8));
  CHECK(d.last_step == microseconds(96));
  CHECK(d.efficiency == Approx(90.0 / 98));
  ddp.run = {.steps = 4, .warmup = 1};
  d = run_ddp(*topology, ddp);
  CHECK(d.step_time.samples == 4);
  CHECK(d.step_time.mean_us == Approx(96));
  CHECK(d.step_time.p99_us == Approx(96));
  CHECK(d.exposed.p99_us == Approx(6));
}

TEST_CASE("written-out times have no FLOPs: no MFU, no tokens, but samples") {
  const auto topology = small_cluster(2);
  DdpJobSpec ddp = small_ddp();
  ddp.micro_batch_samples = 8;
  const DdpResult d = run_ddp(*topology, ddp);
  CHECK_FALSE(d.mfu);
  CHECK_FALSE(d.tokens_per_s);
  CHECK_FALSE(d.global_batch_tokens);
  CHECK(*d.samples_per_s == Approx(16 / 96e-6));
  CHECK(d.unit == "samples");
  CHECK(d.global_batch_samples == 16);
}

TEST_CASE("written-out FLOPs have an MFU; accumulation counts every micro-batch") {
  const auto topology = small_cluster(2);
  DdpJobSpec ddp = small_ddp();
  for (LayerSpec& layer : ddp.model.layers) {
    layer.forward = layer.backward = std::nullopt;
    layer.forward_flops = 10e6;
    layer.backward_flops = 20e6;
  }
  ddp.accumulate = 2;
  const DdpResult d = run_ddp(*topology, ddp);
  CHECK(d.last_step == microseconds(90 + 96));
  CHECK(*d.mfu == Approx(2 * 90e6 / (1e12 * 186e-6)));
  CHECK_FALSE(d.tokens_per_s);
}

TEST_CASE("no MFU where one device has no peak") {
  const auto topology = small_cluster({small_device("known"), small_device("unknown", 0)});
  DdpJobSpec ddp = small_ddp();
  for (LayerSpec& layer : ddp.model.layers)
    layer.backward_flops = 1e6;  // counted, though the times are given
  const DdpResult d = run_ddp(*topology, ddp);
  CHECK_FALSE(d.mfu);
}

TEST_CASE("a step that takes no time has no rates") {
  const auto topology = small_cluster(1);
  DdpJobSpec ddp = small_ddp();
  for (LayerSpec& layer : ddp.model.layers) layer.forward = layer.backward = Duration{};
  const DdpResult d = run_ddp(*topology, ddp);
  CHECK(d.last_step == Duration{});
  CHECK_FALSE(d.samples_per_s);
  CHECK(d.efficiency == 0);
}

TEST_CASE("language models count tokens, vision models samples") {
  const auto topology = small_cluster(2);
  DdpJobSpec ddp;
  ddp.model.name = "gpt2";
  ddp.micro_batch_samples = 4;
  ddp.accumulate = 3;
  DdpResult d = run_ddp(*topology, ddp);
  CHECK(*d.global_batch_tokens == int64_t{2} * 3 * 4 * 1024);
  CHECK(d.mfu);
  CHECK(*d.tokens_per_s == Approx(*d.samples_per_s * 1024));
  ddp.model.name = "resnet18";
  d = run_ddp(*topology, ddp);
  CHECK_FALSE(d.tokens_per_s);
  CHECK(d.mfu);
}

TEST_CASE("a device without memory bandwidth is named by whatever needs it") {
  const auto topology = small_cluster({small_device("known"), small_device("bare", 1e12, 0)});
  const auto refused = [&](const DdpJobSpec& ddp) {
    const std::string text = refusal_of(*topology, {job_on("gpu[*]", ddp)});
    INFO(text);
    return holds(text, "device \"bare\" has no memory bandwidth") && !holds(text, "\"known\"");
  };
  DdpJobSpec ddp = small_ddp();
  ddp.optimizer = OptimizerKind::kSgd;
  CHECK(refused(ddp));
  ddp = small_ddp();
  ddp.buckets.gradient_as_bucket_view = false;
  CHECK(refused(ddp));
  ddp = small_ddp();
  ddp.gradient_norm = true;
  CHECK(refused(ddp));
  // Nothing that moves bytes: nothing missing.
  CHECK(run_ddp(*topology, small_ddp()).last_step == microseconds(96));
}
