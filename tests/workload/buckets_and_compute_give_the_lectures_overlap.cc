// The lecture's DDP figures on paper: buckets and ready times from here, one stream in order, and the closed
// form of the hierarchical all-reduce on 8 nodes of 8 GPUs (NVLink 450 GB/s, 5 us; InfiniBand 50 GB/s, 10
// us).
#include "tests/catch.h"
#include "tests/workload/workload_helpers.h"

using namespace brigade;

namespace {
double all_reduce_ms(double bytes) {
  const double nvlink = 2 * 7 * (5e-6 + bytes / 8 / 450e9);
  const double infiniband = 2 * 7 * (10e-6 + bytes / 64 / 50e9);
  return 1e3 * (nvlink + infiniband);
}

Model lecture_model() {
  ModelSpec spec;
  spec.layers.resize(1);
  spec.layers[0].name = "layer";
  spec.layers[0].repeat = 384;
  spec.layers[0].parameters = {{.name = "w", .elements = 3'538'944, .ready = {}, .dtype = {}}};
  Diagnostics diagnostics;
  return *model_of(spec, diagnostics);
}
}  // namespace

TEST_CASE("384 equal tensors on 64 GPUs overlap as the lecture prints") {
  struct Row {
    std::optional<Bytes> cap;
    BucketOrder order;
    size_t buckets;
    double exposed_ms, efficiency;
  };
  const auto ready = BucketOrder::kReady, registration = BucketOrder::kRegistration;
  const auto row = GENERATE_COPY(values<Row>({{std::nullopt, ready, 1, 22.67, 0.768},
                                              {megabytes(25), ready, 96, 0.444, 0.994},
                                              {megabytes(10), ready, 192, 13.01, 0.852},
                                              {megabytes(1), ready, 384, 53.20, 0.585},
                                              {megabytes(100), ready, 26, 0.736, 0.990},
                                              {megabytes(400), ready, 7, 2.667, 0.966},
                                              {megabytes(25), registration, 96, 42.62, 0.638}}));
  const Model model = lecture_model();
  DdpJobSpec job;
  job.precision.gradients = DType::kBf16;
  job.compute.spread = Spread::kParameters;
  job.compute.tokens = 4096;
  job.buckets.rule = BucketRule::kFixed;
  job.buckets.cap = row.cap;
  job.buckets.one_bucket = !row.cap;
  job.buckets.order = row.order;
  const ComputeTimeline timeline = timeline_of(model, job, {.flop_per_s = 989e12 * 0.45});
  const auto buckets =
      buckets_of(job.buckets, gradient_tensors(model, job.precision), ready_order(model), false);
  REQUIRE(buckets.size() == row.buckets);
  const double backward_ms = in_us(timeline.backward) / 1000, compute_ms = backward_ms * 1.5;
  const std::vector<double> shares = ready_shares(buckets, timeline);
  double end_ms = 0;  // since backward began
  for (size_t i = 0; i < buckets.size(); ++i) {
    end_ms = std::max(end_ms, shares[i] * backward_ms) + all_reduce_ms(double(buckets[i].bytes.count));
  }
  const double exposed_ms = end_ms - backward_ms;
  CHECK(exposed_ms == Approx(row.exposed_ms).epsilon(5e-4).margin(0.0006));
  CHECK(compute_ms / (compute_ms + exposed_ms) == Approx(row.efficiency).margin(0.0006));
}
