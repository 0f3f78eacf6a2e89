#include <array>

#include "sim/base/check.h"
#include "sim/workload/spec.h"

namespace brigade {
namespace {

struct DTypeRow {
  DType type;
  const char* name;
  int64_t bytes;
};
constexpr std::array<DTypeRow, 9> kDTypes = {{{DType::kUint8, "uint8", 1},
                                              {DType::kFp8, "fp8", 1},
                                              {DType::kFp16, "fp16", 2},
                                              {DType::kBf16, "bf16", 2},
                                              {DType::kFp32, "fp32", 4},
                                              {DType::kFp64, "fp64", 8},
                                              {DType::kInt32, "int32", 4},
                                              {DType::kInt64, "int64", 8},
                                              {DType::kTf32, "tf32", 4}}};

const DTypeRow& row_of(DType t) {
  for (const DTypeRow& row : kDTypes) {
    if (row.type == t) return row;
  }
  check_failed("dtype has a row", __FILE__, __LINE__, absl::StrCat("dtype ", static_cast<int>(t)));
}

}  // namespace

const char* name_of(DType t) { return row_of(t).name; }

int64_t bytes_of(DType t) { return row_of(t).bytes; }

std::optional<DType> find_dtype(std::string_view name) {
  for (const DTypeRow& row : kDTypes) {
    if (name == row.name) return row.type;
  }
  return std::nullopt;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const DTypeRow& row : kDTypes) names.push_back(row.name);
  return names;
}

}  // namespace brigade
