// The families behind the catalogue's rows. Each builder makes its model for one input size.
#pragma once
#include <array>
#include <cstdint>

#include "sim/workload/model.h"

namespace brigade {

// He et al., "Deep Residual Learning", CVPR 2016: blocks of each of the four stages, with or without
// bottleneck.
struct ResNetShape {
  std::array<int, 4> blocks;
  bool bottleneck = false;
};
Model resnet_model(const ResNetShape& shape, int64_t image_pixels);

// Radford et al., "Language Models are Unsupervised Multitask Learners", 2019; GPT-3 (Brown et al., 2020) by
// the same rule (its alternating sparse attention is left out). The head is tied to the token table.
struct GptShape {
  int layers;
  int64_t width;
  int64_t positions;
};
Model gpt_model(const GptShape& shape, int64_t tokens);

// Devlin et al., "BERT", NAACL 2019. pretraining: with the two heads of BertForPreTraining, the first tied to
// the word table and applied to every token.
struct BertShape {
  int layers;
  int64_t width;
  bool pretraining = false;
};
Model bert_model(const BertShape& shape, int64_t tokens);

// Touvron et al., "Llama 2", 2023: gated feed-forward, grouped key and value heads, an untied head.
struct LlamaShape {
  int layers;
  int64_t width, key_value_width, feed_forward_width;
};
Model llama_model(const LlamaShape& shape, int64_t tokens);

}  // namespace brigade
