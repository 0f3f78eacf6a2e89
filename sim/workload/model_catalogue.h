// The models known by name, derived from their published architectures: a row in model_catalogue.cc, a family
// in model_<family>.cc. Shapes and registration order are those of torchvision (ResNet v1.5: the stride is on
// the 3x3 convolution) and of Hugging Face transformers (the others).
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/model.h"

namespace brigade {

enum class ModelInput : uint8_t { kImage, kText };

struct ModelRow {
  const char* name;
  ModelInput input;
  // Pixels of an image's side, or tokens of a sequence; at most the position table's length where there is
  // one.
  int64_t size_default, size_min, size_max;
  Model (*build)(int64_t size);
};

std::span<const ModelRow> model_catalogue();
const ModelRow* find_model(std::string_view name);  // null if unknown
std::vector<std::string> model_names();

}  // namespace brigade
