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
