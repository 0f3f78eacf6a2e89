#include "sim/workload/shard_units.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "sim/base/check.h"

namespace brigade {
namespace {

class Grouping {
 public:
  Grouping(const Model& model, UnitRule rule)
      : model_(model), by_block_(rule == UnitRule::kBlocks && has_blocks(model)) {}

  ShardUnits group() && {
    for (size_t i = 0; i < model_.layers.size(); ++i) {
      const Layer& layer = model_.layers[i];
      const uint32_t unit = unit_of(layer);
      for (const TensorIndex t : layer.parameters) {
        out_.units[unit].tensors.push_back(t);
        out_.units[unit].elements += model_.parameters[t].elements;
      }
      if (!out_.segments.empty() && out_.segments.back().unit == unit)
        out_.segments.back().last = i + 1;
      else
        out_.segments.push_back({unit, i, i + 1});
    }
    return std::move(out_);
  }

 private:
  static bool has_blocks(const Model& model) {
    return std::any_of(model.layers.begin(), model.layers.end(),
                       [](const Layer& l) { return !block_of(l.name).empty(); });
  }

  uint32_t unit_of(const Layer& layer) {
    if (!by_block_) {
      // Before the first layer with parameters, a unit of none.
      if (layer.parameters.empty() && !out_.units.empty())
        return static_cast<uint32_t>(out_.units.size() - 1);
      return add(layer.name, false);
    }
    const std::string block = block_of(layer.name);
    const std::string name = block.empty() ? "root" : block;
    for (size_t u = out_.units.size(); u-- > 0;)
      if (out_.units[u].name == name && out_.units[u].root == block.empty()) return static_cast<uint32_t>(u);
    return add(name, block.empty());
  }

  uint32_t add(std::string name, bool root) {
    out_.units.push_back({.name = std::move(name), .tensors = {}, .elements = 0, .root = root});
    return static_cast<uint32_t>(out_.units.size() - 1);
  }

  const Model& model_;
  bool by_block_;
  ShardUnits out_;
};

}  // namespace

std::string block_of(const std::string& layer) {
  for (size_t begin = 0; begin < layer.size();) {
    const size_t end = std::min(layer.find('.', begin), layer.size());
    const bool number = std::all_of(
        layer.begin() + static_cast<std::ptrdiff_t>(begin), layer.begin() + static_cast<std::ptrdiff_t>(end),
        [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); });
    if (number && begin < end) return layer.substr(0, end);
    begin = end + 1;
  }
  return "";
}

ShardUnits shard_units(const Model& model, UnitRule rule) { return Grouping(model, rule).group(); }

int64_t padded(int64_t elements, int64_t n) {
  BRIGADE_CHECK(n > 0, n);
  return (elements + n - 1) / n * n;
}

int64_t padded_rows(const ParameterTensor& tensor, Rank n) {
  const int64_t rows = tensor.shape.front();
  return padded(rows, n) * (tensor.elements / rows);
}

}  // namespace brigade
