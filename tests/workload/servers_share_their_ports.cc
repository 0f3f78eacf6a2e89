// Synchronous parameter servers: nothing divides a bandwidth, and yet N workers take N times as long, k
// shards divide by k, and where every worker serves it is a reduce-scatter and an all-gather. The figures are
// the lecture's (section 3: 1 GB, 50 GB/s), latency added; other N, k and sizes by the same formulas.
#include "tests/workload/server_jobs.h"

using namespace brigade;

namespace {

// Push everything, then pull everything: each twice over two cables of latency.
constexpr Duration kLatencies = 2 * kThere;

NetworkSpec large_segments() {
  NetworkSpec network;
  network.segment_rule = SegmentRule::kAuto;
  return network;
}

int64_t carried(const RunResult& run, const Topology& topology, const std::string& link) {
  int64_t bytes = 0;
  for (const LinkResult& l : run.links)
    if (topology.link_name(l.link) == link) bytes += l.bytes.count;
  return bytes;
}

}  // namespace

TEST_CASE("one server takes 2 N M / B") {
  struct Row {
    int workers;
    int64_t bytes;
    double ms;  // of the lecture, 0: none
  };
  const Row rows[] = {{8, 1'000'000'000, 320},
                      {256, 1'000'000'000, 10240},
                      {1, 1'000'000'000, 0},
                      {3, 999'999'937, 0},
                      {7, 50'000'017, 0},
                      {33, 1'000'003, 0},
                      {33, 1, 0}};
  for (const Row& row : rows) {
    INFO(row.workers << " workers, " << row.bytes << " B");
    const auto topology = server_star(row.workers, 1);
    const ParameterServerResult r = run_server(*topology, server_job(row.bytes), large_segments());
    CHECK(r.last_step == 2 * row.workers * kServerRate.time({row.bytes}) + kLatencies);
    if (row.ms > 0) CHECK(in_us(r.last_step - kLatencies) == Approx(row.ms * 1000).epsilon(1e-12));
    CHECK(r.updates == row.workers);
    CHECK(r.updates_per_s == Approx(row.workers / in_s(r.last_step)));
  }
}

TEST_CASE("a server's NIC carries N M each way, a worker's M") {
  for (const int n : {1, 3, 8}) {
    const int64_t m = 10'000'019;
    const auto topology = server_star(n, 1);
    const RunResult run = run_jobs(*topology, {job_on("gpu[*]", server_job(m))});
    CHECK(carried(run, *topology, "switch[0] -> host[0]") == n * m);
    CHECK(carried(run, *topology, "host[0] -> switch[0]") == n * m);
    CHECK(carried(run, *topology, "gpu[0] -> switch[0]") == m);
    CHECK(carried(run, *topology, "switch[0] -> gpu[0]") == m);
    const ParameterServerResult r = server_result(run);
    REQUIRE(r.servers.size() == 1);
    CHECK(r.servers[0].received.count == n * m);
    CHECK(r.servers[0].sent.count == n * m);
    CHECK(r.worker_sent_max.count == m);
    CHECK(r.worker_received_max.count == m);
  }
}

TEST_CASE("k shards divide by k") {
  struct Row {
    int workers, shards;
    int64_t bytes;
    double ms;
  };
  const Row rows[] = {{256, 4, 1'000'000'000, 2560}, {8, 2, 1'000'000'000, 160}, {3, 3, 12'000'000, 0},
                      {7, 3, 30'000'000, 0},         {33, 8, 8'000'000, 0},      {7, 4, 10'000'019, 0},
                      {33, 3, 1'000'000, 0},         {9, 7, 3'333'333, 0}};
  for (const Row& row : rows) {
    INFO(row.workers << " workers, " << row.shards << " shards, " << row.bytes << " B");
    const auto topology = server_star(row.workers, row.shards);
    const ParameterServerResult r = run_server(*topology, server_job(row.bytes), large_segments());
    const int64_t shard = (row.bytes + row.shards - 1) / row.shards;
    CHECK(r.largest_shard.count == shard);
    const Duration way = row.workers * kServerRate.time({shard});
    // Shards that do not divide differ by a byte, 20 ps, which may push others back as often as they meet.
    const auto slack_ps = row.bytes % row.shards == 0 ? 0.0 : 20.0 * 2 * row.shards * row.workers;
    CHECK(static_cast<double>(r.last_step.ps) ==
          Approx(static_cast<double>((2 * way + kLatencies).ps)).margin(slack_ps + 0.5));
    if (row.ms > 0) CHECK(in_us(r.last_step - kLatencies) == Approx(row.ms * 1000).epsilon(1e-12));
  }
}

TEST_CASE("fewer workers than shards are limited by their own NICs, and pull what is done while they push") {
  // One worker: the pull of a shard runs beside the push of the next.
  for (const int shards : {1, 5, 8}) {
    const auto topology = server_star(1, shards);
    const ParameterServerResult r = run_server(*topology, server_job(1'000'000 * shards));
    CHECK(r.last_step == (shards + 1) * kServerRate.time({1'000'000}) + kLatencies);
  }
  for (const auto& [workers, shards] : {std::pair{2, 7}, {3, 4}, {5, 33}}) {
    const auto topology = server_star(workers, shards);
    const Duration once = kServerRate.time({3'333'333});
    const Duration step = run_server(*topology, server_job(3'333'333)).last_step;
    CHECK(step >= once + kLatencies);
    CHECK(step <= 2 * once + kLatencies);
  }
}

TEST_CASE("shards may share a server, and then do not divide") {
  const auto topology = server_star(4, 2);
  ParameterServerJobSpec job = server_job(40'000'000);
  const ParameterServerResult one_each = run_server(*topology, job);
  job.shards = 8;
  const ParameterServerResult r = run_server(*topology, job);
  CHECK(r.messages_per_push == 8);
  CHECK(r.servers[1].received == one_each.servers[1].received);
  // Each way a server's port has as much to carry; what is done early is pulled beside the other pushes.
  CHECK(r.last_step <= one_each.last_step);
  CHECK(r.last_step >= 4 * kServerRate.time({20'000'000}) + kLatencies);
}

TEST_CASE("every worker also serves: 2 (N-1)/N M/B, and as much on each NIC") {
  for (const auto& [n, bytes] : {std::pair<int, int64_t>{8, 1'000'000'000},
                                 {1, 1'000'000},
                                 {3, 3'000'000},
                                 {7, 700'000'007},
                                 {33, 33'000'000},
                                 {8, 1'000'001}}) {
    INFO(n << " workers, " << bytes << " B");
    const auto topology = server_star(n, 1);
    ParameterServerJobSpec job = server_job(bytes);
    job.servers = {"gpu[*]"};
    const RunResult run = run_jobs(*topology, {job_on("gpu[*]", job)}, large_segments());
    const ParameterServerResult r = server_result(run);
    const int64_t shard = (bytes + n - 1) / n;
    const Duration expected = n == 1 ? Duration{} : 2 * (n - 1) * kServerRate.time({shard}) + kLatencies;
    const auto slack_ps = bytes % n == 0 ? 0.0 : 20.0 * 2 * n * n;
    CHECK(static_cast<double>(r.last_step.ps) ==
          Approx(static_cast<double>(expected.ps)).margin(slack_ps + 0.5));
    if (n == 8 && bytes == 1'000'000'000)
      CHECK(in_us(r.last_step - kLatencies) == Approx(35'000).epsilon(1e-12));
    if (bytes % n == 0) {
      CHECK(carried(run, *topology, "gpu[0] -> switch[0]") == 2 * (n - 1) * shard);
      CHECK(carried(run, *topology, "switch[0] -> gpu[0]") == 2 * (n - 1) * shard);
    }
  }
}

TEST_CASE("whole tensors go to the shard with the fewest bytes") {
  const auto topology = server_star(2, 3);
  ParameterServerJobSpec job = server_job(1);
  job.work.model.tensors.clear();
  for (const int64_t elements : {500, 300, 200, 250, 40}) {
    TensorSpec tensor;
    tensor.name = "t" + std::to_string(elements);
    tensor.elements = elements;
    job.work.model.tensors.push_back(tensor);
  }
  job.shard_by = ShardBy::kTensors;
  const ParameterServerResult r = run_server(*topology, job);
  // 500; 300 + 40; 200 + 250.
  CHECK(r.largest_shard.count == 500);
  CHECK(r.servers[0].received.count == 2 * 500);
  CHECK(r.servers[1].received.count == 2 * 340);
  CHECK(r.servers[2].received.count == 2 * 450);
}

TEST_CASE("a server takes gradients in at its rate, one after the other") {
  NetworkSpec whole;
  whole.segment_rule = SegmentRule::kWhole;
  for (const int n : {1, 3, 7}) {
    const auto topology = server_star(n, 1);
    ParameterServerJobSpec job = server_job(5'000'000);
    job.update_rate = Bandwidth::gb_per_s(20);
    // Gradients come in every 100 us and are done in 250: the first waits for nobody, the others queue.
    const ParameterServerResult r = run_server(*topology, job, whole);
    CHECK(r.last_step == microseconds(100) + n * microseconds(250) + n * microseconds(100) + kLatencies);
  }
}

TEST_CASE("servers on the workers' nodes share their links") {
  ClusterSpec spec;
  add_vertex(spec, "switch[0]", "switch");
  for (int i = 0; i < 2; ++i) {
    const std::string node = "node[" + std::to_string(i) + "].";
    add_vertex(spec, node + "gpu[0]", "gpu");
    add_vertex(spec, node + "host[0]", "host");
    add_vertex(spec, node + "nic[0]", "nic");
    add_cable(spec, node + "gpu[0]", node + "nic[0]", kServerRate, microseconds(1));
    add_cable(spec, node + "host[0]", node + "nic[0]", kServerRate, microseconds(1));
    add_cable(spec, node + "nic[0]", "switch[0]", kServerRate, microseconds(1));
  }
  const auto topology = build(spec);
  ParameterServerJobSpec job = server_job(2'000'000);
  job.servers = {"node[*].host[0]"};
  const RunResult run = run_jobs(*topology, {job_on("node[*].gpu[0]", job)});
  // Half a push and half a pull cross each NIC each way: what its own host serves stays inside.
  CHECK(carried(run, *topology, "node[0].nic[0] -> switch[0]") == 2'000'000);
  CHECK(carried(run, *topology, "node[0].gpu[0] -> node[0].nic[0]") == 2'000'000);
}

TEST_CASE("what cannot be served is refused in words") {
  const auto topology = server_star(2, 1);
  ParameterServerJobSpec job = server_job(1000);
  job.servers = {"switch[0]"};
  CHECK(holds(refusal_of(*topology, {job_on("gpu[*]", job)}), "switch[0] cannot be a rank"));
  job.servers = {};
  CHECK(holds(refusal_of(*topology, {job_on("gpu[*]", job)}), "job \"train\" has no servers"));
  JobSpec verified = job_on("gpu[*]", server_job(1000));
  verified.verify = true;
  CHECK(holds(refusal_of(*topology, {verified}), "carry no data to verify"));
}
