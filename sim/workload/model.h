// A model as training sees it: parameter tensors in registration order, and layers in forward order that say
// what each pass computes and moves. Pure data; compute.h turns it into times.
//
// A layer is one operation (a convolution, a batch norm, an addition), as PyTorch's eager kernels do them, so
// that what is bound by FLOPs and what is bound by memory are timed apart. Gradients of a layer's parameters
// are ready at the end of its backward. A parameter that several layers share (GPT-2's tied head) belongs to
// the first of them in forward order: only there is its gradient complete.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/base/time.h"
#include "sim/workload/spec.h"

namespace brigade {

// Named by its registration index, the place in Model::parameters.
using TensorIndex = uint32_t;

struct ParameterTensor {
  std::string name;
  std::vector<int64_t> shape;
  int64_t elements = 0;
  std::optional<DType> gradient_dtype = std::nullopt;  // where it differs from the job's
};

// What one pass of a layer does. A sample is an image, or a sequence of Model::tokens_per_sample tokens. What
// is read and what is written both count as moved.
struct Pass {
  double flops_per_sample = 0;                // a multiply-add is two
  double activation_elements_per_sample = 0;  // in the compute dtype
  double bytes_per_sample = 0;                // whatever the dtype: masks, indices, written-out layers
  double weight_elements = 0;                 // once a pass, in the parameters' dtype
  double gradient_elements = 0;               // once a pass, in the gradients' dtype
};

struct Layer {
  std::string name;
  std::vector<TensorIndex> parameters;  // whose gradients are complete at the end of this layer's backward
  Pass forward, backward;
  std::optional<Duration> forward_time, backward_time;  // written out: the passes do not count then
  double activation_bytes_per_sample = 0;               // written out: kept from forward to backward
};

// State that is not trained but kept alike on all ranks (batch norm's running statistics): DDP broadcasts it
// before a step's first forward, all tensors of a dtype together.
struct Buffers {
  DType dtype = DType::kFp32;
  int64_t elements = 0;
};

struct Model {
  std::string name;
  int64_t tokens_per_sample = 0;            // 0: not a language model, its unit is the sample
  std::vector<ParameterTensor> parameters;  // in registration order
  std::vector<Layer> layers;                // in forward order
  std::vector<Buffers> buffers = {};        // a row a dtype
};

int64_t parameter_count(const Model& model);

// Tensors in the order in which backward completes their gradients: layers from the last to the first, and
// within a layer the parameter registered last comes first (a bias before its weight, as autograd hands them
// over).
std::vector<TensorIndex> ready_order(const Model& model);

// Model FLOPs of forward and backward of one sample, without any recomputation; null where layers carry none.
std::optional<double> useful_flops_per_sample(const Model& model);

// The model that a scenario asks for: by name (model_catalogue.h), as layers, or as tensors. Reports what is
// wrong (unknown name, a sequence beyond the position table, ready times without order) and is then null.
//
// Written-out tensors become layers of known time: a tensor with `ready` ends a piece of backward at that
// offset; without any `ready` the tensors share `backward` by elements, the last one first. `backward`
// defaults to the last ready time, `forward` to 0. All tensors have a ready time or none has.
std::optional<Model> model_of(const ModelSpec& spec, Diagnostics& diagnostics);

}  // namespace brigade
