#include "sim/workload/gradient_buckets.h"

#include <algorithm>

namespace brigade {
namespace {

constexpr int64_t kDeepspeedElements = 500'000'000;
// Megatron-LM, DistributedDataParallelConfig.bucket_size: max(40e6, 1e6 x data-parallel size).
constexpr int64_t kMegatronElements = 40'000'000, kMegatronElementsPerRank = 1'000'000;

}  // namespace

std::vector<GradientBucket> gradient_buckets(const ShardInput& in, int64_t size, bool closes_when_full) {
  std::vector<GradientBucket> buckets;
  GradientBucket open;
  const auto close = [&](uint32_t segment) {
    if (open.tensors.empty()) return;
    open.closed_by = segment;
    buckets.push_back(std::move(open));
    open = {};
  };
  for (auto s = static_cast<uint32_t>(in.units.segments.size()); s-- > 0;) {
    const Segment& segment = in.units.segments[s];
    for (size_t layer = segment.last; layer-- > segment.first;) {
      const std::vector<TensorIndex>& tensors = in.model.layers[layer].parameters;
      for (auto t = tensors.rbegin(); t != tensors.rend(); ++t) {
        const int64_t elements = in.model.parameters[*t].elements;
        if (!closes_when_full && open.elements + elements > size) close(s);
        open.tensors.push_back(*t);
        open.elements += elements;
        if (closes_when_full && open.elements >= size) close(s);
      }
    }
  }
  close(kNone);
  return buckets;
}

int64_t reduce_bucket_of(const ShardInput& in) {
  if (in.spec.reduce_bucket) return *in.spec.reduce_bucket;
  if (in.spec.preset != ShardPreset::kMegatron) return kDeepspeedElements;
  return std::max(kMegatronElements, kMegatronElementsPerRank * in.ranks);
}

int64_t gather_bucket_of(const ShardInput& in) { return in.spec.gather_bucket.value_or(kDeepspeedElements); }

}  // namespace brigade
