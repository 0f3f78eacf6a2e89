#include "sim/workload/layer_cost.h"

#include <algorithm>

#include <utility>

#include "sim/base/check.h"

namespace brigade {
namespace {

// Moves only, in activation elements.
LayerCost moves(double forward_elements, double backward_elements) {
  LayerCost cost;
  cost.forward.activation_elements_per_sample = forward_elements;
  cost.backward.activation_elements_per_sample = backward_elements;
  return cost;
}

double real(int64_t n) { return static_cast<double>(n); }

}  // namespace

LayerCost convolution_cost(const Convolution& c) {
  const double weights = real(c.channels_in) * real(c.channels_out) * real(c.kernel) * real(c.kernel);
  const double in = real(c.channels_in) * real(c.pixels_in) * real(c.pixels_in);
  const double out = real(c.channels_out) * real(c.pixels_out) * real(c.pixels_out);
  const double flops = 2 * weights * real(c.pixels_out) * real(c.pixels_out);
  LayerCost cost = moves(in + out, in + out);  // backward: the weights' gradient
  cost.forward.flops_per_sample = flops;
  cost.forward.weight_elements = weights;
  cost.backward.flops_per_sample = flops;
  cost.backward.gradient_elements = weights;
  if (c.input_has_gradient) {
    cost.backward.flops_per_sample += flops;
    cost.backward.activation_elements_per_sample += in + out;
    cost.backward.weight_elements = weights;
  }
  return cost;
}

LayerCost linear_cost(const Linear& l) {
  const double weights = real(l.in) * real(l.out);
  const double in = real(l.rows) * real(l.in);
  const double out = real(l.rows) * real(l.out);
  LayerCost cost = moves(in + out, 2 * (in + out));
  cost.forward.flops_per_sample = 2 * weights * real(l.rows);
  cost.backward.flops_per_sample = 4 * weights * real(l.rows);
  cost.forward.weight_elements = weights;
  cost.backward.weight_elements = weights;
  cost.backward.gradient_elements = weights;
  if (l.bias) {  // added by the product's kernel forward; backward sums the output's gradient apart
    cost.backward.activation_elements_per_sample += out;
    cost.forward.weight_elements += real(l.out);
    cost.backward.gradient_elements += real(l.out);
  }
  return cost;
}

LayerCost attention_cost(const Attention& a) {
  const double queries = real(a.tokens) * real(a.width);  // as many as outputs
  const double keys = real(a.tokens) * real(a.key_value_width);
  // Forward: q k v -> o. Backward: q k v o do -> dq dk dv.
  LayerCost cost = moves(2 * queries + 2 * keys, 4 * queries + 4 * keys);
  cost.forward.flops_per_sample = 4 * real(a.tokens) * queries;
  cost.backward.flops_per_sample = 8 * real(a.tokens) * queries;
  return cost;
}

LayerCost embedding_cost(const Embedding& e) {
  const double looked_up = real(e.rows) * real(e.width);
  const double table = real(e.table_rows) * real(e.width);
  LayerCost cost = moves(2 * looked_up, 2 * looked_up);
  cost.forward.bytes_per_sample = cost.backward.bytes_per_sample = 8 * real(e.rows);  // int64 indices
  cost.backward.gradient_elements = e.shared ? 4 * table : table;
  return cost;
}

LayerCost batch_norm_cost(int64_t elements, int64_t channels) {
  LayerCost cost = moves(3 * real(elements), 5 * real(elements));
  cost.forward.weight_elements = 2 * real(channels);
  cost.backward.weight_elements = real(channels);
  cost.backward.gradient_elements = 2 * real(channels);
  return cost;
}

LayerCost layer_norm_cost(int64_t elements, int64_t width, bool bias) {
  // A row stays in registers: one read forward. Backward: one kernel for the input, one for the parameters.
  LayerCost cost = moves(2 * real(elements), 5 * real(elements));
  cost.forward.weight_elements = (bias ? 2 : 1) * real(width);
  cost.backward.weight_elements = real(width);
  cost.backward.gradient_elements = (bias ? 2 : 1) * real(width);
  return cost;
}

LayerCost relu_cost(int64_t elements) { return moves(2 * real(elements), 3 * real(elements)); }
LayerCost activation_cost(int64_t elements) { return moves(2 * real(elements), 3 * real(elements)); }
LayerCost product_cost(int64_t elements) { return moves(3 * real(elements), 6 * real(elements)); }
LayerCost rotary_cost(int64_t elements) { return moves(2 * real(elements), 2 * real(elements)); }
LayerCost addition_cost(int64_t elements) { return moves(3 * real(elements), 0); }
LayerCost fork_cost(int64_t elements) { return moves(0, 3 * real(elements)); }

LayerCost dropout_cost(int64_t elements) {
  LayerCost cost = moves(2 * real(elements), 2 * real(elements));
  cost.forward.bytes_per_sample = cost.backward.bytes_per_sample = real(elements);
  return cost;
}

LayerCost cross_entropy_cost(int64_t elements) { return moves(2 * real(elements), 2 * real(elements)); }

LayerCost pool_cost(int64_t elements_in, int64_t elements_out, bool max) {
  LayerCost cost = moves(real(elements_in + elements_out), real(elements_in + elements_out));
  if (max) cost.forward.bytes_per_sample = cost.backward.bytes_per_sample = 8 * real(elements_out);
  return cost;
}

TensorIndex ModelBuilder::parameter(std::string name, std::vector<int64_t> shape) {
  int64_t elements = 1;
  for (const int64_t side : shape) elements *= side;
  model_.parameters.push_back({.name = std::move(name), .shape = std::move(shape), .elements = elements});
  return static_cast<TensorIndex>(model_.parameters.size() - 1);
}

void ModelBuilder::layer(std::string name, const LayerCost& cost, std::vector<TensorIndex> parameters) {
  model_.layers.push_back({.name = std::move(name),
                           .parameters = std::move(parameters),
                           .forward = cost.forward,
                           .backward = cost.backward,
                           .forward_time = std::nullopt,
                           .backward_time = std::nullopt});
}

void ModelBuilder::buffer(DType dtype, int64_t elements) {
  auto row = std::find_if(model_.buffers.begin(), model_.buffers.end(),
                          [&](const Buffers& b) { return b.dtype == dtype; });
  if (row == model_.buffers.end()) row = model_.buffers.insert(row, {.dtype = dtype});
  row->elements += elements;
}

Model ModelBuilder::take(int64_t tokens_per_sample) && {
  std::vector<int> owners(model_.parameters.size(), 0);
  for (const Layer& layer : model_.layers) {
    for (const TensorIndex p : layer.parameters) ++owners[p];
  }
  for (size_t i = 0; i < owners.size(); ++i) {
    BRIGADE_CHECK(owners[i] == 1, model_.parameters[i].name, " belongs to ", owners[i], " layers");
  }
  model_.tokens_per_sample = tokens_per_sample;
  return std::move(model_);
}

}  // namespace brigade
