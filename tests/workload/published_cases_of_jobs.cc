// What went wrong elsewhere, by the numbers of the collection of public trackers that the project was planned
// with: parts A (nothing silent) and B (jobs). Others stand with the behaviour that they belong to.
#include "sim/base/random.h"
#include "tests/oracle/machines.h"
#include "tests/workload/small_jobs.h"

using namespace brigade;

TEST_CASE("case A1: a ring of any N completes in 2 (N - 1) rounds") {
  for (const size_t n : {2u, 3u, 8u, 9u, 17u, 33u}) {
    const auto topology = small_cluster(n);
    const auto rows = run_collective(*topology, collective_job("ring", {Bytes{1000}}));
    CHECK(rows[0].rounds == 2 * (n - 1));
    CHECK(rows[0].bytes_sent_total.count == static_cast<int64_t>(2 * (n - 1) * 1000));
  }
}

TEST_CASE("case A11: time never decreases with size, and nothing costs the latency alone") {
  const auto topology = small_cluster(4);
  for (const Algorithm* algorithm : algorithms()) {
    if (std::string(algorithm->name) == "hierarchical" || algorithm->collective == Collective::kBarrier)
      continue;
    CollectiveJobSpec job = collective_job(algorithm->name, {}, algorithm->collective);
    for (int64_t bytes : {0, 1, 2, 3, 4, 5, 7, 8, 9, 100, 101, 1'048'576, 1'048'577, 2'000'003})
      job.sizes.push_back({bytes});
    const auto rows = run_collective(*topology, job);
    INFO(name_of(algorithm->collective) << " " << algorithm->name);
    CHECK(rows[0].last_time.ps % microseconds(1).ps == 0);
    CHECK(rows[0].last_time.ps > 0);
    for (size_t i = 1; i < rows.size(); ++i) CHECK(rows[i].last_time >= rows[i - 1].last_time);
  }
}

TEST_CASE("case A13: a double binary tree completes for every N, whoever is late; each tree carries half") {
  for (size_t n = 1; n <= 40; ++n) {
    Random random(n);
    const auto topology = small_cluster(n);
    const Bytes m{100'000};
    std::vector<RankChange> late;
    for (size_t r = 0; r < n; ++r)
      if (random.below(2) == 0)
        late.push_back(change(std::to_string(r), {}, nanoseconds(random.between(0, 400'000))));
    const auto rows = run_collective(*topology, collective_job("double_binary_tree", {m}), {}, late);
    INFO("seed and N " << n);
    CHECK(rows[0].bytes_sent_total == static_cast<int64_t>(2 * (n - 1)) * m);
    const Algorithm* trees = find_algorithm(Collective::kAllReduce, "double_binary_tree");
    for (const uint32_t tree : {0u, 1u})
      CHECK(make_plan({.algorithm = trees, .ranks = static_cast<Rank>(n), .elements = m.count}, tree)
                .plan->elements == m.count / 2);
  }
}

TEST_CASE("case A14: the network matters, and an all-gather is no all-reduce") {
  const CollectiveJobSpec ring = collective_job("ring", {megabytes(10)});
  const auto time_on = [&](const Topology& topology) { return run_collective(topology, ring)[0].last_time; };
  const Duration flat = time_on(*small_cluster(4));
  CHECK(time_on(*two_switches()) > flat);
  CHECK(time_on(*oracle::star(4, {Bandwidth::gb_per_s(2)}, nanoseconds(500))) < flat);
  CHECK(time_on(*oracle::star(4, {Bandwidth::gb_per_s(1)}, nanoseconds(900))) > flat);
  const auto topology = small_cluster(4);
  const auto gather =
      run_collective(*topology, collective_job("ring", {megabytes(10)}, Collective::kAllGather))[0];
  CHECK(2 * gather.last_time == flat);
  CHECK(gather.bytes_sent_total == Bytes{3 * 10'000'000});
}

TEST_CASE("case A10: no clock in it: the same input gives the same picosecond and the same events") {
  const auto topology = oracle::lecture(3, 4);
  const auto run = [&](uint64_t) {
    return run_jobs(*topology,
                    {job_on("node[*].gpu[*]", collective_job("hierarchical", {megabytes(7)})),
                     job_on("node[*].gpu[*]", collective_job("direct", {megabytes(5)}), "other")},
                    {}, {}, {.hash_events = true});
  };
  const RunResult a = run(1), b = run(2);
  CHECK(a.end == b.end);
  CHECK(a.counts.event_hash == b.counts.event_hash);
  CHECK(a.counts.event_hash != 0);
}

TEST_CASE("case B9: with slack in the step a late rank costs less than its delay") {
  // Backward of 60 us hides the first two buckets: a rank that starts 4 us late delays the last bucket by 4
  // us and nothing else. A second rank that is late by less costs nothing.
  const auto topology = small_cluster(2);
  CHECK(run_ddp(*topology, small_ddp(), {change("0", {}, microseconds(4))}).last_step == microseconds(100));
  CHECK(run_ddp(*topology, small_ddp(), {change("0", {}, microseconds(4)), change("1", {}, microseconds(3))})
            .last_step == microseconds(100));
}

TEST_CASE("case B13: exposed is communication that no compute of that rank hides: no CPU time, no idling") {
  const auto topology = small_cluster(2);
  DdpJobSpec ddp = small_ddp();
  ddp.buckets.rule = BucketRule::kPytorch;
  ddp.buckets.find_unused_parameters = true;
  ddp.buckets.find_unused_cpu_time = milliseconds(1);
  ddp.host_gap = milliseconds(2);
  const DdpResult d = run_ddp(*topology, ddp);
  CHECK(d.last_step == nanoseconds(96'000 + 2'016 + 3'000'000));
  CHECK(d.last_exposed == nanoseconds(8'016));
}
