#include "sim/workload/transformer_shape.h"

#include <array>

namespace brigade {
namespace {

struct Row {
  const char* name;
  TransformerShape shape;
};

constexpr TransformerShape gpt(int64_t layers, int64_t width, int64_t heads) {
  return {.layers = layers,
          .width = width,
          .heads = heads,
          .key_value_width = width,
          .feed_forward_width = 4 * width,
          .vocabulary = 50257};
}
constexpr TransformerShape bert(int64_t layers, int64_t width, int64_t heads, bool head) {
  return {.layers = layers,
          .width = width,
          .heads = heads,
          .key_value_width = width,
          .feed_forward_width = 4 * width,
          .vocabulary = head ? 30522 : 0};
}
constexpr TransformerShape llama2(int64_t layers, int64_t width, int64_t heads, int64_t key_value_width,
                                  int64_t feed_forward_width) {
  return {.layers = layers,
          .width = width,
          .heads = heads,
          .key_value_width = key_value_width,
          .feed_forward_width = feed_forward_width,
          .vocabulary = 32000,
          .gated = true,
          .dropout = false};
}

constexpr std::array kRows = {
    Row{"gpt2", gpt(12, 768, 12)},
    Row{"gpt2-medium", gpt(24, 1024, 16)},
    Row{"gpt2-large", gpt(36, 1280, 20)},
    Row{"gpt2-xl", gpt(48, 1600, 25)},
    Row{"gpt3-175b", gpt(96, 12288, 96)},
    Row{"bert-base", bert(12, 768, 12, false)},
    Row{"bert-base-pretraining", bert(12, 768, 12, true)},
    Row{"bert-large", bert(24, 1024, 16, false)},
    Row{"bert-large-pretraining", bert(24, 1024, 16, true)},
    Row{"llama2-7b", llama2(32, 4096, 32, 4096, 11008)},
    Row{"llama2-13b", llama2(40, 5120, 40, 5120, 13824)},
    Row{"llama2-70b", llama2(80, 8192, 64, 1024, 28672)},
};

int64_t matrices(const TransformerShape& s) {
  return 2 * s.width * s.width + 2 * s.width * s.key_value_width +
         (s.gated ? 3 : 2) * s.width * s.feed_forward_width;
}

}  // namespace

const TransformerShape* find_transformer(std::string_view name) {
  for (const Row& row : kRows)
    if (name == row.name) return &row.shape;
  return nullptr;
}

int64_t layer_parameters(const TransformerShape& s) {
  if (s.gated) return matrices(s) + 2 * s.width;
  const int64_t biases = 3 * s.width + 2 * s.key_value_width + s.feed_forward_width;
  const int64_t norms = 4 * s.width;
  return matrices(s) + biases + norms;
}

int64_t attention_core_forward_flops(const TransformerShape& s, int64_t sequence) {
  return 4 * sequence * s.width;
}

int64_t layer_forward_flops(const TransformerShape& s, int64_t sequence) {
  return 2 * matrices(s) + attention_core_forward_flops(s, sequence);
}

}  // namespace brigade
