#include "tests/catch.h"
#include "tests/workload/workload_helpers.h"

using namespace brigade;

namespace {
DeviceModel a100() {
  DeviceModel d;
  d.name = "A100";
  d.peak_flop_per_s = {{"fp32", 19.5e12}, {"tf32", 156e12}};
  d.memory_bandwidth = Bandwidth::gb_per_s(1555);
  return d;
}
}  // namespace

TEST_CASE("rates are peak times efficiency of the dtype that computes") {
  PrecisionSpec precision;
  precision.compute = DType::kTf32;
  Diagnostics diagnostics;
  ComputeSpec compute;
  compute.kernel_efficiency = 0.5;
  compute.memory_efficiency = 0.8;
  const auto rates = rates_of(a100(), precision, compute, {.flops = true, .memory = true}, {}, diagnostics);
  REQUIRE(rates);
  CHECK(rates->flop_per_s == 78e12);
  CHECK(rates->bytes_per_s == Approx(1244e9));
}

TEST_CASE("a device without what is needed is a mistake that says what it has") {
  PrecisionSpec precision;
  precision.compute = DType::kBf16;
  DeviceModel device = a100();
  device.memory_bandwidth = std::nullopt;
  Diagnostics diagnostics;
  CHECK_FALSE(rates_of(device, precision, {}, {.flops = true, .memory = true}, {}, diagnostics));
  REQUIRE(diagnostics.errors() == 2);
  CHECK(diagnostics.list()[0].message == "device \"A100\" has no peak FLOP/s for bf16; it has: fp32, tf32");
  Diagnostics none;
  CHECK(rates_of(device, precision, {}, {}, {}, none));
  CHECK(none.ok());
}

TEST_CASE("what is needed follows from the model and the job") {
  DdpJobSpec job;
  job.optimizer = OptimizerKind::kNone;
  job.buckets.gradient_as_bucket_view = true;
  Model written;
  written.parameters = {{.name = "w", .shape = {1}, .elements = 1}};
  Layer layer;
  layer.name = "w";
  layer.parameters = {0};
  layer.forward_time = layer.backward_time = milliseconds(1);
  written.layers = {layer};
  CHECK_FALSE(rates_needed(written, job).flops);
  CHECK_FALSE(rates_needed(written, job).memory);
  job.compute.spread = Spread::kParameters;
  CHECK(rates_needed(written, job).flops);
  CHECK_FALSE(rates_needed(written, job).memory);
  job.optimizer = OptimizerKind::kSgd;
  CHECK(rates_needed(written, job).memory);
  job.compute.spread = Spread::kLayers;
  CHECK(rates_needed(named_model("gpt2"), job).flops);
  CHECK(rates_needed(named_model("gpt2"), job).memory);
}

TEST_CASE("layers without cost, a spread without tokens and endless batches are refused") {
  const Rates rates{.flop_per_s = 1e12, .bytes_per_s = 1e12};
  ModelSpec spec;
  spec.tensors = {{.name = "w", .elements = 10, .ready = {}, .dtype = {}}};
  Diagnostics diagnostics;
  const Model model = *model_of(spec, diagnostics);
  DdpJobSpec job;
  CHECK_FALSE(check_compute(model, job, rates, diagnostics));
  CHECK(diagnostics.list().back().message.rfind("layer \"w\" has neither times nor FLOPs nor bytes", 0) == 0);
  job.compute.spread = Spread::kParameters;
  CHECK_FALSE(check_compute(model, job, rates, diagnostics));
  job.compute.tokens = 10;
  CHECK(check_compute(model, job, rates, diagnostics));
  job.compute.tokens = INT64_MAX;
  CHECK_FALSE(check_compute(model, job, rates, diagnostics));
  DdpJobSpec huge;
  huge.micro_batch_samples = INT64_MAX;
  CHECK_FALSE(check_compute(named_model("gpt3-175b"), huge, rates, diagnostics));
  CHECK(diagnostics.errors() == 4);
}
