// What the shipped scenarios print is what the lecture on data-parallel training prints, or what its formulas
// give. In the alpha-beta model a message takes 5 us + bytes / 450 GB/s within a node and 10 us + bytes / 50
// GB/s between nodes.
#include "tests/golden/run_scenario.h"

using namespace brigade;

namespace {

constexpr int64_t kMb = 1'000'000, kGb = 1'000'000'000;

struct TimeRow {
  const char* job;
  const char* algorithm;
  int64_t bytes;
  double us, margin_us;  // half of the last digit that is printed there
};

void check_times(const std::string& scenario, const std::vector<TimeRow>& rows) {
  const RunResult result = run_scenario(scenario);
  for (const TimeRow& row : rows) {
    INFO(scenario << ": " << row.job << ", " << row.algorithm << ", " << row.bytes << " B");
    CHECK(in_us(row_of(result, row.job, row.algorithm, row.bytes).last_time) ==
          Approx(row.us).margin(row.margin_us));
  }
}

bool ring_wins(const RunResult& result, int64_t bytes) {
  return row_of(result, "crossover", "ring", bytes).last_time.ps <
         row_of(result, "crossover", "butterfly", bytes).last_time.ps;
}

}  // namespace

TEST_CASE("times of all-reduces") {
  check_times("allreduce_nvlink8", {{"sizes", "ring", 4096, 70.0, 0.05},
                                    {"sizes", "butterfly", 4096, 15.0, 0.05},
                                    {"crossover", "ring", 19'800'000, 147.0, 0.001},
                                    {"crossover", "butterfly", 19'800'000, 147.0, 0.001}});
  check_times("allreduce_infiniband64", {{"sizes", "butterfly", 65536, 67.9, 0.05},
                                         {"sizes", "direct", 65536, 22.58, 0.005},
                                         {"sizes", "ring", kGb, 40635, 0.5},
                                         {"sizes", "butterfly", kGb, 120060, 5},
                                         {"sizes", "tree", kGb, 240120, 5},
                                         {"sizes", "naive", kGb, 1260010, 5}});
  check_times("allreduce_scale", {{"n8", "ring", kGb, 35140, 5},
                                  {"n64", "ring", kGb, 40635, 0.5},
                                  {"n64", "naive", kGb, 1260010, 5},
                                  {"n256", "ring", kGb, 44943.75, 0.005},
                                  {"n1024", "ring", kGb, 60420, 5},
                                  {"n1024", "halving_doubling", kGb, 40200, 50}});
}

TEST_CASE("naive is fastest at 4 KB, unless messages cost their endpoints time") {
  const RunResult free = run_scenario("allreduce_nvlink8");
  const RunResult paid = run_scenario("naive_overhead");
  const RunResult unpaid = run_scenario("naive_overhead", {"network.overhead=0s"});
  const auto ps = [](const RunResult& result, const char* job, const char* algorithm) {
    return row_of(result, job, algorithm, 4096).last_time.ps;
  };
  for (const char* other : {"ring", "tree", "butterfly", "halving_doubling", "direct"}) {
    INFO(other);
    CHECK(ps(free, "sizes", "naive") < ps(free, "sizes", other));
    CHECK(ps(unpaid, "all_reduce", "naive") < ps(unpaid, "all_reduce", other));
  }
  CHECK(ps(paid, "all_reduce", "naive") > ps(paid, "all_reduce", "butterfly"));
}

TEST_CASE("ring and butterfly change places") {
  const RunResult nvlink = run_scenario("allreduce_nvlink8");
  CHECK_FALSE(ring_wins(nvlink, 19'700'000));
  CHECK(ring_wins(nvlink, 19'900'000));
  const RunResult infiniband = run_scenario("allreduce_infiniband64");
  CHECK_FALSE(ring_wins(infiniband, 14'800'000));
  CHECK(ring_wins(infiniband, 14'900'000));  // at 14.88 MB
}

TEST_CASE("what 16 GPUs send, in gradients") {
  struct Row {
    const char* algorithm;
    double total, busiest;
    Round rounds;
  };
  const RunResult result = run_scenario("allreduce_n16");
  for (const Row& row : {Row{"naive", 240, 15, 1}, Row{"ring", 30, 1.875, 30}, Row{"tree", 30, 4, 8},
                         Row{"butterfly", 64, 4, 4}, Row{"halving_doubling", 30, 1.875, 8},
                         Row{"hierarchical", 30, 1.875, 16}}) {
    INFO(row.algorithm);
    constexpr int64_t kGradient = 160 * kMb;
    const CollectiveRow& found = row_of(result, "all_reduce", row.algorithm, kGradient);
    CHECK(static_cast<double>(found.bytes_sent_total.count) == row.total * kGradient);
    CHECK(static_cast<double>(found.bytes_sent_max.count) == row.busiest * kGradient);
    CHECK(found.rounds == row.rounds);
  }
}

TEST_CASE("hierarchical against a flat ring on 4 nodes of 8 GPUs") {
  struct Row {
    int64_t bytes;
    double hierarchical_us, lockstep_us, free_us;
  };
  const RunResult result = run_scenario("hierarchical_4x8");
  for (const Row& row : {Row{kMb, 137.639, 658.75, 358.75}, Row{10 * kMb, 206.389, 1007.5, 440.278},
                         Row{100 * kMb, 893.889, 4495.0, 3885.0}, Row{kGb, 7768.889, 39370.0, 38760.0}}) {
    INFO(row.bytes << " B");
    const auto us = [&](const char* job, const char* algorithm) {
      return in_us(row_of(result, job, algorithm, row.bytes).last_time);
    };
    CHECK(us("lockstep", "ring") == Approx(row.lockstep_us).margin(0.0005));
    CHECK(us("free", "ring") == Approx(row.free_us).margin(0.0005));
    CHECK(us("lockstep", "hierarchical") == Approx(row.hierarchical_us).margin(0.0005));
    CHECK(us("free", "hierarchical") == Approx(row.hierarchical_us).margin(0.0005));
    CHECK(row_of(result, "free", "ring", row.bytes).rounds == 62);
    CHECK(row_of(result, "free", "hierarchical", row.bytes).rounds == 20);
  }
}

TEST_CASE("exposed communication and efficiency of DDP on 64 GPUs") {
  struct Row {
    const char* scenario;
    std::vector<std::string> overrides;
    size_t buckets;
    double exposed_ms, margin_ms, efficiency;
  };
  const std::vector<Row> rows = {
      {"ddp_64gpu", {}, 96, 0.444, 0.0005, 0.994},
      {"ddp_64gpu_one_bucket", {}, 1, 22.67, 0.005, 0.768},
      {"ddp_64gpu", {"jobs.train.buckets.cap=10MB"}, 192, 13.01, 0.005, 0.852},
      {"ddp_64gpu", {"jobs.train.buckets.cap=1MB"}, 384, 53.20, 0.005, 0.585},
      {"ddp_64gpu", {"jobs.train.buckets.cap=100MB"}, 26, 0.736, 0.0005, 0.990},
      {"ddp_64gpu", {"jobs.train.buckets.cap=400MB"}, 7, 2.667, 0.0005, 0.966},
      {"ddp_64gpu", {"jobs.train.buckets.order=registration"}, 96, 42.62, 0.005, 0.638},
  };
  for (const Row& row : rows) {
    INFO(row.scenario << " " << (row.overrides.empty() ? "" : row.overrides[0]));
    const RunResult result = run_scenario(row.scenario, row.overrides);
    const DdpResult& ddp = ddp_of(result, "train");
    CHECK(ddp.parameters == 1'358'954'496);
    CHECK(ddp.buckets.size() == row.buckets);
    CHECK(in_us(ddp.last_compute) / 1000 == Approx(75.04).margin(0.005));
    CHECK(in_us(ddp.last_exposed) / 1000 == Approx(row.exposed_ms).margin(row.margin_ms));
    CHECK(ddp.efficiency == Approx(row.efficiency).margin(0.0005));
  }
}

TEST_CASE("push and pull of a parameter server") {
  const RunResult result = run_scenario("incast");
  const auto ms = [&](const char* job) { return in_us(row_of(result, job, "listed", kGb).last_time) / 1000; };
  // The lecture leaves latency out: 20 us here.
  CHECK(ms("push_8") + ms("pull_8") == Approx(320.02).margin(0.0005));
  CHECK(ms("push_256") + ms("pull_256") == Approx(10240.02).margin(0.0005));
}

TEST_CASE("parameter servers: 320 ms, 10.24 s, 2.56 s, 35 ms, and 100 against 200 updates a second") {
  const RunResult synchronous = run_scenario("parameter_server_synchronous");
  const auto ms = [&](const char* job) { return in_us(server_of(synchronous, job).last_step) / 1000; };
  const double latencies_ms = 0.020;  // 10 us a way, which the lecture does not count
  CHECK(ms("eight_to_one") == Approx(320 + latencies_ms).epsilon(1e-9));
  CHECK(ms("n256_to_one") == Approx(10240 + latencies_ms).epsilon(1e-9));
  CHECK(ms("n256_to_four") == Approx(2560 + latencies_ms).epsilon(1e-9));
  CHECK(ms("every_worker_serves") == Approx(35 + latencies_ms).epsilon(1e-9));
  const ParameterServerResult& eight = server_of(synchronous, "eight_to_one");
  CHECK(eight.servers.front().received.count == 8 * kGb);
  CHECK(eight.servers.front().sent.count == 8 * kGb);
  CHECK(eight.worker_sent_max.count == kGb);
  CHECK(eight.worker_received_max.count == kGb);

  const RunResult asynchronous = run_scenario("parameter_server_asynchronous");
  CHECK(server_of(asynchronous, "synchronous").updates_per_s == Approx(100).epsilon(1e-3));
  CHECK(server_of(asynchronous, "asynchronous").updates_per_s == Approx(200).epsilon(0.01));
  CHECK(server_of(asynchronous, "asynchronous").staleness->mean == Approx(31).epsilon(0.01));

  const RunResult bounded = run_scenario("parameter_server_bounded");
  CHECK(server_of(bounded, "synchronous").lead_max == 0);
  CHECK(server_of(bounded, "bounded").lead_max == 3);
  const RunResult layers = run_scenario("parameter_server_layers");
  const auto exposed = [&](const char* job) { return server_of(layers, job).exposed.mean_us; };
  CHECK(exposed("priorities") < exposed("layers"));
  CHECK(exposed("layers") < exposed("whole"));
}

TEST_CASE("scaling efficiency, with its rows as the lecture prints them") {
  const RunResult result = run_scenario("scaling");
  struct Row {
    const char* job;
    double compute_ms, comm_ms, efficiency;
  };
  for (const Row& row : {Row{"g8_t2k_end", 35.9, 10.18, 0.78}, Row{"g64_t2k_nic50_end", 35.9, 21.70, 0.62},
                         Row{"g64_t16k_nic50_end", 287.1, 21.70, 0.93}}) {
    INFO(row.job);
    const DdpResult& r = ddp_of(result, row.job);
    CHECK(r.compute.mean_us / 1000 == Approx(row.compute_ms).margin(0.05));
    CHECK(r.communication.mean_us / 1000 == Approx(row.comm_ms).margin(0.005));
    CHECK(r.efficiency == Approx(row.efficiency).margin(0.005));
  }
  CHECK(ddp_of(result, "g64_t64k_nic50_end").very_large_batch);
  CHECK_FALSE(ddp_of(result, "g64_t16k_nic50_end").very_large_batch);
}
