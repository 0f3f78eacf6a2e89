// The lecture's section 6.2 out of the running engine: 64 GPUs = 8 x 8, 384 equal tensors, 1,358,954,496
// parameters in bf16, hierarchical all-reduce. Exposed time and efficiency by bucket cap, to the digit that
// it prints.
#include "tests/oracle/machines.h"
#include "tests/workload/run_jobs.h"

using namespace brigade;

namespace {

JobSpec lecture_job() {
  DdpJobSpec ddp;
  for (int i = 0; i < 384; ++i) {
    TensorSpec tensor;
    tensor.name = "t" + std::to_string(i);
    tensor.elements = 3'538'944;
    ddp.model.tensors.push_back(tensor);
  }
  ddp.precision = {.parameters = DType::kBf16,
                   .gradients = DType::kBf16,
                   .master = DType::kFp32,
                   .has_master = true,
                   .autocast = false,
                   .compute = DType::kBf16};
  ddp.compute.kernel_efficiency = 0.45;
  ddp.compute.spread = Spread::kParameters;
  ddp.compute.tokens = 4096;
  ddp.optimizer = OptimizerKind::kNone;
  ddp.buckets.rule = BucketRule::kFixed;
  ddp.buckets.gradient_as_bucket_view = true;
  ddp.all_reduce.algorithm = "hierarchical";
  JobSpec job;
  job.name = "train";
  job.ranks = {"node[*].gpu[*]"};
  job.kind = ddp;
  return job;
}

DdpResult run(const BucketSpec& buckets) {
  JobSpec job = lecture_job();
  auto& ddp = std::get<DdpJobSpec>(job.kind);
  ddp.buckets.cap = buckets.cap;
  ddp.buckets.one_bucket = buckets.one_bucket;
  ddp.buckets.order = buckets.order;
  const auto topology = oracle::lecture(8, 8, 989e12);
  return std::get<DdpResult>(run_jobs(*topology, {job}).jobs[0].result);
}

}  // namespace

TEST_CASE("exposed communication and efficiency by bucket cap") {
  struct Row {
    int64_t cap_mb;  // 0: one bucket
    size_t count;
    double exposed_ms, efficiency;
  };
  for (const Row& row : {Row{0, 1, 22.67, 0.768}, Row{25, 96, 0.444, 0.994}, Row{10, 192, 13.01, 0.852},
                         Row{1, 384, 53.20, 0.585}, Row{100, 26, 0.736, 0.990}, Row{400, 7, 2.667, 0.966}}) {
    BucketSpec buckets;
    if (row.cap_mb == 0)
      buckets.one_bucket = true;
    else
      buckets.cap = megabytes(row.cap_mb);
    const DdpResult d = run(buckets);
    INFO("cap " << row.cap_mb << " MB");
    CHECK(d.buckets.size() == row.count);
    CHECK(in_us(d.last_compute) / 1000 == Approx(75.04).margin(0.005));
    CHECK(in_us(d.last_exposed) / 1000 ==
          Approx(row.exposed_ms).margin(row.exposed_ms < 10 ? 0.0005 : 0.005));
    CHECK(d.efficiency == Approx(row.efficiency).margin(0.0005));
    // Nothing else happens in this step.
    CHECK(d.last_step.ps == (d.last_compute + d.last_exposed).ps);
  }
}

TEST_CASE("buckets filled in registration order wait for the end of backward") {
  BucketSpec buckets;
  buckets.cap = megabytes(25);
  buckets.order = BucketOrder::kRegistration;
  const DdpResult d = run(buckets);
  CHECK(in_us(d.last_exposed) / 1000 == Approx(42.62).margin(0.005));
  CHECK(d.efficiency == Approx(0.638).margin(0.0005));
}
