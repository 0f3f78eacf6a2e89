// Bytes that a device's memory moves beside the layers: the optimizer, and DDP's copies between gradients and
// buckets. Divide by the memory rate (memory_time in compute.h) for a time.
#pragma once
#include <cstdint>

#include "sim/base/bytes.h"
#include "sim/workload/spec.h"

namespace brigade {

// What one optimizer step moves for each parameter, each tensor read and written once in a fused kernel
// (p: bytes of parameters' dtype, g: of gradients', m: of the master's):
//
//                without master   with a master copy (states in the master's dtype)
//   sgd          2p + g           2m + g + p          fp32: 12
//   momentum     4p + g           4m + g + p          fp32: 20
//   adamw        6p + g           6m + g + p          fp32: 28; bf16 with fp32 master: 28
//
// A state that PyTorch creates without a master has the parameter's dtype. Left out: unfused (foreach)
// kernels, which move more, and gradient scaling.
int64_t optimizer_bytes_per_parameter(OptimizerKind kind, const PrecisionSpec& precision);

// The dtype that gradients have when they are reduced: fp32 under autocast, else precision.gradients.
DType reduced_dtype(const PrecisionSpec& precision);

// Moved by DDP for a bucket of these bytes: before its all-reduce, gradients are read, divided by the number
// of ranks and written into the bucket; after it, the bucket is read and the gradients written. With
// gradient_as_bucket_view the gradients live in the bucket: nothing is copied (the division is then taken to
// ride on the reduction, as with NCCL's average).
struct CopyTraffic {
  Bytes into_bucket, out_of_bucket;
};
CopyTraffic copy_traffic(Bytes bucket, const BucketSpec& spec);

}  // namespace brigade
