#include "sim/workload/memory_traffic.h"
#include "tests/catch.h"

using namespace brigade;

TEST_CASE("an optimizer step reads and writes each of its tensors once") {
  const PrecisionSpec fp32;
  PrecisionSpec bf16;
  bf16.parameters = bf16.gradients = DType::kBf16;
  PrecisionSpec mixed = bf16;  // bf16 weights and gradients, fp32 master
  mixed.has_master = true;
  PrecisionSpec fp32_gradients = mixed;
  fp32_gradients.gradients = DType::kFp32;
  struct Row {
    OptimizerKind kind;
    int64_t fp32, bf16, mixed, fp32_gradients;
  };
  const auto row = GENERATE(values<Row>({{OptimizerKind::kNone, 0, 0, 0, 0},
                                         {OptimizerKind::kSgd, 12, 6, 12, 14},
                                         {OptimizerKind::kMomentum, 20, 10, 20, 22},
                                         {OptimizerKind::kAdamW, 28, 14, 28, 30}}));
  CHECK(optimizer_bytes_per_parameter(row.kind, fp32) == row.fp32);
  CHECK(optimizer_bytes_per_parameter(row.kind, bf16) == row.bf16);
  CHECK(optimizer_bytes_per_parameter(row.kind, mixed) == row.mixed);
  CHECK(optimizer_bytes_per_parameter(row.kind, fp32_gradients) == row.fp32_gradients);
}

TEST_CASE("autocast reduces fp32 gradients, whatever it computes in") {
  PrecisionSpec p;
  p.gradients = DType::kBf16;
  CHECK(reduced_dtype(p) == DType::kBf16);
  p.autocast = true;
  CHECK(reduced_dtype(p) == DType::kFp32);
  CHECK(optimizer_bytes_per_parameter(OptimizerKind::kSgd, p) == 12);
}

TEST_CASE("a bucket is copied in and out, unless gradients live in it") {
  BucketSpec spec;
  CHECK(copy_traffic(Bytes{1000}, spec).into_bucket == Bytes{2000});
  CHECK(copy_traffic(Bytes{1000}, spec).out_of_bucket == Bytes{2000});
  spec.gradient_as_bucket_view = true;
  CHECK(copy_traffic(Bytes{1000}, spec).into_bucket == Bytes{0});
  CHECK(copy_traffic(Bytes{1000}, spec).out_of_bucket == Bytes{0});
}
