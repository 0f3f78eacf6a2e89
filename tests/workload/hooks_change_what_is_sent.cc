// Communication hooks of ddp: what goes over the wire, what coding costs at memory rate, and when. The small
// job's device moves a byte a ps; buckets of 1,000 fp32 elements are ready at 50, 70, 90 us (small_jobs.h).
#include "sim/workload/comm_hook.h"
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

// Three matrices of 100 x 40 fp32, each a bucket, in layers of 10 us forward and 20 us backward.
Model matrices() {
  Model model;
  for (int i = 0; i < 3; ++i) model.parameters.push_back({.name = "w", .shape = {100, 40}, .elements = 4000});
  return model;
}

Bucket bucket_of(std::vector<TensorIndex> tensors, int64_t elements) {
  return {
      .tensors = std::move(tensors), .elements = elements, .bytes = {4 * elements}, .dtype = DType::kFp32};
}

DdpResult run_with(CommHookSpec hook, DdpJobSpec ddp = small_ddp(), size_t gpus = 2) {
  ddp.comm_hook = hook;
  return run_ddp(*small_cluster(gpus), ddp);
}

DdpJobSpec gpt(int steps) {
  DdpJobSpec ddp;
  ddp.model.name = "gpt2";
  ddp.model.sequence_tokens = 8;
  ddp.optimizer = OptimizerKind::kNone;
  ddp.buckets.rule = BucketRule::kFixed;
  ddp.buckets.cap = megabytes(50);
  ddp.run.steps = steps;
  return ddp;
}

}  // namespace

TEST_CASE("casts halve what is sent; the passes before and after it are memory traffic") {
  for (const CommHook kind : {CommHook::kFp16, CommHook::kBf16}) {
    const DdpResult d = run_with({.kind = kind});
    // 6,000 bytes are moved to code a bucket: 6 ns, three times in backward; and once more to decode the
    // last, and the two before, after backward. On the wire 2 (1 us + 1 us).
    CHECK(d.buckets[0].exchanged == Bytes{2000});
    CHECK(d.buckets[0].ready == nanoseconds(50'006));
    CHECK(d.buckets[1].ready == nanoseconds(70'012));
    CHECK(d.buckets[2].end == nanoseconds(90'018 + 4'000));
    CHECK(*d.coding == nanoseconds(36));
    // Two buckets are decoded while the last one is under way.
    CHECK(d.last_step == nanoseconds(94'018 + 6));
  }
  DdpJobSpec half = small_ddp();
  half.precision.parameters = half.precision.gradients = DType::kBf16;
  CHECK(run_with({.kind = CommHook::kFp16}, half).last_step == run_with({}, half).last_step);
}

TEST_CASE("top k gathers values and places of every rank") {
  // 1 % of 1,000: 10 elements of 8 bytes a rank. A ring all-gather of 2: one round of 1 us + 80 ns.
  const DdpResult d = run_with({.kind = CommHook::kTopK, .share = 0.01});
  CHECK(d.buckets[0].exchanged == Bytes{160});
  CHECK(d.buckets[0].end - d.buckets[0].start == nanoseconds(1'080));
  // Coding reads the gradient and reads and writes the error (12,000 bytes), and writes 80.
  CHECK(d.buckets[0].ready == picoseconds(50'000'000 + 12'080));
  const HookedBucket all =
      hook_bucket({.kind = CommHook::kTopK, .share = 1}, matrices(), bucket_of({0}, 4000), 3);
  CHECK(all.exchanges.at(0).elements == 3 * 4000 * 8);
}

TEST_CASE("PowerSGD sends P and what has one dimension, then Q") {
  Model model = matrices();
  model.parameters.push_back({.name = "b", .shape = {40}, .elements = 40});
  const CommHookSpec hook{.kind = CommHook::kPowerSgd, .share = 0.1, .rank = 2};
  const HookedBucket coded = hook_bucket(hook, model, bucket_of({0, 1, 3}, 8040), 8);
  REQUIRE(coded.exchanges.size() == 2);
  CHECK(coded.exchanges[0].elements == 2 * 100 * 2 + 40);
  CHECK(coded.exchanges[1].elements == 2 * 40 * 2);
  CHECK(coded.encode.count == 4 * (4 * 8000 + 400));
  CHECK(coded.between.count == 4 * (8000 + 2 * 400 + 160));
  CHECK(coded.decode.count == 4 * (3 * 8000 + 400 + 160));
  // PyTorch compresses what becomes less than half: (100 + 40) r 2 < 4000, so r up to 14.
  const auto exchanges = [&](int rank) {
    return hook_bucket({.kind = CommHook::kPowerSgd, .share = 0.1, .rank = rank}, model, bucket_of({0}, 4000),
                       8)
        .exchanges.size();
  };
  CHECK(exchanges(14) == 2);
  CHECK(exchanges(15) == 1);
}

TEST_CASE("PowerSGD's exchanges follow each other, and start after the steps that are not compressed") {
  const auto topology = small_cluster(3);
  DdpJobSpec ddp = gpt(3);
  ddp.comm_hook = {.kind = CommHook::kPowerSgd, .share = 0.1, .rank = 4};
  const DdpResult d = run_ddp(*topology, ddp);
  for (size_t i = 1; i < d.buckets.size(); ++i) CHECK(d.buckets[i].start >= d.buckets[i - 1].end);
  Bytes all{}, sent{};
  for (const BucketResult& b : d.buckets) {
    all += b.bytes;
    sent += b.exchanged;
  }
  CHECK(all.count == 4 * d.parameters);
  CHECK(sent.count < all.count / 20);
  CHECK(d.coding->ps > 0);

  ddp.run.steps = 2;
  const Duration compressed = run_ddp(*topology, ddp).last_step;
  ddp.comm_hook.start_step = 1;  // the first of two
  const DdpResult late = run_ddp(*topology, ddp);
  CHECK(late.last_step == compressed);
  CHECK(late.step_time.p99_us > 5 * late.step_time.p50_us);
  ddp.comm_hook.start_step = 2;
  CHECK(run_ddp(*topology, ddp).last_step == run_with({}, gpt(2), 3).last_step);
}

TEST_CASE("local SGD sends nothing but the parameters after every k-th step") {
  DdpJobSpec ddp = small_ddp();
  ddp.run.steps = 6;
  const DdpResult d =
      run_with({.kind = CommHook::kLocalSgd, .share = 0.1, .rank = 1, .start_step = 0, .every = 3}, ddp);
  // 90 us of compute; every third step 12,000 bytes in a ring of 2 (2 x 7 us) and a pass over 24,000 (24 ns).
  CHECK(d.step_time.p50_us == Approx(90));
  CHECK(d.step_time.p99_us == Approx(90 + 14 + 0.024));
  CHECK(d.step_time.mean_us == Approx(90 + (14 + 0.024) / 3));
  CHECK(d.buckets.empty());
  JobSpec job = job_on("gpu[*]", ddp);
  std::get<DdpJobSpec>(job.kind).comm_hook = {.kind = CommHook::kLocalSgd};
  const RunResult run = run_jobs(*small_cluster(2), {job});
  for (const LinkResult& link : run.links) CHECK(link.bytes == Bytes{12'000});  // in step 4 of 6
}

TEST_CASE("hooks that have nothing to do, or do not go together with something, are refused") {
  const auto topology = small_cluster(2);
  DdpJobSpec ddp = small_ddp();
  ddp.comm_hook.kind = CommHook::kPowerSgd;
  CHECK(holds(refusal_of(*topology, {job_on("gpu[*]", ddp)}), "makes no tensor smaller"));
  DdpJobSpec streams = gpt(1);
  streams.comm_hook.kind = CommHook::kPowerSgd;
  streams.comm_streams = 2;
  CHECK(
      holds(refusal_of(*topology, {job_on("gpu[*]", streams)}), "allowed: comm_streams 1, or another hook"));
}
