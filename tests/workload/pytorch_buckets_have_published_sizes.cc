// Bucket sizes of the ImageNet example (pytorch issue 48880), of a public ResNet-50 trace, and by PyTorch PR
// 121640 (an explicit cap sets the first bucket too).
#include "tests/catch.h"
#include "tests/workload/workload_helpers.h"

using namespace brigade;

namespace {
std::vector<int64_t> bucket_bytes(const char* name, const BucketSpec& spec, bool first_iteration = false) {
  const Model model = named_model(name);
  const std::vector<TensorInfo> tensors = gradient_tensors(model, {});
  std::vector<int64_t> bytes;
  for (const Bucket& b : buckets_of(spec, tensors, ready_order(model), first_iteration)) {
    bytes.push_back(b.bytes.count);
    CHECK(b.bytes.count == 4 * b.elements);
  }
  return bytes;
}
BucketSpec capped(int64_t mib, BucketVersion version) {
  BucketSpec spec;
  spec.cap = mebibytes(mib);
  spec.version = version;
  return spec;
}
using Sizes = std::vector<int64_t>;
}  // namespace

TEST_CASE("default caps: 1 MiB, then 25 MiB") {
  CHECK(bucket_bytes("resnet50", {}) ==
        Sizes{4 * 2049000, 4 * 7875584, 4 * 6563840, 4 * 6637568, 4 * 2431040});
  CHECK(bucket_bytes("resnet18", {}) == Sizes{2052000, 28852224, 15853824});
  BucketSpec legacy;
  legacy.version = BucketVersion::kLegacy;
  CHECK(bucket_bytes("resnet18", legacy) == Sizes{2052000, 28852224, 15853824});
}

TEST_CASE("an explicit cap sets the first bucket too, in current PyTorch only") {
  const auto current = BucketVersion::kCurrent, legacy = BucketVersion::kLegacy;
  CHECK(bucket_bytes("resnet18", capped(25, current)) == Sizes{30904224, 15853824});
  CHECK(bucket_bytes("resnet50", capped(25, current)) == Sizes{30257056, 26255360, 28366848, 17348864});
  CHECK(bucket_bytes("resnet18", capped(35, legacy)) == Sizes{2052000, 38297600, 6408448});
  CHECK(bucket_bytes("resnet18", capped(35, current)) == Sizes{37988256, 8769792});
}

TEST_CASE("find_unused_parameters fills in registration order, reverses, and never rebuilds") {
  BucketSpec spec;
  spec.find_unused_parameters = true;
  CHECK(bucket_bytes("resnet18", spec) == Sizes{11497376, 33744896, 1515776});
  CHECK(bucket_bytes("resnet18", spec, true) == Sizes{11497376, 33744896, 1515776});
  CHECK_FALSE(rebuilds_buckets(spec));
  spec.static_graph = true;  // wins over find_unused_parameters
  CHECK(bucket_bytes("resnet18", spec) == Sizes{2052000, 28852224, 15853824});
  CHECK(rebuilds_buckets(spec));
}

TEST_CASE("the first iteration reduces the whole gradient in one bucket") {
  CHECK(bucket_bytes("resnet18", {}, true) == Sizes{4 * 11'689'512});
  CHECK(bucket_bytes("resnet50", capped(35, BucketVersion::kCurrent), true) == Sizes{4 * 25'557'032});
}

TEST_CASE("a bucket holds one dtype, and each dtype counts its own caps") {
  const int64_t mi = 1 << 20;
  const std::vector<TensorInfo> tensors = {{mi, DType::kFp32},
                                           {mi, DType::kBf16},
                                           {8 * mi, DType::kFp32},
                                           {16 * mi, DType::kBf16},
                                           {10, DType::kFp32}};
  const std::vector<TensorIndex> order = {0, 1, 2, 3, 4};
  const auto buckets = buckets_of({}, tensors, order, false);
  REQUIRE(buckets.size() == 5);
  CHECK(buckets[0].tensors == std::vector<TensorIndex>{0});  // each dtype begins with 1 MiB
  CHECK(buckets[1].tensors == std::vector<TensorIndex>{1});
  CHECK(buckets[2].tensors == std::vector<TensorIndex>{2});
  CHECK(buckets[3].tensors == std::vector<TensorIndex>{3});
  CHECK(buckets[3].dtype == DType::kBf16);
  CHECK(buckets[3].bytes == mebibytes(32));
  CHECK(buckets[4].tensors == std::vector<TensorIndex>{4});
  const auto first = buckets_of({}, tensors, order, true);
  REQUIRE(first.size() == 2);
  CHECK(first[0].tensors == std::vector<TensorIndex>{1, 3});  // reversed: the later first parameter first
  CHECK(first[1].tensors == std::vector<TensorIndex>{0, 2, 4});
}
