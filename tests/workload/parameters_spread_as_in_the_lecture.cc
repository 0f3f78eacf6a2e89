// The lecture's switch: 6 x parameters x tokens / (peak x efficiency), a third forward, backward by elements.
#include "sim/base/random.h"
#include "tests/catch.h"
#include "tests/workload/workload_helpers.h"

using namespace brigade;

namespace {
Model written(const std::vector<LayerSpec>& layers) {
  ModelSpec spec;
  spec.layers = layers;
  Diagnostics diagnostics;
  std::optional<Model> model = model_of(spec, diagnostics);
  REQUIRE(diagnostics.ok());
  return *model;
}
const Rates kLecture{.flop_per_s = 989e12 * 0.45};
}  // namespace

TEST_CASE("384 equal tensors of a 1.36e9 parameter model: 75.04 ms at 4096 tokens") {
  LayerSpec layer;
  layer.name = "layer";
  layer.repeat = 384;
  layer.parameters = {{.name = "w", .elements = 1'358'954'496 / 384, .ready = {}, .dtype = {}}};
  const Model model = written({layer});
  REQUIRE(parameter_count(model) == 1'358'954'496);
  DdpJobSpec job;
  job.compute.spread = Spread::kParameters;
  job.compute.tokens = 4096;
  const ComputeTimeline t = timeline_of(model, job, kLecture);
  CHECK(in_us(t.forward + t.backward) == Approx(75'040).margin(5));
  CHECK(in_us(t.forward) == Approx(75'040 / 3.0).margin(2));
  CHECK(t.backward.ps - 2 * t.forward.ps <= 2);
  REQUIRE(t.gradients.size() == 384);
  CHECK(t.gradients.front().tensor == 383);
  CHECK(t.gradients.back().at == t.backward);
  for (size_t i = 0; i < 384; ++i) {
    CHECK(t.gradients[i].at.ps == t.backward.ps * static_cast<int64_t>(i + 1) / 384);
  }
  CHECK(*useful_flops(model, job) == 6.0 * 1'358'954'496 * 4096);
}

TEST_CASE("the lecture's compute times of a 1.3e9 parameter model") {
  const auto [tokens, ms] = GENERATE(table<int64_t, double>({{2048, 35.9}, {16384, 287.1}}));
  LayerSpec layer;
  layer.name = "layer";
  layer.parameters = {{.name = "w", .elements = 1'300'000'000, .ready = {}, .dtype = {}}};
  DdpJobSpec job;
  job.compute.spread = Spread::kParameters;
  job.compute.tokens = tokens;
  const ComputeTimeline t = timeline_of(written({layer}), job, kLecture);
  CHECK(in_us(t.forward + t.backward) / 1000 == Approx(ms).margin(0.05));
}

TEST_CASE("pieces of any sizes add up to backward") {
  const uint64_t seed = GENERATE(range(uint64_t{1}, uint64_t{20}));
  INFO("seed " << seed);
  Random random(seed);
  std::vector<LayerSpec> layers(1 + random.below(50));
  for (LayerSpec& layer : layers) {
    layer.name = "l";
    layer.parameters = {
        {.name = "w", .elements = random.between(1, 1'000'000'007), .ready = {}, .dtype = {}}};
  }
  const Model model = written(layers);
  DdpJobSpec job;
  job.compute.spread = Spread::kParameters;
  job.compute.tokens = random.between(1, 100'000);
  const ComputeTimeline t = timeline_of(model, job, kLecture);
  CHECK(t.gradients.back().at == t.backward);
  int64_t elements = 0;
  const double per_element = double(t.backward.ps) / double(parameter_count(model));
  for (const GradientReady& g : t.gradients) {
    elements += model.parameters[g.tensor].elements;
    CHECK(double(g.at.ps) == Approx(per_element * double(elements)).epsilon(1e-12).margin(1.5));
  }
}

TEST_CASE("tokens default to the micro-batch's") {
  DdpJobSpec job;
  job.micro_batch_samples = 3;
  job.compute.spread = Spread::kParameters;
  const Model model = named_model("gpt2");
  CHECK(*micro_batch_tokens(model, job) == 3 * 1024);
  CHECK(*useful_flops(model, job) == 6.0 * 124'439'808 * 3 * 1024);
}
