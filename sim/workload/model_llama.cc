// LLaMA as in transformers' LlamaForCausalLM. A block registers its norms last but runs them first, so that
// ready order is not registration order reversed.
#include <string>

#include "absl/strings/str_cat.h"
#include "sim/workload/layer_cost.h"
#include "sim/workload/model_families.h"

namespace brigade {
namespace {

constexpr int64_t kVocabulary = 32000;

class LlamaBuilder {
 public:
  LlamaBuilder(const LlamaShape& shape, int64_t tokens)
      : shape_(shape), tokens_(tokens), width_(shape.width), elements_(tokens * shape.width) {}

  Model build() && {
    const TensorIndex table = model_.parameter("model.embed_tokens.weight", {kVocabulary, width_});
    model_.layer("model.embed_tokens",
                 embedding_cost({.rows = tokens_, .table_rows = kVocabulary, .width = width_}), {table});
    for (int i = 0; i < shape_.layers; ++i) block(absl::StrCat("model.layers.", i, "."));
    norm("model.norm", model_.parameter("model.norm.weight", {width_}));
    linear(matrix("lm_head", width_, kVocabulary));
    model_.layer("loss", cross_entropy_cost(tokens_ * kVocabulary));
    return std::move(model_).take(tokens_);
  }

 private:
  struct Matrix {
    std::string name;
    int64_t in, out;
    TensorIndex parameter;
  };

  void block(const std::string& name) {
    const int64_t key_value = shape_.key_value_width, feed_forward = shape_.feed_forward_width;
    const Matrix query = matrix(name + "self_attn.q_proj", width_, width_);
    const Matrix key = matrix(name + "self_attn.k_proj", width_, key_value);
    const Matrix value = matrix(name + "self_attn.v_proj", width_, key_value);
    const Matrix output = matrix(name + "self_attn.o_proj", width_, width_);
    const Matrix gate = matrix(name + "mlp.gate_proj", width_, feed_forward);
    const Matrix up = matrix(name + "mlp.up_proj", width_, feed_forward);
    const Matrix down = matrix(name + "mlp.down_proj", feed_forward, width_);
    const TensorIndex before_attention = model_.parameter(name + "input_layernorm.weight", {width_});
    const TensorIndex before_mlp = model_.parameter(name + "post_attention_layernorm.weight", {width_});

    fork(name + "self_attn.fork");
    norm(name + "input_layernorm", before_attention);
    // Projections of the same input: each hands a gradient back to it.
    linear(query);
    fork(name + "self_attn.fork_k");
    linear(key);
    fork(name + "self_attn.fork_v");
    linear(value);
    model_.layer(name + "self_attn.rotary", rotary_cost(tokens_ * (width_ + key_value)));
    model_.layer(name + "self_attn.core",
                 attention_cost({.tokens = tokens_, .width = width_, .key_value_width = key_value}));
    linear(output);
    model_.layer(name + "self_attn.add", addition_cost(elements_));
    fork(name + "mlp.fork");
    norm(name + "post_attention_layernorm", before_mlp);
    linear(gate);
    model_.layer(name + "mlp.act_fn", activation_cost(tokens_ * feed_forward));
    fork(name + "mlp.fork_up");
    linear(up);
    model_.layer(name + "mlp.product", product_cost(tokens_ * feed_forward));
    linear(down);
    model_.layer(name + "mlp.add", addition_cost(elements_));
  }

  Matrix matrix(const std::string& name, int64_t in, int64_t out) {
    return {name, in, out, model_.parameter(name + ".weight", {out, in})};
  }
  void linear(const Matrix& m) {
    model_.layer(m.name, linear_cost({.rows = tokens_, .in = m.in, .out = m.out, .bias = false}),
                 {m.parameter});
  }
  void norm(const std::string& name, TensorIndex weight) {
    model_.layer(name, layer_norm_cost(elements_, width_, /*bias=*/false), {weight});
  }
  void fork(const std::string& name) { model_.layer(name, fork_cost(elements_)); }

  ModelBuilder model_;
  const LlamaShape shape_;
  const int64_t tokens_, width_, elements_;
};

}  // namespace

Model llama_model(const LlamaShape& shape, int64_t tokens) { return LlamaBuilder(shape, tokens).build(); }

}  // namespace brigade
