// The sizes of the transformers among the named models, as far as their memory depends on them. The models
// themselves, operation by operation, are built from the same sizes in model_<family>.cc.
#pragma once
#include <cstdint>
#include <string_view>

namespace brigade {

struct TransformerShape {
  int64_t layers = 0, width = 0, heads = 0;
  int64_t key_value_width = 0;  // below `width` where heads share keys and values
  int64_t feed_forward_width = 0;
  int64_t vocabulary = 0;  // of the head's logits; 0: no head
  bool gated = false;  // feed-forward of three matrices (LLaMA) in place of two; such models have no biases
  bool dropout = true;
};

// Null for models that are no transformers, and for unknown names.
const TransformerShape* find_transformer(std::string_view name);

// Of one layer (block): attention, feed-forward, two norms.
int64_t layer_parameters(const TransformerShape& shape);
// Multiply-adds count as two; per token of a sample of `sequence` tokens, attention over the whole square.
int64_t layer_forward_flops(const TransformerShape& shape, int64_t sequence);
int64_t attention_core_forward_flops(const TransformerShape& shape, int64_t sequence);

}  // namespace brigade
