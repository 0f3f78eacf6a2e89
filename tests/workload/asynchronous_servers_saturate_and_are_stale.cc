// Asynchronous and bounded parameter servers: throughput, staleness, and what a bound does. Figures: 32
// workers, 4 shards, 1 GB, no compute: synchronous 100 worker updates a second, asynchronous k B / M = 200. A
// worker that pulls after its own push is N - 1 updates stale on average, whatever the speeds: between two of
// its pulls lie its own update and those of the others.
#include "sim/base/random.h"
#include "tests/workload/server_jobs.h"

using namespace brigade;

namespace {

NetworkSpec segments(int64_t bytes) {
  NetworkSpec network;
  network.segment = {bytes};
  return network;
}

// Workers that compute 1 ms, each at a speed of its own.
std::vector<RankChange> speeds(Random& random, int workers) {
  std::vector<RankChange> changes;
  for (int w = 0; w < workers; ++w)
    changes.push_back(change(std::to_string(w), 0.1 + 0.01 * static_cast<double>(random.below(91))));
  return changes;
}

ParameterServerJobSpec computing(int64_t bytes, ServerMode mode) {
  ParameterServerJobSpec job = server_job(bytes, mode);
  job.work.model.forward = microseconds(300);
  job.work.model.backward = microseconds(700);
  return job;
}

}  // namespace

TEST_CASE("synchronous 100 updates a second, asynchronous 200") {
  const auto topology = server_star(32, 4);
  ParameterServerJobSpec job = server_job(1'000'000'000);
  CHECK(run_server(*topology, job, segments(1'000'000)).updates_per_s == Approx(100).epsilon(1e-4));
  // Who has been served first begins the next step while the others are still being served.
  job.run.steps = 3;
  const double several = run_server(*topology, job, segments(1'000'000)).updates_per_s;
  CHECK(several >= 100 * (1 - 1e-4));
  CHECK(several < 101);
  job.mode = ServerMode::kAsynchronous;
  job.run = {.steps = 1, .warmup = 2};
  job.until_updates = 1600;
  CHECK(run_server(*topology, job, segments(31'250'000)).updates_per_s == Approx(200).epsilon(0.01));
}

TEST_CASE("asynchronous saturates at k B / M whatever N and M are, if there are enough workers") {
  struct Row {
    int workers, shards;
    int64_t bytes;
  };
  for (const Row& row : {Row{7, 1, 10'000'019}, Row{33, 3, 3'000'000}, Row{12, 5, 4'444'444}}) {
    INFO(row.workers << " workers, " << row.shards << " shards, " << row.bytes << " B");
    const auto topology = server_star(row.workers, row.shards);
    ParameterServerJobSpec job = server_job(row.bytes, ServerMode::kAsynchronous);
    job.run.warmup = 2;
    job.until_updates = 100 * row.workers;
    const double limit = row.shards * 50e9 / static_cast<double>(row.bytes);
    const double rate = run_server(*topology, job, segments(row.bytes / row.shards / 4)).updates_per_s;
    CHECK(rate > 0.97 * limit);
    CHECK(rate < 1.01 * limit);
  }
  // One worker alone pushes and pulls in turn.
  const auto topology = server_star(1, 1);
  ParameterServerJobSpec job = server_job(50'000'000, ServerMode::kAsynchronous);
  job.run.steps = 4;
  CHECK(run_server(*topology, job).last_step == 2 * kServerRate.time({50'000'000}) + 2 * kThere);
}

TEST_CASE("the mean staleness tends to N - 1, whatever the speeds") {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    const int workers = static_cast<int>(random.between(1, 12)),
              servers = static_cast<int>(random.between(1, 3));
    INFO("seed " << seed << ": " << workers << " workers, " << servers << " servers");
    const auto topology = server_star(workers, servers);
    ParameterServerJobSpec job = computing(random.between(1000, 3'000'000), ServerMode::kAsynchronous);
    if (random.below(2) == 0) job.transfer = Transfer::kLayers;
    job.until_updates = 400 * workers;
    const ParameterServerResult r = run_server(*topology, job, segments(500'000), speeds(random, workers));
    REQUIRE(r.staleness.has_value());
    CHECK(r.staleness->mean == Approx(workers - 1).epsilon(0.03).margin(1e-9));
    int64_t counted = 0;
    for (const auto& [staleness, count] : r.staleness->counts) {
      CHECK(staleness >= 0);
      counted += count;
    }
    CHECK(counted >= *job.until_updates * r.messages_per_push);
    CHECK(r.staleness->p50 <= r.staleness->p99);
    CHECK(r.staleness->p99 <= r.staleness->max);
  }
}

TEST_CASE("a bound of 0 is synchronous, no bound asynchronous, and no worker is further ahead") {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    Random random(seed);
    const int workers = static_cast<int>(random.between(2, 9)),
              servers = static_cast<int>(random.between(1, 4));
    INFO("seed " << seed << ": " << workers << " workers, " << servers << " servers");
    const auto topology = server_star(workers, servers);
    const std::vector<RankChange> changes = speeds(random, workers);
    ParameterServerJobSpec job = computing(random.between(1000, 2'000'000), ServerMode::kSynchronous);
    if (random.below(2) == 0) job.transfer = Transfer::kLayers;
    job.run.steps = 20;
    const auto run = [&](ServerMode mode, int bound) {
      job.mode = mode;
      job.staleness_bound = bound;
      return run_server(*topology, job, segments(500'000), changes);
    };
    const auto same = [](const ParameterServerResult& a, const ParameterServerResult& b) {
      CHECK(a.step_time.mean_us == b.step_time.mean_us);
      CHECK(a.step_time.p99_us == b.step_time.p99_us);
      CHECK(a.window == b.window);
      CHECK(a.last_step == b.last_step);
    };
    same(run(ServerMode::kBounded, 0), run(ServerMode::kSynchronous, 0));
    same(run(ServerMode::kBounded, 1000), run(ServerMode::kAsynchronous, 0));
    double before = 0;
    for (const int bound : {0, 1, 2, 5}) {
      const ParameterServerResult r = run(ServerMode::kBounded, bound);
      INFO("bound " << bound);
      CHECK(r.lead_max <= bound);
      CHECK(r.step_time.mean_us > 0);
      before = r.step_time.mean_us;
    }
    CHECK(before > 0);
  }
}

TEST_CASE("a slow worker holds the others back as far as the bound says") {
  const auto topology = server_star(4, 1);
  ParameterServerJobSpec job = computing(1000, ServerMode::kBounded);
  job.run.steps = 60;
  for (const int bound : {0, 1, 3, 10}) {
    job.staleness_bound = bound;
    const ParameterServerResult r = run_server(*topology, job, {}, {change("3", 0.25)});
    CHECK(r.lead_max == bound);
  }
  job.mode = ServerMode::kAsynchronous;
  CHECK(run_server(*topology, job, {}, {change("3", 0.25)}).lead_max > 30);
}

TEST_CASE("a run lasts until so many updates, or for so long") {
  const auto topology = server_star(3, 1);
  // A step alone: 1 ms of compute, 1 ms of push, 1 ms of pull, and the latencies.
  ParameterServerJobSpec job = computing(50'000'000, ServerMode::kAsynchronous);
  job.until_updates = 10;
  ParameterServerResult r = run_server(*topology, job);
  CHECK(r.updates == 10);
  const Duration needed = r.window;
  job.until_updates = {};
  job.until_time = needed + nanoseconds(1);
  r = run_server(*topology, job);
  CHECK(r.updates == 10);
  CHECK(r.window == needed + nanoseconds(1));
  job.until_time = needed - nanoseconds(1);
  CHECK(run_server(*topology, job).updates == 9);
  job.until_time = nanoseconds(10);
  r = run_server(*topology, job);
  CHECK(r.updates == 0);
  CHECK(r.updates_per_s == 0);
}
