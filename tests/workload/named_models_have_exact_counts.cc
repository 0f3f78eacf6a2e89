// Counts as published with the models' checkpoints; bucket counts by PyTorch's rule over reversed
// registration.
#include "tests/catch.h"
#include "tests/workload/workload_helpers.h"

using namespace brigade;

namespace {
struct Row {
  const char* name;
  size_t tensors;
  int64_t parameters;
  size_t buckets;  // fp32, 25 MiB
};
const Row kRows[] = {
    {"resnet18", 62, 11'689'512, 3},          {"resnet34", 110, 21'797'672, 0},
    {"resnet50", 161, 25'557'032, 5},         {"resnet101", 314, 44'549'160, 0},
    {"resnet152", 467, 60'192'808, 0},        {"gpt2", 148, 124'439'808, 13},
    {"gpt2-medium", 292, 354'823'168, 37},    {"gpt2-large", 436, 774'030'080, 109},
    {"gpt2-xl", 580, 1'557'611'200, 145},     {"gpt3-175b", 1156, 174'604'259'328, 0},
    {"bert-base", 199, 109'482'240, 14},      {"bert-base-pretraining", 206, 110'106'428, 14},
    {"bert-large", 391, 335'141'888, 38},     {"bert-large-pretraining", 398, 336'226'108, 38},
    {"llama2-7b", 291, 6'738'415'616, 226},   {"llama2-13b", 363, 13'015'864'320, 282},
    {"llama2-70b", 723, 68'976'648'192, 562},
};
}  // namespace

TEST_CASE("every named model has its published number of tensors and parameters") {
  REQUIRE(std::size(kRows) == model_catalogue().size());
  for (const Row& row : kRows) {
    INFO(row.name);
    const Model model = named_model(row.name);
    CHECK(model.name.empty());
    CHECK(model.parameters.size() == row.tensors);
    CHECK(parameter_count(model) == row.parameters);
  }
}

TEST_CASE("PyTorch's rule over reversed registration gives each model its number of buckets") {
  for (const Row& row : kRows) {
    if (row.buckets == 0) continue;
    INFO(row.name);
    const Model model = named_model(row.name);
    const auto tensors = gradient_tensors(model, {});
    CHECK(buckets_of({}, tensors, reversed_registration(tensors.size()), false).size() == row.buckets);
    // Ready order differs from it where modules register in another order than they run; the count does not.
    CHECK(buckets_of({}, tensors, ready_order(model), false).size() == row.buckets);
  }
}

TEST_CASE("counts do not depend on the sequence or the image") {
  CHECK(parameter_count(named_model("gpt2-xl", 128)) == 1'557'611'200);
  CHECK(parameter_count(named_model("resnet50", 128)) == 25'557'032);
  CHECK(parameter_count(named_model("llama2-7b", 1)) == 6'738'415'616);
}

TEST_CASE("a bf16 gradient has the lecture's nominal and the exact number of bytes") {
  const auto [name, nominal_gb, exact_gb] = GENERATE(table<const char*, double, double>(
      {{"gpt2-xl", 3, 3.115}, {"llama2-7b", 14, 13.477}, {"gpt3-175b", 350, 349.2}}));
  PrecisionSpec bf16;
  bf16.gradients = DType::kBf16;
  Bytes bytes;
  for (const TensorInfo& t : gradient_tensors(named_model(name), bf16)) {
    bytes += t.elements * Bytes{bytes_of(t.dtype)};
  }
  INFO(name);
  CHECK(double(bytes.count) * 1e-9 == Approx(exact_gb).epsilon(2e-4));
  CHECK(double(bytes.count) * 1e-9 == Approx(nominal_gb).epsilon(0.04));
}
