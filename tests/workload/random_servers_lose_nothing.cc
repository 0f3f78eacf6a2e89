// Random parameter server jobs: every byte that is pushed is pulled again, links carry what the job counts,
// the bound holds, and neither the order of creation nor a second run changes a bit.
#include "sim/base/random.h"
#include "tests/workload/server_jobs.h"

using namespace brigade;

namespace {

ParameterServerJobSpec random_job(Random& random, int servers) {
  ParameterServerJobSpec job = server_job(1, static_cast<ServerMode>(random.below(3)));
  job.work.model = {};
  const auto layers = random.between(1, 6);
  for (int64_t i = 0; i < layers; ++i) {
    LayerSpec layer;
    layer.name = "l" + std::to_string(i);
    for (int64_t t = 0; t < random.between(0, 3) + (i == 0); ++t) {
      TensorSpec tensor;
      tensor.name = "t" + std::to_string(t);
      tensor.elements = random.between(1, 300'000);
      layer.parameters.push_back(tensor);
    }
    layer.forward = nanoseconds(random.between(0, 50'000));
    layer.backward = nanoseconds(random.between(0, 90'000));
    job.work.model.layers.push_back(layer);
  }
  job.work.precision.gradients = random.below(2) == 0 ? DType::kBf16 : DType::kFp32;
  if (random.below(2) == 0) job.shards = static_cast<int>(random.between(1, 3 * servers));
  if (random.below(2) == 0) job.shard_by = ShardBy::kTensors;
  if (random.below(2) == 0) job.update_rate = Bandwidth::gb_per_s(random.between(1, 100));
  if (random.below(2) == 0) job.transfer = Transfer::kLayers;
  if (job.transfer == Transfer::kLayers) job.priorities = random.below(2) == 0;
  if (random.below(3) == 0) job.servers = {"gpu[*]"};
  job.staleness_bound = static_cast<int>(random.below(4));
  job.run = {.steps = static_cast<int>(random.between(1, 4)), .warmup = static_cast<int>(random.below(2))};
  return job;
}

}  // namespace

TEST_CASE("random parameter servers conserve bytes and keep their bound") {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    INFO("seed " << seed);
    const int workers = static_cast<int>(random.between(1, 9)),
              servers = static_cast<int>(random.between(1, 4));
    const auto topology = server_star(workers, servers);
    const ParameterServerJobSpec job = random_job(random, servers);
    NetworkSpec network;
    network.segment = {random.between(10'000, 400'000)};
    if (random.below(4) == 0) network.overhead = nanoseconds(random.between(1, 2000));
    if (random.below(4) == 0) network.window = random.between(1, 4);
    const std::vector<RankChange> changes{change("0", 0.5, microseconds(random.between(0, 100)))};
    const std::vector<JobSpec> jobs{job_on("gpu[*]", job)};
    const RunResult run =
        run_jobs(*topology, jobs, network, changes, {.hash_events = true, .paranoid = true});
    const RunResult again =
        run_jobs(*topology, jobs, network, changes, {.hash_events = true, .shuffle = true});
    CHECK(run.counts.event_hash == again.counts.event_hash);
    CHECK(run.end == again.end);

    const ParameterServerResult r = server_result(run);
    const int64_t steps = job.run.warmup + job.run.steps + (job.transfer == Transfer::kLayers);
    const bool apart = job.servers.front() == "host[*]";
    int64_t received = 0, sent = 0;
    for (const auto& server : r.servers) {
      received += server.received.count;
      sent += server.sent.count;
    }
    CHECK(received == sent);
    if (apart) CHECK(received == r.gradient.count * steps * workers);
    int64_t on_links = 0;
    for (const LinkResult& link : run.links) on_links += link.bytes.count;
    CHECK(on_links == 2 * (received + sent));  // up to the switch and down again
    CHECK(run.counts.messages == 2 * r.messages_per_push * steps * workers);
    CHECK(r.updates == job.run.steps * workers);
    if (job.mode == ServerMode::kBounded) CHECK(r.lead_max <= job.staleness_bound);
    if (job.mode == ServerMode::kSynchronous) CHECK(r.lead_max == 0);
  }
}
