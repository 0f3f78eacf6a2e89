// What crosses the links in a step, in the size of all parameters (psi): 2 for DDP and ZeRO's stages 1 and 2,
// 3 for stage 3 (Rajbhandari et al., SC 2020, section 7); over k micro-batches 2, 2, k + 1, 3 k. And to the
// byte where shares are padded.
#include "sim/workload/shard_units.h"
#include "tests/workload/sharded_jobs.h"

using namespace brigade;

namespace {

// Divides by 3, 7 and 64.
constexpr int64_t kWhole = 1344;

double volume_in_psi(const Topology& topology, const RunResult& run, int64_t psi, Rank n) {
  return double(sent_by_all(topology, run)) / (double(n - 1) * double(psi) * 4);
}

int64_t up(int64_t elements, Rank n) { return (elements + n - 1) / n * n; }

}  // namespace

TEST_CASE("stages 0 to 3 send 2, 2, 2 and 3 psi") {
  const auto [stage, volume] = GENERATE(table<int, double>({{0, 2}, {1, 2}, {2, 2}, {3, 3}}));
  for (const Rank n : {2, 3, 7, 64}) {
    INFO("stage " << stage << ", " << n << " ranks");
    const auto topology = small_cluster(size_t{n});
    const RunResult run =
        run_jobs(*topology, {job_on("gpu[*]", zero_job(stage, {kWhole, 2 * kWhole, kWhole}))});
    CHECK(volume_in_psi(*topology, run, 4 * kWhole, n) == volume);
    CHECK(*sharded_result(run).volume_psi == Approx(volume).epsilon(1e-12));
  }
}

TEST_CASE("over k micro-batches the stages send 2, 2, k + 1 and 3 k psi") {
  const auto topology = small_cluster(3);
  for (int k = 1; k <= 4; ++k)
    for (int stage = 0; stage <= 3; ++stage) {
      INFO("stage " << stage << ", " << k << " micro-batches");
      ShardedJobSpec job = zero_job(stage, {kWhole, kWhole});
      job.work.accumulate = k;
      job.work.run.steps = 2;
      const RunResult run = run_jobs(*topology, {job_on("gpu[*]", job)});
      const int expected[] = {2, 2, k + 1, 3 * k};
      CHECK(volume_in_psi(*topology, run, 2 * kWhole, 3) == 2 * expected[stage]);
      CHECK(*sharded_result(run).volume_psi == Approx(expected[stage]));
    }
}

TEST_CASE("FSDP sends 3 psi, 2 where it does not reshard after forward") {
  const auto [reshard, volume] =
      GENERATE(table<Reshard, double>({{Reshard::kAuto, 3}, {Reshard::kAlways, 3}, {Reshard::kNever, 2}}));
  for (const int k : {1, 3}) {
    const auto topology = small_cluster(7);
    ShardedJobSpec job = fsdp_job({kWhole, kWhole, kWhole});
    job.reshard_after_forward = reshard;
    job.work.accumulate = k;
    const RunResult run = run_jobs(*topology, {job_on("gpu[*]", job)});
    CHECK(volume_in_psi(*topology, run, 3 * kWhole, 7) == volume * k);
  }
}

TEST_CASE("Megatron's distributed optimizer sends 2 psi, with and without overlap") {
  for (const bool overlap : {false, true}) {
    const Rank n = 4;
    const auto topology = small_cluster(size_t{n});
    ShardedJobSpec job = zero_job(1, {1280, 1280, 2560});
    job.preset = ShardPreset::kMegatron;
    job.overlap = overlap;
    job.reduce_bucket = 2000;  // buckets of 2560 and 2560
    const RunResult run = run_jobs(*topology, {job_on("gpu[*]", job)});
    CHECK(volume_in_psi(*topology, run, 5120, n) == 2);
    CHECK(sharded_result(run).calls.size() == 4);
  }
}

TEST_CASE("padded shares are counted to the byte") {
  const std::vector<int64_t> layers = {1000, 1, 131, 4097};
  const int64_t psi = 5229;
  for (const Rank n : {3, 7, 64}) {
    INFO(n << " ranks");
    const auto topology = small_cluster(size_t{n});
    const auto sent = [&](ShardedJobSpec job) {
      job.reduce_bucket = 1200;  // backward hands over 4097; 131, 1, 1000
      return sent_by_all(*topology, run_jobs(*topology, {job_on("gpu[*]", job)}));
    };
    int64_t each = 0;
    for (const int64_t layer : layers) each += up(layer, n);
    const int64_t pass = 4 * int64_t{n - 1};
    CHECK(sent(zero_job(0, layers)) == pass * 2 * psi);
    CHECK(sent(zero_job(1, layers)) == pass * (up(4097, n) + up(1132, n) + up(psi, n)));
    CHECK(sent(zero_job(2, layers)) == pass * (up(4097, n) + up(1132, n) + up(psi, n)));
    CHECK(sent(zero_job(3, layers)) == pass * 3 * each);
    CHECK(sent(fsdp_job(layers)) == pass * 3 * each);
  }
}

TEST_CASE("FSDP pads tensors by rows") {
  ParameterTensor table;
  table.shape = {50257, 768};
  table.elements = 50257 * 768;
  CHECK(padded_rows(table, 64) == 786 * 64 * 768);
  CHECK(padded_rows(table, 1) == table.elements);
  // The run: 148 tensors of GPT-2, in a root and 12 blocks; the root is gathered once.
  for (const Rank n : {3, 7}) {
    const auto topology = small_cluster(size_t{n});
    ShardedJobSpec job = fsdp_job({});
    job.work.model.name = "gpt2";
    job.work.model.sequence_tokens = 1;
    job.activations = ActivationCount::kFlash;
    const auto rows = [&](int64_t first, int64_t rest) { return up(first, n) * rest; };
    const int64_t h = 768;
    const int64_t root = rows(50257, h) + rows(1024, h) + 2 * rows(h, 1);
    const int64_t block = 4 * rows(h, 1) + rows(h, 3 * h) + rows(3 * h, 1) + rows(h, h) + rows(h, 1) +
                          rows(h, 4 * h) + rows(4 * h, 1) + rows(4 * h, h) + rows(h, 1);
    CHECK(sent_by_all(*topology, run_jobs(*topology, {job_on("gpu[*]", job)})) ==
          4 * int64_t{n - 1} * (2 * root + 12 * 3 * block));
  }
}

TEST_CASE("DeepSpeed keeps what is used again soon, and small parameters") {
  const auto topology = small_cluster(2);
  const auto volume = [&](ShardedJobSpec job) {
    return volume_in_psi(*topology, run_jobs(*topology, {job_on("gpu[*]", job)}), 4000, 2);
  };
  ShardedJobSpec job = zero_job(3, {1000, 1000, 1000, 1000});
  CHECK(volume(job) == 3);
  // From its forward to its backward layer 3 passes nothing, layer 2 two layers, layer 1 four.
  job.max_reuse_distance = 1;
  CHECK(volume(job) == 2.75);
  job.max_reuse_distance = 2001;
  CHECK(volume(job) == 2.5);
  job.max_reuse_distance = 1'000'000;
  CHECK(volume(job) == 2);
  // Renewed once a step after the optimizer instead of gathered twice.
  job.max_reuse_distance = 0;
  job.persistence_threshold = 999;
  CHECK(volume(job) == 3);
  job.persistence_threshold = 1000;
  CHECK(volume(job) == 2);
}

TEST_CASE("DeepSpeed's prefetch stops at the live parameters, and keeps what it has gone by") {
  const auto topology = small_cluster(2);
  ShardedJobSpec job = zero_job(3, {1000, 1000, 1000, 1000});
  job.prefetch = 1000;
  job.max_live_parameters = 2000;
  const RunResult run = run_jobs(*topology, {job_on("gpu[*]", job)});
  // Forward gathers all four, each beside the one before it; layer 3 stays, and backward gathers three.
  CHECK(volume_in_psi(*topology, run, 4000, 2) == 2.75);
  const ShardedResult r = sharded_result(run);
  // g = 3 us: the first gather, 4 x 10 and 4 x 20 us of compute, and the one bucket of gradients: 1 us and 8
  // us.
  CHECK(r.step.last_step == microseconds(3 + 40 + 80 + 9));
  // Without limits everything is gathered once.
  job.prefetch = job.max_live_parameters = 1'000'000;
  CHECK(volume_in_psi(*topology, run_jobs(*topology, {job_on("gpu[*]", job)}), 4000, 2) == 2);
}
