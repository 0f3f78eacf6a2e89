// model_of: from what a scenario says to a Model.
#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "sim/workload/model.h"
#include "sim/workload/model_catalogue.h"

namespace brigade {
namespace {

constexpr int64_t kTensorsMax = 1'000'000;
constexpr int64_t kElementsMax = int64_t{1} << 50;  // of all tensors together

class Reader {
 public:
  Reader(const ModelSpec& spec, Diagnostics& diagnostics) : spec_(spec), diagnostics_(diagnostics) {}

  std::optional<Model> read() {
    const int ways =
        (spec_.name.empty() ? 0 : 1) + (spec_.layers.empty() ? 0 : 1) + (spec_.tensors.empty() ? 0 : 1);
    if (ways != 1) {
      error(ways == 0 ? "a model needs a name, layers or tensors"
                      : "a model has a name, layers or tensors: one of them");
    } else if (!spec_.name.empty()) {
      named();
    } else if (!spec_.layers.empty()) {
      layers();
    } else {
      tensors();
    }
    if (errors_ > 0) return std::nullopt;
    return std::move(model_);
  }

 private:
  void named() {
    if (spec_.forward || spec_.backward) error("`forward` and `backward` belong to a model of tensors");
    const ModelRow* row = find_model(spec_.name);
    if (row == nullptr) {
      error(absl::StrCat("unknown model \"", spec_.name, "\"", suggestion(spec_.name, model_names())));
      return;
    }
    const bool text = row->input == ModelInput::kText;
    if (text && spec_.image_pixels)
      error(absl::StrCat(row->name, " reads text: it has a sequence, not an image"));
    if (!text && spec_.sequence_tokens) error(absl::StrCat(row->name, " reads images: it has no sequence"));
    const int64_t size = (text ? spec_.sequence_tokens : spec_.image_pixels).value_or(row->size_default);
    if (size < row->size_min || size > row->size_max) {
      error(absl::StrCat(text ? "a sequence of " : "an image of ", size, text ? " tokens" : " pixels", "; ",
                         row->name, " takes ", row->size_min, " to ", row->size_max));
    }
    if (errors_ > 0) return;
    model_ = row->build(size);
    model_.name = row->name;
  }

  void layers() {
    written();
    if (spec_.forward || spec_.backward) error("`forward` and `backward` stand in the layers themselves");
    for (const LayerSpec& layer : spec_.layers) {
      if (layer.repeat < 1)
        error(absl::StrCat("layer \"", layer.name, "\" repeats ", layer.repeat, " times; at least 1"));
      if (layer.repeat > kTensorsMax)
        error(absl::StrCat("layer \"", layer.name, "\" repeats more than ", kTensorsMax, " times"));
      if (errors_ > 0) return;
      for (int i = 0; i < layer.repeat; ++i) add_layer(layer, i);
    }
  }

  void add_layer(const LayerSpec& spec, int repetition) {
    Layer layer;
    layer.name = spec.repeat == 1 ? spec.name : absl::StrCat(spec.name, "[", repetition, "]");
    layer.forward_time = spec.forward;
    layer.backward_time = spec.backward;
    layer.forward.flops_per_sample = spec.forward_flops;
    layer.forward.bytes_per_sample = spec.forward_bytes;
    layer.backward.flops_per_sample = spec.backward_flops;
    layer.backward.bytes_per_sample = spec.backward_bytes;
    layer.activation_bytes_per_sample = spec.activation_bytes;
    for (const TensorSpec& tensor : spec.parameters) {
      if (tensor.ready)
        error(absl::StrCat("tensor \"", tensor.name, "\": `ready` belongs to a model of tensors"));
      layer.parameters.push_back(add_tensor(tensor, absl::StrCat(layer.name, ".", tensor.name)));
    }
    model_.layers.push_back(std::move(layer));
  }

  // Tensors with ready times become layers that last from one ready time to the next; what forward and
  // backward have left belongs to a layer without parameters, the first of the model.
  void tensors() {
    written();
    for (const TensorSpec& tensor : spec_.tensors) add_tensor(tensor, tensor.name);
    const auto timed =
        std::count_if(spec_.tensors.begin(), spec_.tensors.end(), [](const auto& t) { return t.ready; });
    const bool all_timed = timed == static_cast<std::ptrdiff_t>(spec_.tensors.size());
    if (timed != 0 && !all_timed) error("some tensors have a `ready` time and some have none");
    if (timed == 0 && !spec_.backward && spec_.forward)
      error("tensors with `forward` need `backward` or `ready` times");
    if (errors_ > 0) return;

    std::vector<TensorIndex> order(spec_.tensors.size());  // of backward
    std::iota(order.rbegin(), order.rend(), TensorIndex{0});
    std::optional<Duration> backward = spec_.backward;
    if (all_timed) {
      std::stable_sort(order.begin(), order.end(),
                       [&](TensorIndex a, TensorIndex b) { return ready(a) < ready(b); });
      const Duration last = ready(order.back());
      if (backward && *backward < last) {
        error(absl::StrCat("tensor \"", spec_.tensors[order.back()].name,
                           "\" is ready after backward has ended"));
        return;
      }
      backward = backward.value_or(last);
    }
    add_pieces(order, all_timed, backward);
  }

  void add_pieces(const std::vector<TensorIndex>& order, bool timed, std::optional<Duration> backward) {
    const int64_t all = parameter_count(model_);
    int64_t done = 0;
    Duration reached;
    for (const TensorIndex tensor : order) {
      done += model_.parameters[tensor].elements;
      Layer layer = {.name = model_.parameters[tensor].name,
                     .parameters = {tensor},
                     .forward = {},
                     .backward = {},
                     .forward_time = {},
                     .backward_time = {}};
      if (backward) {
        const Duration end =
            timed ? ready(tensor)
                  : Duration{static_cast<int64_t>(static_cast<__int128>(backward->ps) * done / all)};
        layer.forward_time = Duration{};
        layer.backward_time = end - reached;
        reached = end;
      }
      model_.layers.push_back(std::move(layer));
    }
    if (backward) {
      model_.layers.push_back({.name = "rest",
                               .parameters = {},
                               .forward = {},
                               .backward = {},
                               .forward_time = spec_.forward.value_or(Duration{}),
                               .backward_time = *backward - reached});
    }
    std::reverse(model_.layers.begin(), model_.layers.end());
  }

  void written() {
    model_.name = "written out";
    model_.tokens_per_sample = spec_.sequence_tokens.value_or(0);
    if (spec_.image_pixels) error("`image` belongs to named models");
  }

  TensorIndex add_tensor(const TensorSpec& tensor, std::string name) {
    elements_ += static_cast<double>(tensor.elements);
    if (tensor.elements < 1)
      error(absl::StrCat("tensor \"", name, "\" has ", tensor.elements, " elements; at least 1"));
    if (elements_ > kElementsMax && !too_large_) {
      too_large_ = true;
      error(absl::StrCat("tensor \"", name, "\" takes the model beyond 2^50 parameters"));
    }
    if (model_.parameters.size() == kTensorsMax) error(absl::StrCat("more than ", kTensorsMax, " tensors"));
    model_.parameters.push_back({.name = std::move(name),
                                 .shape = {tensor.elements},
                                 .elements = tensor.elements,
                                 .gradient_dtype = tensor.dtype});
    return static_cast<TensorIndex>(model_.parameters.size() - 1);
  }

  Duration ready(TensorIndex tensor) const { return *spec_.tensors[tensor].ready; }

  void error(std::string message) {
    diagnostics_.error(spec_.at, std::move(message));
    ++errors_;
  }

  const ModelSpec& spec_;
  Diagnostics& diagnostics_;
  Model model_;
  int errors_ = 0;
  double elements_ = 0;
  bool too_large_ = false;
};

}  // namespace

std::optional<Model> model_of(const ModelSpec& spec, Diagnostics& diagnostics) {
  return Reader(spec, diagnostics).read();
}

}  // namespace brigade
