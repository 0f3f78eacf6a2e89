#include "sim/workload/buckets.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "sim/base/check.h"
#include "sim/workload/memory_traffic.h"

namespace brigade {
namespace {

constexpr Bytes kFirstCap = mebibytes(1);
constexpr Bytes kCap = mebibytes(25);
constexpr Bytes kNoCap = {std::numeric_limits<int64_t>::max()};

// The cap of the first bucket of a dtype, and of all its later ones.
struct Caps {
  Bytes first, later;
};

// The bucket of a dtype that still takes tensors.
struct OpenBucket {
  Bucket bucket;
  Bytes cap;
};

// compute_bucket_assignment_by_size of PyTorch's reducer.cpp.
std::vector<Bucket> fill(std::span<const TensorInfo> registered, std::span<const TensorIndex> order,
                         Caps caps) {
  std::vector<Bucket> full;
  std::vector<OpenBucket> open;  // one a dtype, in order of appearance
  for (const TensorIndex tensor : order) {
    const TensorInfo& info = registered[tensor];
    auto o =
        std::find_if(open.begin(), open.end(), [&](const auto& x) { return x.bucket.dtype == info.dtype; });
    if (o == open.end()) o = open.insert(o, {.bucket = {.dtype = info.dtype}, .cap = caps.first});
    o->bucket.tensors.push_back(tensor);
    o->bucket.elements += info.elements;
    o->bucket.bytes += info.elements * Bytes{bytes_of(info.dtype)};
    if (o->bucket.bytes >= o->cap) {
      full.push_back(std::move(o->bucket));
      *o = {.bucket = {.dtype = info.dtype}, .cap = caps.later};
    }
  }
  for (OpenBucket& o : open) {
    if (!o.bucket.tensors.empty()) full.push_back(std::move(o.bucket));
  }
  return full;
}

// What PyTorch's constructor does: caps filled in registration order, buckets sorted by their first
// parameter, and the list reversed, since backward reaches the last ones first.
std::vector<Bucket> fill_reversed(std::span<const TensorInfo> registered, std::span<const TensorIndex> order,
                                  Caps caps) {
  std::vector<Bucket> buckets = fill(registered, order, caps);
  std::sort(buckets.begin(), buckets.end(),
            [](const Bucket& a, const Bucket& b) { return a.tensors.front() > b.tensors.front(); });
  return buckets;
}

Caps pytorch_caps(const BucketSpec& spec) {
  if (!spec.cap) return {kFirstCap, kCap};
  return {spec.version == BucketVersion::kLegacy ? kFirstCap : *spec.cap, *spec.cap};
}

Caps fixed_caps(const BucketSpec& spec) {
  if (spec.one_bucket) return {kNoCap, kNoCap};
  BRIGADE_CHECK(spec.cap && spec.cap->count > 0, "rule: fixed without a positive cap");
  return {*spec.cap, *spec.cap};
}

}  // namespace

std::vector<TensorInfo> gradient_tensors(const Model& model, const PrecisionSpec& precision) {
  std::vector<TensorInfo> tensors;
  tensors.reserve(model.parameters.size());
  for (const ParameterTensor& p : model.parameters) {
    tensors.push_back({p.elements, p.gradient_dtype.value_or(reduced_dtype(precision))});
  }
  return tensors;
}

bool rebuilds_buckets(const BucketSpec& spec) {
  return spec.rule == BucketRule::kPytorch && (spec.static_graph || !spec.find_unused_parameters);
}

std::vector<Bucket> buckets_of(const BucketSpec& spec, std::span<const TensorInfo> registered,
                               std::span<const TensorIndex> ready_order, bool first_iteration) {
  BRIGADE_CHECK(registered.size() == ready_order.size(), registered.size(), " tensors, ", ready_order.size(),
                " in ready order");
  std::vector<TensorIndex> registration_order(registered.size());
  std::iota(registration_order.begin(), registration_order.end(), TensorIndex{0});
  if (spec.rule == BucketRule::kFixed) {
    const bool by_ready = spec.order == BucketOrder::kReady;
    return fill(registered, by_ready ? ready_order : registration_order, fixed_caps(spec));
  }
  if (!rebuilds_buckets(spec)) return fill_reversed(registered, registration_order, pytorch_caps(spec));
  if (first_iteration) return fill_reversed(registered, registration_order, {kNoCap, kNoCap});
  return fill(registered, ready_order, pytorch_caps(spec));
}

}  // namespace brigade
