#include "tests/catch.h"
#include "tests/workload/workload_helpers.h"

using namespace brigade;

namespace {
TensorSpec tensor(const char* name, int64_t elements, std::optional<Duration> ready = std::nullopt) {
  return {.name = name, .elements = elements, .ready = ready, .dtype = std::nullopt};
}
ModelSpec of_tensors(std::vector<TensorSpec> tensors) {
  ModelSpec spec;
  spec.tensors = std::move(tensors);
  return spec;
}
Model good(const ModelSpec& spec) {
  Diagnostics diagnostics;
  std::optional<Model> model = model_of(spec, diagnostics);
  for (const Diagnostic& d : diagnostics.list()) UNSCOPED_INFO(d.message);
  REQUIRE(model);
  return *model;
}
std::string complaint(const ModelSpec& spec) {
  Diagnostics diagnostics;
  CHECK_FALSE(model_of(spec, diagnostics));
  REQUIRE(diagnostics.errors() >= 1);
  return diagnostics.list()[0].message;
}
const Rates kNoRates;
}  // namespace

TEST_CASE("tensors are ready when they say, whatever their order") {
  ModelSpec spec = of_tensors(
      {tensor("a", 10, milliseconds(7)), tensor("b", 20, milliseconds(3)), tensor("c", 30, milliseconds(7))});
  SECTION("backward ends with the last of them") {
    const ComputeTimeline t = timeline_of(good(spec), {}, kNoRates);
    REQUIRE(t.gradients.size() == 3);
    CHECK(t.gradients[0].tensor == 1);
    CHECK(t.gradients[0].at == milliseconds(3));
    CHECK(t.gradients[1].tensor == 2);  // of two at once, the one registered later
    CHECK(t.gradients[2].tensor == 0);
    CHECK(t.gradients[2].at == milliseconds(7));
    CHECK(t.backward == milliseconds(7));
    CHECK(t.forward == Duration{});
  }
  SECTION("or later, when told so") {
    spec.forward = milliseconds(5);
    spec.backward = milliseconds(11);
    const ComputeTimeline t = timeline_of(good(spec), {}, kNoRates);
    CHECK(t.forward == milliseconds(5));
    CHECK(t.backward == milliseconds(11));
    CHECK(t.gradients[2].at == milliseconds(7));
  }
  SECTION("but not earlier") {
    spec.backward = milliseconds(6);
    CHECK(complaint(spec) == "tensor \"a\" is ready after backward has ended");
  }
}

TEST_CASE("tensors without ready times share backward by elements, the last one first") {
  ModelSpec spec = of_tensors({tensor("a", 1), tensor("b", 1), tensor("c", 1)});
  spec.backward = picoseconds(100);
  const ComputeTimeline t = timeline_of(good(spec), {}, kNoRates);
  CHECK(t.gradients[0].tensor == 2);
  CHECK(t.gradients[0].at.ps == 33);
  CHECK(t.gradients[1].at.ps == 66);
  CHECK(t.gradients[2].at.ps == 100);
  CHECK(t.backward.ps == 100);
}

TEST_CASE("layers have times or work, and repeat") {
  ModelSpec spec;
  LayerSpec timed;
  timed.name = "timed";
  timed.repeat = 2;
  timed.parameters = {tensor("w", 100), tensor("b", 10)};
  timed.forward = milliseconds(1);
  timed.backward = milliseconds(2);
  LayerSpec counted;
  counted.name = "counted";
  counted.parameters = {tensor("w", 1000)};
  counted.forward_flops = 1e9;
  counted.backward_bytes = 3e9;
  spec.layers = {timed, counted};
  const Model model = good(spec);
  CHECK(model.parameters.size() == 5);
  CHECK(model.parameters[2].name == "timed[1].w");
  CHECK(parameter_count(model) == 1220);
  CHECK(*useful_flops_per_sample(model) == 1e9);
  DdpJobSpec job;
  job.micro_batch_samples = 2;
  const ComputeTimeline t = timeline_of(model, job, {.flop_per_s = 1e12, .bytes_per_s = 1e12});
  CHECK(t.forward == milliseconds(4));    // 1 + 1 + 2 x 1
  CHECK(t.backward == milliseconds(10));  // 2 x 3 + 2 + 2
  CHECK(t.gradients[0].at == milliseconds(6));
  CHECK(t.gradients[1].tensor == 3);
  CHECK(t.gradients[2].tensor == 2);
  CHECK(t.gradients[2].at == milliseconds(8));
}

TEST_CASE("a model by name takes the size that it is given, within its limits") {
  ModelSpec spec;
  spec.name = "gpt2";
  CHECK(good(spec).tokens_per_sample == 1024);
  spec.sequence_tokens = 77;
  CHECK(good(spec).tokens_per_sample == 77);
  CHECK(good(spec).name == "gpt2");
  spec.sequence_tokens = 1025;
  CHECK(complaint(spec) == "a sequence of 1025 tokens; gpt2 takes 1 to 1024");
  spec.sequence_tokens = std::nullopt;
  spec.image_pixels = 224;
  CHECK(complaint(spec) == "gpt2 reads text: it has a sequence, not an image");
  spec.name = "resnet50";
  CHECK(good(spec).tokens_per_sample == 0);
  spec.image_pixels = 16;
  CHECK(complaint(spec) == "an image of 16 pixels; resnet50 takes 32 to 8192");
  spec.name = "resnet5";
  CHECK(complaint(spec).rfind("unknown model \"resnet5\"", 0) == 0);
}

TEST_CASE("contradictions are reported") {
  CHECK(complaint({}) == "a model needs a name, layers or tensors");
  ModelSpec both = of_tensors({tensor("a", 1)});
  both.name = "gpt2";
  CHECK(complaint(both) == "a model has a name, layers or tensors: one of them");
  CHECK(complaint(of_tensors({tensor("a", 1, milliseconds(1)), tensor("b", 1)})) ==
        "some tensors have a `ready` time and some have none");
  CHECK(complaint(of_tensors({tensor("a", 0)})) == "tensor \"a\" has 0 elements; at least 1");
  CHECK(complaint(of_tensors({tensor("a", INT64_MAX), tensor("b", INT64_MAX)})) ==
        "tensor \"a\" takes the model beyond 2^50 parameters");
}
