// The lecture's section 2: N workers are one worker with the whole batch, and the mistakes that end that. The
// lecture's figures are orders of magnitude (its data are others): see figures.yaml, equivalence.
#include "tests/catch.h"
#include "tests/oracle/machines.h"
#include "tests/workload/run_jobs.h"

using namespace brigade;

namespace {

TrainingResult train(TrainingJobSpec spec, Rank workers = 4, std::vector<RankChange> changes = {}) {
  const auto topology = oracle::lecture(1, static_cast<int>(workers));
  JobSpec job;
  job.name = "train";
  job.ranks = {"node[0].gpu[*]"};
  job.kind = std::move(spec);
  const RunResult result = run_jobs(*topology, {job}, {}, std::move(changes), {.paranoid = true});
  return std::get<TrainingResult>(result.jobs[0].result);
}

constexpr double kLastBits = 1e-14;

}  // namespace

TEST_CASE("any number of workers, any all-reduce: the single worker's gradient, replicas bit-identical") {
  for (const std::string& algorithm : algorithm_names(Collective::kAllReduce)) {
    for (Rank workers : {1u, 2u, 3u, 4u, 7u, 8u}) {
      TrainingJobSpec spec;
      spec.all_reduce.algorithm = algorithm;
      spec.steps = 50;
      const TrainingResult t = train(spec, workers);
      INFO(algorithm << " on " << workers);
      CHECK(t.gradient_difference <= 2e-15);
      REQUIRE(t.compared.size() == 2);
      for (const auto& c : t.compared) {
        CHECK(c.replicas == 0);
        CHECK(c.single <= kLastBits);
      }
    }
  }
}

TEST_CASE("200 steps of 4 workers") {
  const TrainingResult t = train({});
  CHECK(t.gradient_difference > 0);
  CHECK(t.gradient_difference <= 2e-15);
  CHECK(t.compared.back().step == 200);
  CHECK(t.compared.back().replicas == 0);
  CHECK(t.compared.back().single <= 2e-15);
  CHECK(t.loss < 0.01);
}

TEST_CASE("unlike shards: plain averages are some hundredths off, weighted ones in the last bits") {
  TrainingJobSpec spec;
  spec.shards = {100, 60, 60, 36};
  CHECK(train(spec).gradient_difference <= 2e-15);
  spec.average = Average::kPlain;
  const double plain = train(spec).gradient_difference;
  CHECK(plain > 1e-2);
  CHECK(plain < 2e-1);
  spec.shards = {};  // alike, the two averages are one
  CHECK(train(spec).gradient_difference <= 2e-15);
}

TEST_CASE("without an all-reduce, or with a parameter left out, replicas part and never meet again") {
  TrainingJobSpec forgotten, left_out;
  forgotten.synchronise = false;
  left_out.left_out = "w2";
  for (const TrainingJobSpec& spec : {forgotten, left_out}) {
    const TrainingResult t = train(spec);
    REQUIRE(t.compared.size() == 3);
    for (const auto& c : t.compared) {
      CHECK(c.replicas > 5e-3);
      CHECK(c.replicas < 2e-1);
    }
  }
  for (const char* name : {"w1", "b1", "b2"}) {
    left_out.left_out = name;
    CHECK(train(left_out).compared.back().replicas > 0);
  }
}

TEST_CASE("batch norm differs on local statistics and is cured by those of all workers") {
  TrainingJobSpec spec;
  spec.batch_norm = BatchNorm::kLocal;
  const TrainingResult local = train(spec);
  CHECK(local.gradient_difference > 1e-3);
  CHECK(local.compared.back().single > 1e-3);
  spec.batch_norm = BatchNorm::kSynchronised;
  spec.shards = {100, 60, 60, 36};
  const TrainingResult cured = train(spec);
  CHECK(cured.gradient_difference <= 2e-15);
  CHECK(cured.compared.back().replicas == 0);
  CHECK(cured.compared.back().single <= 1e-13);
}

TEST_CASE("another order of additions, other last bits") {
  TrainingJobSpec spec;
  spec.also_sum_by = {"ring", "tree", "naive"};
  spec.steps = 1;
  const TrainingResult t = train(spec);
  CHECK(t.other_sums[0].elements == 0);  // the same once more
  for (size_t i : {1u, 2u}) {
    CHECK(t.other_sums[i].elements > 0);
    CHECK(t.other_sums[i].difference <= 2e-15);
  }
}

TEST_CASE("hooks compress: fewer bytes, and an error of their kind") {
  TrainingJobSpec spec;
  const TrainingResult exact = train(spec);
  const auto with = [&](CommHook kind) {
    spec.comm_hook.kind = kind;
    return train(spec);
  };
  struct Row {
    CommHook kind;
    double relative_min, relative_max, sent_max;
  };
  // fp16 keeps 11 bits and bf16 8; the others keep what their share of the numbers can hold.
  for (const Row& row : {Row{CommHook::kFp16, 1e-5, 1e-3, 0.25}, Row{CommHook::kBf16, 1e-4, 1e-2, 0.25},
                         Row{CommHook::kTopK, 1e-2, 1, 0.5}, Row{CommHook::kPowerSgd, 1e-2, 1, 0.6}}) {
    const TrainingResult t = with(row.kind);
    INFO(int(row.kind));
    CHECK(t.gradient_relative > row.relative_min);
    CHECK(t.gradient_relative < row.relative_max);
    CHECK(t.sent_per_step.count <= row.sent_max * exact.sent_per_step.count + 8);
    CHECK(t.compared.back().replicas == 0);
    CHECK(t.loss < 0.01);  // and still it trains
  }
  spec.comm_hook.share = 1;  // all elements: exact again
  CHECK(with(CommHook::kTopK).gradient_difference <= 2e-15);
  spec.comm_hook.rank = 64;  // full rank, too
  CHECK(with(CommHook::kPowerSgd).gradient_relative <= 1e-12);
}

TEST_CASE("a late worker changes times and no value") {
  RankChange late;
  late.ranks = "2";
  late.start = milliseconds(3);
  const TrainingResult on_time = train({}), behind = train({}, 4, {late});
  CHECK(behind.loss == on_time.loss);
  CHECK(behind.gradient_difference == on_time.gradient_difference);
  CHECK(behind.step_time.mean_us > on_time.step_time.mean_us);
}

TEST_CASE("what cannot be trained is refused") {
  const auto topology = oracle::lecture(1, 4);
  const auto refused = [&](TrainingJobSpec spec) {
    JobSpec job;
    job.name = "train";
    job.ranks = {"node[0].gpu[*]"};
    job.kind = std::move(spec);
    Diagnostics errors;
    CHECK(Run::prepare({.topology = *topology, .network = {}, .seed = 1, .jobs = {job}, .changes = {}},
                       errors) == nullptr);
    return errors.text();
  };
  const auto holds = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  TrainingJobSpec spec;
  spec.shards = {100, 60, 96};
  holds(refused(spec), "3 shards for 4 workers");
  spec.shards = {100, 60, 60, 35};
  holds(refused(spec), "shards of 255 samples together; the batch has 256");
  spec.shards = {};
  spec.samples = 3;
  holds(refused(spec), "3 samples for 4 workers");
  spec.samples = 256;
  spec.left_out = "w3";
  holds(refused(spec), "unknown parameter \"w3\"; allowed: w1, b1, w2, b2");
}
