#include <set>

#include "tests/catch.h"
#include "tests/workload/workload_helpers.h"

using namespace brigade;

namespace {
std::vector<std::string> ready_names(const Model& model) {
  std::vector<std::string> names;
  for (const TensorIndex t : ready_order(model)) names.push_back(model.parameters[t].name);
  return names;
}
const Rates kA100{.flop_per_s = 156e12, .bytes_per_s = 1555e9};
}  // namespace

TEST_CASE("every gradient of a named model is ready once, in order, and the last one when backward ends") {
  for (const ModelRow& row : model_catalogue()) {
    INFO(row.name);
    const Model model = row.build(row.size_default);
    const ComputeTimeline timeline = timeline_of(model, {}, kA100);
    CHECK(timeline.forward.ps > 0);
    std::set<TensorIndex> seen;
    Duration before;
    for (const GradientReady& g : timeline.gradients) {
      CHECK(g.at >= before);
      before = g.at;
      seen.insert(g.tensor);
    }
    CHECK(seen.size() == model.parameters.size());
    CHECK(timeline.gradients.size() == model.parameters.size());
    CHECK(before <= timeline.backward);
    CHECK(double(before.ps) > 0.98 * double(timeline.backward.ps));
  }
}

TEST_CASE("the tied head of GPT-2 and BERT is ready only when the table's gradient is") {
  CHECK(ready_names(named_model("gpt2")).front() == "ln_f.bias");
  CHECK(ready_names(named_model("gpt2")).back() == "wte.weight");
  const auto bert = ready_names(named_model("bert-base-pretraining"));
  CHECK(bert.front() == "cls.seq_relationship.bias");
  CHECK(bert.back() == "bert.embeddings.word_embeddings.weight");
}

TEST_CASE("ResNet's shortcut is ready before the convolutions beside it: reversed registration") {
  const Model model = named_model("resnet50");
  CHECK(ready_order(model) == reversed_registration(model.parameters.size()));
}

TEST_CASE("LLaMA runs its norms before the blocks that it registers first") {
  const auto names = ready_names(named_model("llama2-7b"));
  REQUIRE(names.size() == 291);
  CHECK(names[0] == "lm_head.weight");
  CHECK(names[1] == "model.norm.weight");
  CHECK(names[2] == "model.layers.31.mlp.down_proj.weight");
  CHECK(names[5] == "model.layers.31.post_attention_layernorm.weight");
  CHECK(names[10] == "model.layers.31.input_layernorm.weight");
  CHECK(names[11] == "model.layers.30.mlp.down_proj.weight");
}

TEST_CASE("a layer lasts as long as the slower of its FLOPs and its bytes") {
  Model model;
  model.parameters = {{.name = "w", .shape = {10}, .elements = 10}};
  Layer layer;
  layer.name = "layer";
  layer.parameters = {0};
  layer.forward = {.flops_per_sample = 6e9, .activation_elements_per_sample = 1e6};
  layer.backward = {
      .flops_per_sample = 12e9, .bytes_per_sample = 30e6, .weight_elements = 5e6, .gradient_elements = 5e6};
  model.layers = {layer};
  DdpJobSpec job;
  job.micro_batch_samples = 2;
  job.precision = {.parameters = DType::kBf16, .gradients = DType::kFp32, .compute = DType::kBf16};
  SECTION("FLOPs bind: 12 and 24 GFLOP at 1 TFLOP/s") {
    const ComputeTimeline t = timeline_of(model, job, {.flop_per_s = 1e12, .bytes_per_s = 1e12});
    CHECK(t.forward == milliseconds(12));
    CHECK(t.backward == milliseconds(24));
    CHECK(t.gradients.at(0).at == milliseconds(24));
  }
  SECTION("memory binds: 2 x 1e6 x 2 B forward; 2 x 30e6 + 5e6 x 2 + 5e6 x 4 B backward, at 1 GB/s") {
    const ComputeTimeline t = timeline_of(model, job, {.flop_per_s = 1e15, .bytes_per_s = 1e9});
    CHECK(t.forward == milliseconds(4));
    CHECK(t.backward == milliseconds(90));
  }
}

TEST_CASE("copies into buckets prolong backward by twice the gradient's bytes") {
  const Model model = named_model("gpt2");
  DdpJobSpec job;
  const ComputeTimeline without = timeline_of(model, job, kA100);
  const ComputeTimeline with = timeline_of(model, job, kA100, BucketCopy::kIntoBuckets);
  const Duration copies = memory_time(Bytes{2 * 4 * parameter_count(model)}, kA100);
  CHECK(with.forward == without.forward);
  CHECK(std::abs((with.backward - without.backward - copies).ps) <= 148);  // each copy is rounded by itself
  job.buckets.gradient_as_bucket_view = true;
  CHECK(timeline_of(model, job, kA100, BucketCopy::kIntoBuckets).backward == without.backward);
}
