// How DeepSpeed and Megatron fill buckets with gradients as backward hands them over.
#pragma once
#include <optional>
#include <vector>

#include "sim/workload/shard_program.h"

namespace brigade {

struct GradientBucket {
  std::vector<TensorIndex> tensors;
  int64_t elements = 0;
  uint32_t closed_by = 0;  // the segment in whose backward it closes; kNone: the end of backward
};

// `closes_when_full`: with the gradient that reaches `size` (Megatron); else before the gradient that would
// pass it (DeepSpeed).
std::vector<GradientBucket> gradient_buckets(const ShardInput& in, int64_t size, bool closes_when_full);

// Elements of a bucket, or of all, in the default size of the preset.
int64_t reduce_bucket_of(const ShardInput& in);
int64_t gather_bucket_of(const ShardInput& in);

}  // namespace brigade
