// Forward multiply-adds of ResNets as torchvision documents them with its weights (GFLOPS there count a
// multiply-add once); transformers against the closed forms of Narayanan et al. (SC21).
#include "tests/catch.h"
#include "tests/workload/workload_helpers.h"

using namespace brigade;

namespace {
double forward_flops(const Model& model) {
  double flops = 0;
  for (const Layer& layer : model.layers) flops += layer.forward.flops_per_sample;
  return flops;
}
}  // namespace

TEST_CASE("a ResNet's forward at 224 pixels has the published multiply-adds") {
  const auto [name, giga] = GENERATE(table<const char*, double>({{"resnet18", 1.814},
                                                                 {"resnet34", 3.664},
                                                                 {"resnet50", 4.089},
                                                                 {"resnet101", 7.801},
                                                                 {"resnet152", 11.514}}));
  INFO(name);
  CHECK(forward_flops(named_model(name)) / 2 * 1e-9 == Approx(giga).margin(0.0006));
}

TEST_CASE("a ResNet's FLOPs grow with the area of the image") {
  const double ratio =
      forward_flops(named_model("resnet50", 448)) / forward_flops(named_model("resnet50", 224));
  CHECK(ratio == Approx(4).epsilon(0.01));
}

TEST_CASE("backward has twice forward's FLOPs, but for the first convolution's input") {
  const Model model = named_model("resnet50");
  const double first = model.layers[0].forward.flops_per_sample;
  CHECK(first == 2.0 * 64 * 3 * 49 * 112 * 112);
  CHECK(*useful_flops_per_sample(model) == 3 * forward_flops(model) - first);
  const Model text = named_model("llama2-7b");
  CHECK(*useful_flops_per_sample(text) == 3 * forward_flops(text));
}

TEST_CASE("GPT: 24 s d^2 a layer, 4 s^2 d for attention, 2 s d V for the head") {
  const int64_t tokens = GENERATE(1, 7, 512, 1024);
  const double s = double(tokens), d = 1600, layers = 48, vocabulary = 50257;
  CHECK(forward_flops(named_model("gpt2-xl", tokens)) ==
        Approx(layers * (24 * s * d * d + 4 * s * s * d) + 2 * s * d * vocabulary).epsilon(1e-12));
}

TEST_CASE("LLaMA: two FLOPs a token and matrix element, and attention over the whole width") {
  const auto [name, layers, width, norms] = GENERATE(table<const char*, double, double, double>(
      {{"llama2-7b", 32, 4096, 65}, {"llama2-13b", 40, 5120, 81}, {"llama2-70b", 80, 8192, 161}}));
  const double s = 2048;
  const Model model = named_model(name, 2048);
  const double matrices =
      double(parameter_count(model)) - 32000 * width - norms * width;  // the table is looked up
  CHECK(forward_flops(model) == Approx(2 * s * matrices + layers * 4 * s * s * width).epsilon(1e-12));
}

TEST_CASE("BERT's pooler reads one token; its pretraining head every token") {
  const double s = 128, d = 768, vocabulary = 30522;
  const double encoder = 12 * (24 * s * d * d + 4 * s * s * d);
  CHECK(forward_flops(named_model("bert-base", 128)) == Approx(encoder + 2 * d * d).epsilon(1e-12));
  CHECK(forward_flops(named_model("bert-base-pretraining", 128)) ==
        Approx(encoder + 2 * d * d + 2 * s * d * d + 2 * s * d * vocabulary + 4 * d).epsilon(1e-12));
}

TEST_CASE("looking up an embedding moves bytes and computes nothing") {
  for (const Layer& layer : named_model("gpt2").layers) {
    if (layer.name != "wte" && layer.name != "wpe") continue;
    CHECK(layer.forward.flops_per_sample == 0);
    CHECK(layer.forward.activation_elements_per_sample == 2.0 * 1024 * 768);
  }
}
