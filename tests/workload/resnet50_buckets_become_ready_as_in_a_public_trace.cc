// HolisticTraceAnalysis publishes a trace of ResNet-50 under DDP
// (tests/data/nccl_parser_config/nccl_data.json.gz): batch 32, 224 pixels, A100, TF32. GPU time of backward
// done when the kernels before each of its five all-reduces are, read off that trace: 0, 6, 12, 33 and 100 %.
#include "tests/catch.h"
#include "tests/workload/workload_helpers.h"

using namespace brigade;

namespace {
const std::vector<double> kTrace = {0, 6, 12, 33, 100};

struct Device {
  const char* name;
  double flop_per_s, bytes_per_s;
  DType compute;
};

std::vector<double> bucket_shares(const DdpJobSpec& job, const Rates& rates, BucketCopy copy) {
  const Model model = named_model("resnet50");
  const auto buckets =
      buckets_of(job.buckets, gradient_tensors(model, job.precision), ready_order(model), false);
  return ready_shares(buckets, timeline_of(model, job, rates, copy));
}

void check_against_trace(const Device& device, double kernel_efficiency, double memory_efficiency,
                         int64_t batch, BucketCopy copy) {
  DdpJobSpec job;
  job.micro_batch_samples = batch;
  job.precision.compute = device.compute;
  const Rates rates{device.flop_per_s * kernel_efficiency, device.bytes_per_s * memory_efficiency};
  const std::vector<double> shares = bucket_shares(job, rates, copy);
  INFO(device.name << ", kernels reach " << kernel_efficiency << ", memory " << memory_efficiency
                   << ", batch " << batch);
  REQUIRE(shares.size() == kTrace.size());
  for (size_t i = 0; i < kTrace.size(); ++i) CHECK(100 * shares[i] == Approx(kTrace[i]).margin(8));
}
}  // namespace

TEST_CASE("on the trace's device the buckets become ready within 8 points, whatever kernels reach") {
  check_against_trace({"A100 40 GB, TF32", 156e12, 1555e9, DType::kTf32}, GENERATE(0.3, 0.45, 0.6, 0.8, 1.0),
                      GENERATE(0.7, 0.85, 1.0), GENERATE(16, 32, 64, 256),
                      GENERATE(BucketCopy::kNone, BucketCopy::kIntoBuckets));
}

TEST_CASE("so they do on other devices with tensor cores, where memory binds as well") {
  const auto device = GENERATE(values<Device>({{"A100 80 GB, TF32", 156e12, 2039e9, DType::kTf32},
                                               {"A100 40 GB, fp16", 312e12, 1555e9, DType::kFp16},
                                               {"V100, fp16", 125e12, 900e9, DType::kFp16}}));
  check_against_trace(device, GENERATE(0.45, 0.7, 1.0), GENERATE(0.7, 0.85, 1.0), GENERATE(32, 64),
                      BucketCopy::kNone);
}

TEST_CASE("without tensor cores (V100, fp32) FLOPs bind more, and the fourth bucket comes later") {
  DdpJobSpec job;
  job.micro_batch_samples = 32;
  const auto shares = bucket_shares(job, {0.7 * 15.7e12, 0.7 * 900e9}, BucketCopy::kNone);
  CHECK(shares[3] > 0.40);
  CHECK(shares[3] < 0.49);
}

TEST_CASE("where FLOPs bind, the fourth bucket is ready at half of backward") {
  DdpJobSpec job;
  job.micro_batch_samples = 32;
  const Model model = named_model("resnet50");
  const auto buckets = buckets_of({}, gradient_tensors(model, {}), ready_order(model), false);
  const auto shares =
      ready_shares(buckets, timeline_of(model, job, {.flop_per_s = 1e12, .bytes_per_s = 1e15}));
  CHECK(100 * shares[3] == Approx(49).margin(1));
}

TEST_CASE("forward and backward last about as long as in the trace") {
  // Busy GPU time there: 12.9 ms forward; 25.8 ms backward, of which 4 ms change layouts between NCHW and
  // NHWC, which this model leaves out.
  DdpJobSpec job;
  job.micro_batch_samples = 32;
  job.precision.compute = DType::kTf32;
  const ComputeTimeline t =
      timeline_of(named_model("resnet50"), job, {.flop_per_s = 0.45 * 156e12, .bytes_per_s = 0.7 * 1555e9});
  CHECK(in_us(t.forward) == Approx(12'900).epsilon(0.15));
  CHECK(in_us(t.backward) == Approx(21'800).epsilon(0.15));
}
