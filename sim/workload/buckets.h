// Which gradients DDP reduces together.
//
// `rule: pytorch` follows torch/nn/parallel/distributed.py (_ddp_init_helper) and
// torch/csrc/distributed/c10d/ reducer.cpp (compute_bucket_assignment_by_size, rebuild_buckets): tensors are
// never split; a bucket holds one dtype, and each dtype has its own row of caps; a bucket closes as soon as
// its bytes reach its cap.
//   - The caps are 1 MiB for the first bucket, then 25 MiB; an explicit cap replaces the second (`legacy`),
//   or both
//     (`current`, since PyTorch PR 121640).
//   - The first iteration reduces everything in one bucket a dtype. Then the buckets are rebuilt in the order
//   in
//     which gradients became ready.
//   - With find_unused_parameters and without static_graph the caps are filled in registration order from the
//     start, the list of buckets is reversed, and nothing is ever rebuilt.
// `rule: fixed` has one cap, in ready or registration order, the same in every iteration.
// `rule: horovod` has no buckets: see fusion.h.
// Left out: sparse gradients (a bucket of their own there). Where several dtypes leave an open bucket at the
// end, PyTorch's order is that of a hash table; here the dtype that came first goes first.
#pragma once
#include <span>
#include <vector>

#include "sim/base/bytes.h"
#include "sim/workload/model.h"
#include "sim/workload/spec.h"

namespace brigade {

struct TensorInfo {
  int64_t elements = 0;
  DType dtype = DType::kFp32;  // of the gradient
};

struct Bucket {
  std::vector<TensorIndex> tensors = {};  // in the order they were added
  int64_t elements = 0;
  Bytes bytes = {};
  DType dtype = DType::kFp32;
};

// Gradient tensors of a model under a precision, in registration order. autocast keeps fp32 gradients.
std::vector<TensorInfo> gradient_tensors(const Model& model, const PrecisionSpec& precision);

// In the order in which they are launched. `registered`: by registration index; `ready_order`: a permutation
// of the indices. Needs a positive cap, or one_bucket, with `rule: fixed`.
std::vector<Bucket> buckets_of(const BucketSpec& spec, std::span<const TensorInfo> registered,
                               std::span<const TensorIndex> ready_order, bool first_iteration);

// Whether the second iteration's buckets differ in rule from the first's.
bool rebuilds_buckets(const BucketSpec& spec);

}  // namespace brigade
