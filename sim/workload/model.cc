#include "sim/workload/model.h"

#include <algorithm>

namespace brigade {

int64_t parameter_count(const Model& model) {
  int64_t count = 0;
  for (const ParameterTensor& p : model.parameters) count += p.elements;
  return count;
}

std::vector<TensorIndex> ready_order(const Model& model) {
  std::vector<TensorIndex> order;
  order.reserve(model.parameters.size());
  for (auto layer = model.layers.rbegin(); layer != model.layers.rend(); ++layer) {
    const size_t first = order.size();
    order.insert(order.end(), layer->parameters.begin(), layer->parameters.end());
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(), std::greater<>());
  }
  return order;
}

std::optional<double> useful_flops_per_sample(const Model& model) {
  double flops = 0;
  for (const Layer& layer : model.layers)
    flops += layer.forward.flops_per_sample + layer.backward.flops_per_sample;
  if (flops == 0) return std::nullopt;
  return flops;
}

}  // namespace brigade
