#include "sim/workload/memory_traffic.h"

namespace brigade {

DType reduced_dtype(const PrecisionSpec& precision) {
  return precision.autocast ? DType::kFp32 : precision.gradients;
}

int64_t optimizer_bytes_per_parameter(OptimizerKind kind, const PrecisionSpec& precision) {
  if (kind == OptimizerKind::kNone) return 0;
  const int64_t parameter = bytes_of(precision.parameters);
  // Updated in place are the weights themselves, or the master copy, from which the weights are written anew.
  const int64_t updated = precision.has_master ? bytes_of(precision.master) : parameter;
  const int64_t states = kind == OptimizerKind::kAdamW ? 2 : kind == OptimizerKind::kMomentum ? 1 : 0;
  return 2 * updated * (1 + states) + bytes_of(reduced_dtype(precision)) +
         (precision.has_master ? parameter : 0);
}

CopyTraffic copy_traffic(Bytes bucket, const BucketSpec& spec) {
  if (spec.gradient_as_bucket_view) return {};
  return {.into_bucket = 2 * bucket, .out_of_bucket = 2 * bucket};
}

}  // namespace brigade
