// BERT as in transformers' BertModel and BertForPreTraining: norms come after blocks.
#include <string>

#include "absl/strings/str_cat.h"
#include "sim/workload/layer_cost.h"
#include "sim/workload/model_families.h"

namespace brigade {
namespace {

constexpr int64_t kVocabulary = 30522;
constexpr int64_t kPositions = 512;
constexpr int64_t kSegments = 2;  // sentence A or B

class BertBuilder {
 public:
  BertBuilder(const BertShape& shape, int64_t tokens)
      : shape_(shape), tokens_(tokens), width_(shape.width), elements_(tokens * shape.width) {}

  Model build() && {
    const std::string prefix = shape_.pretraining ? "bert." : "";
    embeddings(prefix + "embeddings.");
    for (int i = 0; i < shape_.layers; ++i) block(absl::StrCat(prefix, "encoder.layer.", i, "."));
    // The pooler reads the first token only.
    linear(prefix + "pooler.dense", 1, width_, width_);
    model_.layer(prefix + "pooler.activation", activation_cost(width_));
    if (shape_.pretraining) heads();
    return std::move(model_).take(tokens_);
  }

 private:
  void embeddings(const std::string& name) {
    const TensorIndex words = model_.parameter(name + "word_embeddings.weight", {kVocabulary, width_});
    const TensorIndex positions = model_.parameter(name + "position_embeddings.weight", {kPositions, width_});
    const TensorIndex segments = model_.parameter(name + "token_type_embeddings.weight", {kSegments, width_});
    // The decoder of the pretraining head shares the word table, so that its gradient is complete only here.
    lookup(name + "word_embeddings", kVocabulary, words, shape_.pretraining);
    lookup(name + "token_type_embeddings", kSegments, segments);
    model_.layer(name + "add_type", addition_cost(elements_));
    lookup(name + "position_embeddings", kPositions, positions);
    model_.layer(name + "add_position", addition_cost(elements_));
    norm(name + "LayerNorm");
    model_.layer(name + "dropout", dropout_cost(elements_));
  }

  void block(const std::string& name) {
    const std::string self = name + "attention.self.", output = name + "attention.output.";
    model_.layer(name + "attention.fork", fork_cost(elements_));
    // Query, key and value each hand a gradient back to the same input.
    linear(self + "query", tokens_, width_, width_);
    model_.layer(self + "fork_key", fork_cost(elements_));
    linear(self + "key", tokens_, width_, width_);
    model_.layer(self + "fork_value", fork_cost(elements_));
    linear(self + "value", tokens_, width_, width_);
    model_.layer(self + "core",
                 attention_cost({.tokens = tokens_, .width = width_, .key_value_width = width_}));
    linear(output + "dense", tokens_, width_, width_);
    residual(output);
    model_.layer(name + "fork", fork_cost(elements_));
    linear(name + "intermediate.dense", tokens_, width_, 4 * width_);
    model_.layer(name + "intermediate.activation", activation_cost(4 * elements_));
    linear(name + "output.dense", tokens_, 4 * width_, width_);
    residual(name + "output.");
  }

  void residual(const std::string& name) {
    model_.layer(name + "dropout", dropout_cost(elements_));
    model_.layer(name + "add", addition_cost(elements_));
    norm(name + "LayerNorm");
  }

  void heads() {
    const std::string name = "cls.predictions.";
    const TensorIndex bias = model_.parameter(name + "bias", {kVocabulary});
    linear(name + "transform.dense", tokens_, width_, width_);
    model_.layer(name + "transform.activation", activation_cost(elements_));
    norm(name + "transform.LayerNorm");
    model_.layer(name + "decoder", linear_cost({.rows = tokens_, .in = width_, .out = kVocabulary}), {bias});
    linear("cls.seq_relationship", 1, width_, kSegments);
    model_.layer("loss", cross_entropy_cost(tokens_ * kVocabulary + kSegments));
  }

  void lookup(const std::string& name, int64_t table_rows, TensorIndex parameter, bool shared = false) {
    model_.layer(
        name, embedding_cost({.rows = tokens_, .table_rows = table_rows, .width = width_, .shared = shared}),
        {parameter});
  }

  void norm(const std::string& name) {
    const TensorIndex weight = model_.parameter(name + ".weight", {width_});
    const TensorIndex bias = model_.parameter(name + ".bias", {width_});
    model_.layer(name, layer_norm_cost(elements_, width_), {weight, bias});
  }

  void linear(const std::string& name, int64_t rows, int64_t in, int64_t out) {
    const TensorIndex weight = model_.parameter(name + ".weight", {out, in});
    const TensorIndex bias = model_.parameter(name + ".bias", {out});
    model_.layer(name, linear_cost({.rows = rows, .in = in, .out = out}), {weight, bias});
  }

  ModelBuilder model_;
  const BertShape shape_;
  const int64_t tokens_, width_, elements_;
};

}  // namespace

Model bert_model(const BertShape& shape, int64_t tokens) { return BertBuilder(shape, tokens).build(); }

}  // namespace brigade
