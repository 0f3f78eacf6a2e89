// What one operation computes and moves, forward and backward, for one sample: the arithmetic behind named
// models.
//
// FLOPs count a multiply-add as two. Moved elements are those of an eager kernel: each operand read once,
// each result written once, except batch norm, which reads its input twice (statistics, then normalisation).
// Attention is fused (FlashAttention: queries, keys, values and outputs move, scores do not), counts the
// whole square even under a causal mask, and leaves out the recomputation of scores in backward (a fifth of
// its executed FLOPs). FLOPs of operations that memory binds (norms, activations, additions) are left out.
#pragma once
#include <cstdint>

#include "sim/workload/model.h"

namespace brigade {

struct LayerCost {
  Pass forward, backward;
};

struct Convolution {
  int64_t channels_in, channels_out;
  int64_t kernel;                  // side
  int64_t pixels_in, pixels_out;   // sides of the square image
  bool input_has_gradient = true;  // false: the model's first layer
};
LayerCost convolution_cost(const Convolution& c);

// `rows` vectors a sample: tokens, or 1.
struct Linear {
  int64_t rows, in, out;
  bool bias = true;
};
LayerCost linear_cost(const Linear& l);

// Fused attention over `tokens`, all heads together; grouped heads have key_value_width < width.
struct Attention {
  int64_t tokens, width, key_value_width;
};
LayerCost attention_cost(const Attention& a);

// Rows of a table looked up; about no FLOPs. The gradient is dense: the whole table is written, and where
// another layer shares the table its gradient is added (read twice, written once).
struct Embedding {
  int64_t rows, table_rows, width;
  bool shared = false;
};
LayerCost embedding_cost(const Embedding& e);

LayerCost batch_norm_cost(int64_t elements, int64_t channels);
LayerCost layer_norm_cost(int64_t elements, int64_t width, bool bias = true);
LayerCost relu_cost(int64_t elements);  // in place; backward reads the output
LayerCost activation_cost(
    int64_t elements);  // GELU, SiLU, tanh, softmax: backward reads what forward read or wrote
LayerCost product_cost(int64_t elements);   // elementwise, both factors with a gradient
LayerCost rotary_cost(int64_t elements);    // rotary position embedding of queries and keys
LayerCost addition_cost(int64_t elements);  // residual; backward passes the gradient on
LayerCost dropout_cost(int64_t elements);   // mask of one byte an element
LayerCost cross_entropy_cost(int64_t elements);
LayerCost pool_cost(int64_t elements_in, int64_t elements_out, bool max);  // max keeps int64 indices
// Where a residual branch leaves: backward adds the gradients of both ways.
LayerCost fork_cost(int64_t elements);

// A model under construction: parameters in registration order, layers in forward order.
class ModelBuilder {
 public:
  TensorIndex parameter(std::string name, std::vector<int64_t> shape);
  void layer(std::string name, const LayerCost& cost, std::vector<TensorIndex> parameters = {});
  void buffer(DType dtype, int64_t elements);
  Model take(int64_t tokens_per_sample) &&;

 private:
  Model model_;
};

}  // namespace brigade
