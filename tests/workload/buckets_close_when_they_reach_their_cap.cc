#include <numeric>

#include "sim/base/random.h"
#include "tests/catch.h"
#include "tests/workload/workload_helpers.h"

using namespace brigade;

namespace {
std::vector<TensorIndex> shuffled(size_t n, Random& random) {
  std::vector<TensorIndex> order = reversed_registration(n);
  for (size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}
BucketSpec fixed(std::optional<Bytes> cap, BucketOrder order = BucketOrder::kReady) {
  BucketSpec spec;
  spec.rule = BucketRule::kFixed;
  spec.cap = cap;
  spec.one_bucket = !cap;
  spec.order = order;
  return spec;
}
}  // namespace

TEST_CASE("the lecture's buckets: 384 equal bf16 tensors") {
  const std::vector<TensorInfo> tensors(384, {3'538'944, DType::kBf16});
  const auto order = reversed_registration(384);
  const auto [megabytes_cap, count] =
      GENERATE(table<int64_t, size_t>({{25, 96}, {10, 192}, {1, 384}, {100, 26}, {400, 7}}));
  CHECK(buckets_of(fixed(megabytes(megabytes_cap)), tensors, order, true).size() == count);
  CHECK(buckets_of(fixed(megabytes(megabytes_cap)), tensors, order, false).size() == count);
  const auto one = buckets_of(fixed(std::nullopt), tensors, order, false);
  REQUIRE(one.size() == 1);
  CHECK(one[0].elements == 1'358'954'496);
}

TEST_CASE("registration order fills the first registered tensors first") {
  const std::vector<TensorInfo> tensors(5, {1000, DType::kFp32});
  const auto order = reversed_registration(5);
  const auto ready = buckets_of(fixed(Bytes{8000}), tensors, order, false);
  CHECK(ready[0].tensors == std::vector<TensorIndex>{4, 3});
  const auto registered = buckets_of(fixed(Bytes{8000}, BucketOrder::kRegistration), tensors, order, false);
  REQUIRE(registered.size() == 3);
  CHECK(registered[0].tensors == std::vector<TensorIndex>{0, 1});
  CHECK(registered[2].tensors == std::vector<TensorIndex>{4});
}

TEST_CASE("any tensors in any order: each is in one bucket, whole, and a bucket is full but for the last") {
  const uint64_t seed = GENERATE(range(uint64_t{1}, uint64_t{60}));
  INFO("seed " << seed);
  Random random(seed);
  std::vector<TensorInfo> tensors(1 + random.below(80));
  for (TensorInfo& t : tensors) {
    t.elements = random.between(1, random.below(2) ? 4'000 : 4'000'000);
    t.dtype = random.below(4) == 0 ? DType::kBf16 : DType::kFp32;
  }
  const auto order = shuffled(tensors.size(), random);
  const Bytes cap = {random.between(1, 10'000'000)};
  const auto buckets = buckets_of(fixed(cap), tensors, order, false);
  std::vector<int> seen(tensors.size(), 0);
  std::vector<size_t> place(tensors.size());
  for (size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  int open = 0;
  for (const Bucket& b : buckets) {
    Bytes bytes, last;
    for (size_t i = 0; i < b.tensors.size(); ++i) {
      const TensorIndex t = b.tensors[i];
      ++seen[t];
      CHECK(tensors[t].dtype == b.dtype);
      if (i > 0) CHECK(place[b.tensors[i - 1]] < place[t]);
      last = tensors[t].elements * Bytes{bytes_of(b.dtype)};
      bytes += last;
    }
    CHECK(bytes == b.bytes);
    CHECK(bytes - last < cap);
    open += bytes < cap;
  }
  CHECK(open <= 2);  // one a dtype
  CHECK(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
}

TEST_CASE("no tensors, no buckets") {
  CHECK(buckets_of({}, {}, {}, false).empty());
  CHECK(buckets_of({}, {}, {}, true).empty());
}
