// GPT-2 and GPT-3 as in transformers' GPT2LMHeadModel: weights of Conv1D are [in, out], norms come before
// blocks.
#include <string>

#include "absl/strings/str_cat.h"
#include "sim/workload/layer_cost.h"
#include "sim/workload/model_families.h"

namespace brigade {
namespace {

constexpr int64_t kVocabulary = 50257;

class GptBuilder {
 public:
  GptBuilder(const GptShape& shape, int64_t tokens)
      : shape_(shape), tokens_(tokens), width_(shape.width), elements_(tokens * shape.width) {}

  Model build() && {
    const TensorIndex wte = model_.parameter("wte.weight", {kVocabulary, width_});
    const TensorIndex wpe = model_.parameter("wpe.weight", {shape_.positions, width_});
    model_.layer(
        "wte", embedding_cost({.rows = tokens_, .table_rows = kVocabulary, .width = width_, .shared = true}),
        {wte});
    model_.layer("wpe", embedding_cost({.rows = tokens_, .table_rows = shape_.positions, .width = width_}),
                 {wpe});
    model_.layer("add", addition_cost(elements_));
    model_.layer("drop", dropout_cost(elements_));
    for (int i = 0; i < shape_.layers; ++i) block(absl::StrCat("h.", i, "."));
    norm("ln_f");
    // The head's weight is wte's: its gradient is complete only when the table's is.
    model_.layer("lm_head", linear_cost({.rows = tokens_, .in = width_, .out = kVocabulary, .bias = false}));
    model_.layer("loss", cross_entropy_cost(tokens_ * kVocabulary));
    return std::move(model_).take(tokens_);
  }

 private:
  void block(const std::string& name) {
    model_.layer(name + "attn.fork", fork_cost(elements_));
    norm(name + "ln_1");
    linear(name + "attn.c_attn", width_, 3 * width_);
    model_.layer(name + "attn.core",
                 attention_cost({.tokens = tokens_, .width = width_, .key_value_width = width_}));
    linear(name + "attn.c_proj", width_, width_);
    residual(name + "attn.");
    model_.layer(name + "mlp.fork", fork_cost(elements_));
    norm(name + "ln_2");
    linear(name + "mlp.c_fc", width_, 4 * width_);
    model_.layer(name + "mlp.act", activation_cost(4 * elements_));
    linear(name + "mlp.c_proj", 4 * width_, width_);
    residual(name + "mlp.");
  }

  void norm(const std::string& name) {
    const TensorIndex weight = model_.parameter(name + ".weight", {width_});
    const TensorIndex bias = model_.parameter(name + ".bias", {width_});
    model_.layer(name, layer_norm_cost(elements_, width_), {weight, bias});
  }

  void linear(const std::string& name, int64_t in, int64_t out) {
    const TensorIndex weight = model_.parameter(name + ".weight", {in, out});
    const TensorIndex bias = model_.parameter(name + ".bias", {out});
    model_.layer(name, linear_cost({.rows = tokens_, .in = in, .out = out}), {weight, bias});
  }

  void residual(const std::string& name) {
    model_.layer(name + "drop", dropout_cost(elements_));
    model_.layer(name + "add", addition_cost(elements_));
  }

  ModelBuilder model_;
  const GptShape shape_;
  const int64_t tokens_, width_, elements_;
};

}  // namespace

Model gpt_model(const GptShape& shape, int64_t tokens) { return GptBuilder(shape, tokens).build(); }

}  // namespace brigade
