// What the comments of the scenarios promise, beyond the lecture's figures.
#include <algorithm>
#include <filesystem>

#include "tests/golden/run_scenario.h"
#include "tests/source_dir.h"

using namespace brigade;

TEST_CASE("ResNet-50 is reduced in PyTorch's buckets") {
  const RunResult result = run_scenario("ddp_resnet50_dgx_a100");
  std::vector<int64_t> elements;
  for (const BucketResult& bucket : ddp_of(result, "train").buckets) elements.push_back(bucket.elements);
  // Read off a public trace of two ranks.
  CHECK(elements == std::vector<int64_t>{2049000, 7875584, 6563840, 6637568, 2431040});
}

TEST_CASE("one NIC at a quarter of its bandwidth holds all GPUs up, unless backward is long enough") {
  constexpr const char* kName = "ddp_gpt2xl_slow_nic";
  constexpr const char* kOneStep = "jobs.train.run.steps=1";
  const auto step_ms = [&](const std::string& share, const std::string& samples) {
    const RunResult result =
        run_scenario(kName, {kOneStep, absl::StrCat("changes[0].bandwidth=", share),
                             absl::StrCat("jobs.train.batch.micro=", samples, " samples")});
    return ddp_of(result, "train").step_time.mean_us / 1000;
  };
  CHECK(step_ms("25%", "2") / step_ms("100%", "2") > 1.3);
  CHECK(step_ms("25%", "8") / step_ms("100%", "8") < 1.02);
}

TEST_CASE("a ring of a million GPUs takes 2 (N - 1) messages, to the picosecond, on two of them") {
  const RunResult result = run_scenario("ring_million_gpus");
  constexpr int64_t kRanks = 1 << 20, kBytes = 1 << 30;
  const Duration message = microseconds(10) + Bandwidth::gb_per_s(50).time({kBytes / kRanks});
  CHECK(row_of(result, "ring", "ring", kBytes).last_time == 2 * (kRanks - 1) * message);
  CHECK(result.fold.units == kRanks);
  CHECK(result.counts.messages == 2 * kRanks * (kRanks - 1));
  for (const LinkResult& link : result.links) CHECK(link.bytes.count == 2 * (kBytes - kBytes / kRanks));
}

TEST_CASE("on a torus direct beats the ring, and the butterfly is last") {
  const RunResult result = run_scenario("allreduce_torus64");
  const auto ms = [&](const char* algorithm) {
    return in_us(row_of(result, algorithm, algorithm, 64'000'000).last_time) / 1000;
  };
  // 64 MB x 3 links a message / (6 links of 50 GB/s), there and back; 2 x 63/64 x 64 MB over one link.
  CHECK(ms("direct") >= 1.28);
  CHECK(ms("ring") >= 2.52);
  CHECK(ms("direct") < ms("ring") / 2);
  CHECK(ms("butterfly") > 2 * ms("ring"));
}

TEST_CASE("every scenario and study has its expected output, and none is left over") {
  for (const auto& [folder, least] : {std::pair("/scenarios", 11), std::pair("/scenarios/studies", 4)}) {
    std::vector<std::string> scenarios, expected;
    for (const auto& entry : std::filesystem::directory_iterator(source_dir() + folder)) {
      const std::string name = entry.path().filename().string();
      const auto ends_in = [&](const std::string& suffix) { return name.ends_with(suffix); };
      const std::string stem = name.substr(0, name.find('.'));
      if (ends_in(".yaml")) scenarios.push_back(stem);
      if (ends_in(".expected.txt")) expected.push_back(stem);
    }
    std::sort(scenarios.begin(), scenarios.end());
    std::sort(expected.begin(), expected.end());
    CHECK(scenarios == expected);
    CHECK(static_cast<int>(scenarios.size()) >= least);
  }
}

TEST_CASE("jitter delays a step by the expectation of the largest of N draws, a pause by one step of all") {
  const RunResult result = run_scenario("jitter");
  const auto step_ms = [&](const char* job) { return ddp_of(result, job).step_time.mean_us / 1000; };
  for (const auto& [job, ranks] :
       {std::pair{"g1", 1}, std::pair{"g8", 8}, std::pair{"g64", 64}, std::pair{"g512", 512}}) {
    double largest = 0;
    for (int k = 1; k <= ranks; ++k) largest += 1.0 / k;
    CHECK(step_ms(job) ==
          Approx(27 * (1 + 0.02 * largest)).epsilon(0.006));  // and up to 0.2 ms of all-reduce
  }
  CHECK(ddp_of(result, "g64_pause").step_time.mean_us > ddp_of(result, "g64").step_time.mean_us);
}

TEST_CASE("a packed job is not slowed, spread ones are") {
  const RunResult result = run_scenario("shared_fabric");
  CHECK(job_of(result, "packed").alone->slowdown() == 1);
  for (const char* job : {"spread_a", "spread_b"}) CHECK(job_of(result, job).alone->slowdown() > 1.1);
  CHECK(!job_of(result, "noise").alone);
}

TEST_CASE("a spine that dies costs less than a slow NIC, and nothing that it lost stays lost") {
  const RunResult result = run_scenario("link_fails");
  CHECK(result.counts.segments_lost > 0);
  CHECK(result.counts.messages_resumed > 0);
  const double healthy = ddp_of(result, "healthy").step_time.mean_us;
  CHECK(ddp_of(result, "spine_dies").step_time.mean_us > healthy);
  CHECK(ddp_of(result, "nic_slows").step_time.mean_us > ddp_of(result, "spine_dies").step_time.mean_us);
}

TEST_CASE("groups of a rail each take the time of one") {
  const BucketResult bucket = ddp_of(run_scenario("data_within_model_parallel"), "train").buckets.at(1);
  // A ring of 8 over 50 GB/s, as if it were alone.
  CHECK(in_us(bucket.end - bucket.start) ==
        Approx(14 * (10 + double(bucket.bytes.count) / 8 / 50e3)).epsilon(0.001));
}

TEST_CASE("Horovod fuses what is ready when a cycle begins") {
  const DdpResult d = std::get<DdpResult>(run_scenario("horovod_resnet50").jobs.at(0).result);
  REQUIRE(d.fusion);
  CHECK(d.fusion->tensors == 161);
  CHECK(d.fusion->buffers == Approx(5));
  CHECK(d.buckets.at(0).tensors == 28);
  CHECK(in_us(d.buckets.back().ready) == Approx(33'700).margin(50));
  CHECK(in_us(d.fusion->last_waiting) == Approx(860).margin(5));
  CHECK((d.last_compute + d.last_exposed + d.fusion->last_waiting).ps == d.last_step.ps);
}
