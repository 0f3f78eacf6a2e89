#include "sim/workload/comm_hook.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"

namespace brigade {
namespace {

constexpr int64_t kPlaceBytes = 4;
constexpr int64_t kPowerSgdGain = 2;  // PyTorch's min_compression_rate

HookedBucket plain(const Bucket& bucket) {
  return {.exchanges = {{Collective::kAllReduce, bucket.elements, bucket.dtype, ""}},
          .encode = {},
          .between = {},
          .decode = {}};
}

HookedBucket cast(const Bucket& bucket, DType dtype) {
  if (bytes_of(bucket.dtype) <= bytes_of(dtype)) return plain(bucket);
  const Bytes moved{bucket.elements * (bytes_of(bucket.dtype) + bytes_of(dtype))};
  return {.exchanges = {{Collective::kAllReduce, bucket.elements, dtype, name_of(dtype)}},
          .encode = moved,
          .between = {},
          .decode = moved};
}

HookedBucket top_k(const Bucket& bucket, double share, Rank ranks) {
  const int64_t sent = std::clamp<int64_t>(
      static_cast<int64_t>(std::ceil(share * static_cast<double>(bucket.elements))), 1, bucket.elements);
  const int64_t pair = bytes_of(bucket.dtype) + kPlaceBytes;
  // An all-gather counts what all ranks have at its end, here in bytes.
  return {.exchanges = {{Collective::kAllGather, sent * pair * ranks, DType::kUint8, "top k"}},
          .encode = 3 * bucket.bytes + Bytes{sent * pair},  // the gradient; the error, read and written
          .between = {},
          .decode = Bytes{sent * pair * ranks} + bucket.bytes};
}

HookedBucket power_sgd(const Model& model, const Bucket& bucket, int rank) {
  int64_t p = 0, q = 0, alone = 0, compressed = 0;
  for (const TensorIndex t : bucket.tensors) {
    const ParameterTensor& tensor = model.parameters[t];
    const int64_t n = tensor.shape.empty() ? 1 : std::max<int64_t>(1, tensor.shape.front());
    const int64_t m = tensor.elements / n;
    const int64_t r = std::min<int64_t>({rank, n, m});
    if (tensor.shape.size() < 2 || (n + m) * r * kPowerSgdGain >= n * m) {
      alone += tensor.elements;
    } else {
      p += n * r;
      q += m * r;
      compressed += tensor.elements;
    }
  }
  if (compressed == 0) return plain(bucket);
  const int64_t bytes = bytes_of(bucket.dtype);
  return {.exchanges = {{Collective::kAllReduce, p + alone, bucket.dtype, "P"},
                        {Collective::kAllReduce, q, bucket.dtype, "Q"}},
          // The gradient and the error are read, their sum M is written, and read to make P.
          .encode = Bytes{(4 * compressed + p) * bytes},
          .between = Bytes{(compressed + 2 * p + q) * bytes},
          // P Q^T is written; M is read and the error written.
          .decode = Bytes{(3 * compressed + p + q) * bytes}};
}

}  // namespace

HookedBucket hook_bucket(const CommHookSpec& spec, const Model& model, const Bucket& bucket, Rank ranks) {
  switch (spec.kind) {
    case CommHook::kNone:
    case CommHook::kLocalSgd:  // what is reduced is not a gradient
      return plain(bucket);
    case CommHook::kFp16:
      return cast(bucket, DType::kFp16);
    case CommHook::kBf16:
      return cast(bucket, DType::kBf16);
    case CommHook::kTopK:
      return top_k(bucket, spec.share, ranks);
    case CommHook::kPowerSgd:
      return power_sgd(model, bucket, spec.rank);
  }
  BRIGADE_CHECK(false, "hook ", int(spec.kind));
}

std::string describe(const CommHookSpec& spec) {
  const char* coded = "; coding takes its bytes at memory rate; what it does to learning is not simulated";
  switch (spec.kind) {
    case CommHook::kNone:
      return "";
    case CommHook::kFp16:
      return absl::StrCat("gradients are reduced as fp16", coded);
    case CommHook::kBf16:
      return absl::StrCat("gradients are reduced as bf16", coded);
    case CommHook::kTopK:
      return absl::StrCat("the largest ", spec.share * 100,
                          " % of each bucket's elements are gathered, with their places", coded);
    case CommHook::kPowerSgd:
      return absl::StrCat("PowerSGD of rank ", spec.rank,
                          spec.start_step > 0 ? absl::StrCat(" from step ", spec.start_step, " on") : "",
                          coded);
    case CommHook::kLocalSgd:
      return absl::StrCat("parameters are averaged after every ", spec.every,
                          " steps, gradients never; what that does to learning is not simulated");
  }
  return "";
}

}  // namespace brigade
