// `kind: collective`: every size with every algorithm, measured steps after warm-up, nccl-tests' bandwidths,
// late ranks, bytes counted where they are sent.
#include "tests/oracle/collective_cases.h"
#include "tests/oracle/contributions.h"
#include "tests/oracle/machines.h"
#include "tests/workload/small_jobs.h"

using namespace brigade;

TEST_CASE("sizes x algorithms, in order, each over its steps") {
  const auto topology = small_cluster(4);
  CollectiveJobSpec job = collective_job("ring", {kilobytes(4), kilobytes(8)});
  AlgorithmSpec naive;
  naive.algorithm = "naive";
  job.algorithms.push_back(naive);
  job.run = {.steps = 3, .warmup = 2};
  const auto rows = run_collective(*topology, job);
  REQUIRE(rows.size() == 4);
  // ring: 6 (1 us + b/4 ns); naive: 1 us + 3 b ns.
  const Duration expected[] = {microseconds(12), microseconds(13), microseconds(18), microseconds(25)};
  for (size_t i = 0; i < 4; ++i) {
    INFO("row " << i);
    CHECK(rows[i].algorithm == (i % 2 == 0 ? "ring" : "naive"));
    CHECK(rows[i].bytes == kilobytes(i < 2 ? 4 : 8));
    CHECK(rows[i].ranks == 4);
    CHECK(rows[i].rounds == (i % 2 == 0 ? 6u : 1u));
    CHECK(rows[i].time.samples == 3);
    CHECK(rows[i].last_time == expected[i]);
    CHECK(rows[i].closed_form == expected[i]);
    CHECK(rows[i].time.mean_us == Approx(in_us(expected[i])));
    CHECK(rows[i].time.p99_us == Approx(in_us(expected[i])));
    CHECK(rows[i].algbw_gb_per_s ==
          Approx(static_cast<double>(rows[i].bytes.count) / in_us(expected[i]) / 1e3));
    CHECK(rows[i].busbw_gb_per_s == Approx(rows[i].algbw_gb_per_s * 1.5));
    CHECK(rows[i].rank_end.size() == 4);
  }
}

TEST_CASE("a run lasts for all its steps, warm-up included, and not a picosecond longer") {
  const auto topology = small_cluster(4);
  CollectiveJobSpec job = collective_job("ring", {kilobytes(4)});
  job.run = {.steps = 3, .warmup = 2};
  JobSpec spec = job_on("gpu[*]", job);
  spec.start = microseconds(7);
  CHECK(run_jobs(*topology, {spec}).end == microseconds(7 + 5 * 12));
}

TEST_CASE("case A9: a rank that comes d late to each step makes a ring end d later") {
  const auto topology = small_cluster(4);
  CollectiveJobSpec job = collective_job("ring", {kilobytes(4)});
  job.run.steps = 3;
  const auto rows = run_collective(*topology, job, {}, {change("2", {}, microseconds(5))});
  CHECK(rows[0].time.mean_us == Approx(17));
  CHECK(rows[0].last_time == microseconds(17));
  CHECK(*rows[0].closed_form == microseconds(12));
}

TEST_CASE("case A8: bytes sent are the exact volume for sizes that do not divide") {
  for (const auto& row : oracle::kCollectiveCases) {
    if (row.collective == Collective::kBarrier) continue;
    for (const Rank n : {1u, 2u, 3u, 4u, 7u, 8u, 12u, 13u}) {
      if (row.varied == oracle::Varied::kNodes && n % 2 != 0) continue;
      const auto topology = row.varied == oracle::Varied::kNodes ? oracle::lecture(2, static_cast<int>(n / 2))
                                                                 : small_cluster(n);
      CollectiveJobSpec job = collective_job(row.algorithm, {}, row.collective);
      for (const int64_t m : {int64_t{0}, int64_t{1}, int64_t{n} - 1, int64_t{n} + 1, int64_t{997}})
        job.sizes.push_back({m});
      job.run = {.steps = 2, .warmup = 1};  // of one step, not of all
      const auto rows = rows_of(run_jobs(
          *topology, {job_on(row.varied == oracle::Varied::kNodes ? "node[*].gpu[*]" : "gpu[*]", job)}));
      for (const CollectiveRow& r : rows) {
        PlanRequest request{.algorithm = find_algorithm(row.collective, row.algorithm),
                            .ranks = n,
                            .elements = r.bytes.count,
                            .group = row.varied == oracle::Varied::kNodes ? n / 2 : 0};
        const oracle::Volume volume = oracle::volume_of(request);
        INFO(name_of(row.collective) << " " << row.algorithm << " n=" << n << " M=" << r.bytes.count);
        CHECK(r.bytes_sent_total.count == volume.elements_total);
        CHECK(r.bytes_sent_max.count == volume.elements_busiest);
        CHECK(r.rounds == volume.rounds);
      }
    }
  }
}

TEST_CASE("elements of several bytes: volumes in bytes, parts in elements") {
  const auto topology = small_cluster(4);
  CollectiveJobSpec job = collective_job("ring", {Bytes{4 * 6}});
  job.dtype = DType::kFp32;
  const auto rows = run_collective(*topology, job);
  CHECK(rows[0].bytes_sent_total == Bytes{2 * 3 * 24});
  CHECK(*rows[0].closed_form == 6 * (microseconds(1) + nanoseconds(8)));  // parts of 2 and 1 elements
  CHECK(rows[0].last_time == *rows[0].closed_form);
}

TEST_CASE("a size that is not whole elements is a mistake that says so") {
  const auto topology = small_cluster(4);
  CollectiveJobSpec job = collective_job("ring", {Bytes{6}, Bytes{8}, Bytes{13}});
  job.dtype = DType::kFp32;
  const std::string text = refusal_of(*topology, {job_on("gpu[*]", job)});
  CHECK(holds(text, "6 B are not whole elements of fp32 (4 B)"));
  CHECK(holds(text, "13 B are not whole elements of fp32 (4 B)"));
  CHECK_FALSE(holds(text, "8 B are not"));
}

TEST_CASE("a barrier has no sizes and takes ceil(log2 N) latencies") {
  for (const auto& [n, rounds] : {std::pair{1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}, {9, 4}, {64, 6}}) {
    const auto topology = small_cluster(static_cast<size_t>(n));
    CollectiveJobSpec job =
        collective_job("dissemination", {megabytes(1), megabytes(2)}, Collective::kBarrier);
    const auto rows = run_collective(*topology, job);
    INFO("n = " << n);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].bytes == Bytes{0});
    CHECK(rows[0].last_time == microseconds(rounds));
    CHECK(rows[0].bytes_sent_total == Bytes{0});
    CHECK(rows[0].algbw_gb_per_s == 0);
  }
}

TEST_CASE("send_recv: patterns of pairs") {
  struct Row {
    const char* what;
    std::vector<Pair> sends;
    int64_t us;  // 4,000 B: a message takes 1 us + 4 us
  };
  const auto row = GENERATE(values<Row>({
      {"without a list each rank sends to the next, all at once", {}, 5},
      {"one message", {{0, 3}}, 5},
      {"both ways at once", {{0, 1}, {1, 0}}, 5},
      {"disjoint pairs at once", {{0, 1}, {2, 3}}, 5},
      {"three to one share its link", {{0, 3}, {1, 3}, {2, 3}}, 13},
      {"one to three, one after the other", {{0, 1}, {0, 2}, {0, 3}}, 13},
      {"the same pair twice", {{0, 1}, {0, 1}}, 9},
      {"to oneself: no link, no time", {{2, 2}}, 0},
  }));
  INFO(row.what);
  const auto topology = small_cluster(4);
  CollectiveJobSpec job = collective_job("listed", {kilobytes(4)}, Collective::kSendRecv);
  job.sends = row.sends;
  const auto rows = run_collective(*topology, job);
  CHECK(rows[0].last_time == microseconds(row.us));
  if (rows[0].closed_form) CHECK(*rows[0].closed_form == rows[0].last_time);
}

TEST_CASE("an algorithm that the collective does not have is named with those it has") {
  const auto topology = small_cluster(4);
  CHECK(holds(refusal_of(*topology, {job_on("gpu[*]", collective_job("rng", {kilobytes(4)}))}),
              "unknown algorithm \"rng\" of all_reduce; did you mean \"ring\"?"));
}

TEST_CASE("ranks: none, twice, and what cannot be one") {
  const auto topology = small_cluster(4);
  const CollectiveJobSpec job = collective_job("ring", {kilobytes(4)});
  JobSpec none = job_on("gpu[*]", job);
  none.ranks.clear();
  CHECK(holds(refusal_of(*topology, {none}), "job \"train\" has no ranks"));
  JobSpec twice = job_on("gpu[0-2]", job);
  twice.ranks.push_back("gpu[2]");
  CHECK(holds(refusal_of(*topology, {twice}), "gpu[2] is listed twice"));
  CHECK(holds(refusal_of(*topology, {job_on("switch[0]", job)}), "switch[0] cannot be a rank"));
  // Case A5: eight ranks on four devices.
  CHECK(refusal_of(*topology, {job_on("gpu[0-7]", job)}) != "");
  CHECK(holds(refusal_of(*topology, {}), "no jobs"));
}
