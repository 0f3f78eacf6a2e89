#include "sim/workload/activation_memory.h"

#include "absl/strings/str_cat.h"

namespace brigade {
namespace {

constexpr int64_t kPaperElements = 12;  // a layer keeps so many times its input
constexpr int64_t kFloat = 4;           // bytes of logits and of log-sum-exps

// Bytes a token that a layer keeps apart from its scores: Korthikanti et al., section 4.1, tensor by tensor.
int64_t linear_part(const TransformerShape& s, int64_t element) {
  const int64_t norms = 2 * s.width;
  const int64_t attention = s.width + 2 * s.width + 2 * s.key_value_width;  // input; q and output; k and v
  const int64_t feed_forward = s.width + (s.gated ? 4 : 2) * s.feed_forward_width;
  const int64_t masks = s.dropout ? 2 * s.width : 0;
  return element * (norms + attention + feed_forward) + masks;
}

// Bytes a token of the scores of all heads: softmax and, with dropout, its mask and what it leaves.
int64_t scores(const TransformerShape& s, int64_t sequence, int64_t element) {
  return s.heads * sequence * (s.dropout ? 2 * element + 1 : element);
}

int64_t layer_token_bytes(const MemoryRequest& r) {
  const TransformerShape& s = *r.shape;
  switch (r.activations) {
    case ActivationCount::kZeroPaper:
      return kPaperElements * r.activation_bytes * s.width;
    case ActivationCount::kStandard:
      return linear_part(s, r.activation_bytes) + scores(s, r.sequence, r.activation_bytes);
    case ActivationCount::kFlash:
      return linear_part(s, r.activation_bytes) + kFloat * s.heads;
  }
  return 0;
}

// Beside the layers: the embedding's mask, the inputs of the last norm and of the head.
int64_t other_token_bytes(const MemoryRequest& r) {
  if (r.activations == ActivationCount::kZeroPaper) return 0;
  const TransformerShape& s = *r.shape;
  return s.width * ((s.dropout ? 1 : 0) + r.activation_bytes * (s.vocabulary > 0 ? 2 : 1));
}

int64_t token_bytes(const MemoryRequest& r) {
  const TransformerShape& s = *r.shape;
  const int64_t layer = layer_token_bytes(r), other = other_token_bytes(r);
  if (r.recompute == Recompute::kFull) return s.layers * r.activation_bytes * s.width + layer + other;
  const bool drops_scores =
      r.recompute == Recompute::kSelective && r.activations == ActivationCount::kStandard;
  return s.layers * (drops_scores ? linear_part(s, r.activation_bytes) : layer) + other;
}

int64_t tokens(const MemoryRequest& r) { return r.samples * r.sequence; }

}  // namespace

LayerActivations layer_activations(const MemoryRequest& r) {
  const int64_t layer = layer_token_bytes(r), linear = linear_part(*r.shape, r.activation_bytes);
  if (r.recompute == Recompute::kFull)
    return {Bytes{tokens(r) * r.activation_bytes * r.shape->width}, Bytes{tokens(r) * layer}};
  if (r.recompute == Recompute::kSelective && r.activations == ActivationCount::kStandard)
    return {Bytes{tokens(r) * linear}, Bytes{tokens(r) * (layer - linear)}};
  return {Bytes{tokens(r) * layer}, Bytes{}};
}

Bytes other_activations(const MemoryRequest& r) { return {tokens(r) * other_token_bytes(r)}; }

MemoryRow activation_row(const MemoryRequest& r) {
  MemoryRow row{"activations", "activations", std::nullopt, "not counted: layers are unknown"};
  if (!r.shape) return row;
  row.bytes = Bytes{tokens(r) * token_bytes(r)};
  row.how =
      absl::StrCat(name_of(r.activations), ", ",
                   r.recompute == Recompute::kNone        ? "no recomputation"
                   : r.recompute == Recompute::kSelective ? "selective recomputation"
                                                          : "full recomputation: checkpoints and one layer");
  return row;
}

MemoryRow logits_row(const MemoryRequest& r) {
  MemoryRow row{"logits", "logits", std::nullopt, "not counted: layers are unknown"};
  if (!r.shape) return row;
  row.bytes = Bytes{kFloat * tokens(r) * r.shape->vocabulary};
  row.how = r.shape->vocabulary == 0 ? "the model has no head"
                                     : absl::StrCat("fp32, ", tokens(r), " tokens x ", r.shape->vocabulary);
  return row;
}

double rough_activations(const MemoryRequest& r) {
  if (!r.shape) return 0;
  const TransformerShape& s = *r.shape;
  const auto real = [](int64_t n) { return static_cast<double>(n); };
  const double layer = 12 * real(s.width) * real(r.activation_bytes) +
                       real(linear_part(s, r.activation_bytes)) +
                       real(s.heads) * (real(r.sequence) * 9 + kFloat);
  return real(r.samples) * real(r.sequence) *
         (real(s.layers + 1) * layer + real(s.vocabulary) * kFloat + 16 * real(s.width));
}

}  // namespace brigade
