// Cases in which other simulators went wrong without a word (public trackers and runs of theirs); the right
// answers follow from arithmetic. Those of input, deadlocks and ties stand with their floors: see
// tests/README.md.
#include "tests/catch.h"
#include "tests/oracle/machines.h"
#include "tests/workload/run_jobs.h"

using namespace brigade;

namespace {

JobSpec all_reduce(const std::string& name, const std::string& ranks, const std::string& algorithm,
                   std::vector<Bytes> sizes) {
  JobSpec job;
  job.name = name;
  job.ranks = {ranks};
  CollectiveJobSpec spec;
  spec.algorithms = {{}};
  spec.algorithms[0].algorithm = algorithm;
  spec.sizes = std::move(sizes);
  job.kind = spec;
  return job;
}

std::vector<CollectiveRow> rows_of(const RunResult& result, size_t job = 0) {
  return std::get<CollectiveResult>(result.jobs[job].result).rows;
}

}  // namespace

TEST_CASE("a ring of any N completes, in 2(N-1) rounds, with its exact bytes: M = 1, N-1, N, N+1, primes") {
  for (int n = 1; n <= 64; ++n) {
    const auto topology = oracle::nvswitch(n, Bandwidth::gb_per_s(450), nanoseconds(2500));
    const std::vector<Bytes> sizes{{1}, {std::max(1, n - 1)}, {n}, {n + 1}, {10'007}, {65'537}};
    for (const char* algorithm : {"ring", "direct", "tree", "double_binary_tree"}) {
      for (const CollectiveRow& row :
           rows_of(run_jobs(*topology, {all_reduce("a", "node[0].gpu[*]", algorithm, sizes)}))) {
        INFO(algorithm << " of " << row.bytes.count << " B on " << n);
        if (algorithm == std::string("ring")) CHECK(row.rounds == 2u * (static_cast<unsigned>(n) - 1));
        // Each of N - 1 ranks' contributions once in, the sum once out: 2 (N - 1) M, whatever the parts.
        CHECK(row.bytes_sent_total.count == 2 * (n - 1) * row.bytes.count);
      }
    }
  }
}

TEST_CASE("each tree of a double binary tree carries half of the data") {
  const auto topology = oracle::nvswitch(9, Bandwidth::gb_per_s(450), nanoseconds(2500));
  const auto one =
      rows_of(run_jobs(*topology, {all_reduce("a", "node[0].gpu[*]", "double_binary_tree", {{1000}})}));
  CHECK(one[0].bytes_sent_total.count == 2 * 8 * 1000);
}

TEST_CASE("a run ends when nothing is left to do") {
  const auto topology = oracle::nvswitch(2, Bandwidth::gb_per_s(1), microseconds(1));
  const RunResult result = run_jobs(*topology, {all_reduce("a", "node[0].gpu[*]", "ring", {{2000}})});
  CHECK(result.end == 2 * (microseconds(2) + microseconds(1)));  // two rounds of 1000 B at 1 GB/s
}

TEST_CASE("time never decreases with size; zero bytes cost the latency alone") {
  const auto topology = oracle::nvswitch(5, Bandwidth::gb_per_s(7), nanoseconds(700));
  std::vector<Bytes> sizes;
  for (int64_t b = 0; b < 200; ++b) sizes.push_back({b});
  for (const std::string& algorithm : algorithm_names(Collective::kAllReduce)) {
    const auto rows = rows_of(run_jobs(*topology, {all_reduce("a", "node[0].gpu[*]", algorithm, sizes)}));
    for (size_t i = 1; i < rows.size(); ++i) {
      INFO(algorithm << " of " << i << " B");
      CHECK(rows[i].last_time >= rows[i - 1].last_time);
    }
    if (algorithm == "ring") CHECK(rows[0].last_time == 8 * nanoseconds(1400));
  }
}

TEST_CASE("two all-reduces on disjoint links overlap fully; on shared links they share") {
  const auto topology = oracle::nvswitch(8, Bandwidth::gb_per_s(50), microseconds(1));
  const std::vector<Bytes> size{megabytes(64)};
  const JobSpec low = all_reduce("a", "node[0].gpu[0-3]", "ring", size);
  const JobSpec high = all_reduce("b", "node[0].gpu[4-7]", "ring", size);
  const JobSpec same = all_reduce("c", "node[0].gpu[0-3]", "ring", size);
  const Duration alone = rows_of(run_jobs(*topology, {low}))[0].last_time;
  const RunResult apart = run_jobs(*topology, {low, high});
  CHECK(rows_of(apart, 0)[0].last_time == alone);
  CHECK(rows_of(apart, 1)[0].last_time == alone);
  const RunResult shared = run_jobs(*topology, {low, same});
  for (size_t job : {0u, 1u}) {
    const double ratio =
        static_cast<double>(rows_of(shared, job)[0].last_time.ps) / static_cast<double>(alone.ps);
    CHECK(ratio > 1.9);
    CHECK(ratio < 2.05);
  }
}

TEST_CASE("the network matters; an idle link gives its rate") {
  for (const int64_t gb_per_s : {1, 10, 400}) {
    const auto topology = oracle::nvswitch(2, Bandwidth::gb_per_s(gb_per_s), microseconds(1));
    JobSpec job = all_reduce("a", "node[0].gpu[*]", "ring", {});
    CollectiveJobSpec spec = std::get<CollectiveJobSpec>(job.kind);
    spec.collective = Collective::kSendRecv;
    spec.algorithms[0].algorithm = "listed";
    spec.sends = {{0, 1}};
    spec.sizes = {{4'000'000'000}};
    job.kind = spec;
    CHECK(rows_of(run_jobs(*topology, {job}))[0].last_time ==
          microseconds(2) + Bandwidth::gb_per_s(gb_per_s).time({4'000'000'000}));
  }
}

TEST_CASE("different collectives are different traffic") {
  const auto topology = oracle::nvswitch(8, Bandwidth::gb_per_s(50), microseconds(1));
  std::vector<Duration> times;
  std::vector<int64_t> sent;
  for (const Collective c : {Collective::kAllReduce, Collective::kAllGather}) {
    JobSpec job = all_reduce("a", "node[0].gpu[*]", "ring", {megabytes(8)});
    CollectiveJobSpec spec = std::get<CollectiveJobSpec>(job.kind);
    spec.collective = c;
    job.kind = spec;
    const auto rows = rows_of(run_jobs(*topology, {job}));
    times.push_back(rows[0].last_time);
    sent.push_back(rows[0].bytes_sent_total.count);
  }
  CHECK(times[0] == 2 * times[1]);
  CHECK(sent[0] == 2 * sent[1]);
}

TEST_CASE("numbers of ranks that others cannot run, from one description") {
  for (const int n : {1008, 2048, 10'000, 65'536}) {
    const auto topology = oracle::nvswitch(n, Bandwidth::gb_per_s(450), nanoseconds(2500));
    const auto rows =
        rows_of(run_jobs(*topology, {all_reduce("a", "node[0].gpu[*]", "halving_doubling", {{n}})}));
    CHECK(rows[0].ranks == static_cast<Rank>(n));
    CHECK(rows[0].rounds >= 2u * 9);
  }
}
