// The closed form beside a measured time: there and equal where it should hold, null where it does not.
#include "tests/oracle/machines.h"
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

CollectiveRow row_of(const Topology& topology, const CollectiveJobSpec& job, const NetworkSpec& network = {},
                     const std::string& ranks = "gpu[*]") {
  const auto rows = rows_of(run_jobs(topology, {job_on(ranks, job)}, network));
  REQUIRE(rows.size() == 1);
  return rows[0];
}

const char* const kAllReduces[] = {"naive", "ring", "tree", "butterfly", "halving_doubling", "direct"};

}  // namespace

TEST_CASE("a flat cluster: equal to the picosecond wherever one stands") {
  for (const size_t n : {1u, 2u, 3u, 4u, 6u, 8u, 9u, 16u, 31u, 32u})
    for (const char* algorithm : kAllReduces)
      for (const RoundsMode mode : {RoundsMode::kFree, RoundsMode::kLockstep}) {
        const auto topology = small_cluster(n);
        CollectiveJobSpec job = collective_job(algorithm, {Bytes{10'007}});
        job.algorithms[0].rounds = mode;
        const CollectiveRow row = row_of(*topology, job);
        INFO(algorithm << " n=" << n << " lockstep=" << (mode == RoundsMode::kLockstep));
        const bool power_of_two = (n & (n - 1)) == 0;
        const std::string name = algorithm;
        const bool always = name == "naive" || name == "ring" || name == "direct";
        CHECK(row.closed_form.has_value() == (mode == RoundsMode::kLockstep || power_of_two || always));
        if (row.closed_form) CHECK(row.closed_form->ps == row.last_time.ps);
        if (n == 1) CHECK(row.last_time == Duration{});
      }
}

TEST_CASE("links of two bandwidths or latencies: null") {
  const CollectiveJobSpec job = collective_job("ring", {kilobytes(4)});
  const auto mixed = oracle::star(4, {Bandwidth::gb_per_s(1), Bandwidth::gb_per_s(2)}, microseconds(1));
  CHECK_FALSE(row_of(*mixed, job).closed_form);
  const auto far = two_switches();
  CHECK_FALSE(row_of(*far, job).closed_form);
  // The two on one switch have equal routes.
  CHECK(row_of(*far, job, {}, "gpu[0-1]").closed_form);
}

TEST_CASE("per-message overhead, a window, several channels, two trees: null") {
  const auto topology = small_cluster(4);
  const CollectiveJobSpec ring = collective_job("ring", {kilobytes(4)});
  CHECK(row_of(*topology, ring).closed_form);
  NetworkSpec overhead;
  overhead.overhead = nanoseconds(100);
  CHECK_FALSE(row_of(*topology, ring, overhead).closed_form);
  NetworkSpec window;
  window.window = 4;
  CHECK_FALSE(row_of(*topology, ring, window).closed_form);
  CollectiveJobSpec channels = ring;
  channels.algorithms[0].channels = 2;
  CHECK_FALSE(row_of(*topology, channels).closed_form);
  CHECK_FALSE(row_of(*topology, collective_job("double_binary_tree", {kilobytes(4)})).closed_form);
}

TEST_CASE("hierarchical: each level by itself has equal routes") {
  const auto topology = oracle::lecture(4, 8);
  for (const RoundsMode mode : {RoundsMode::kFree, RoundsMode::kLockstep}) {
    CollectiveJobSpec job = collective_job("hierarchical", {megabytes(1)});
    job.algorithms[0].rounds = mode;
    const CollectiveRow row = row_of(*topology, job, {}, "node[*].gpu[*]");
    REQUIRE(row.closed_form);
    CHECK(row.closed_form->ps == row.last_time.ps);
    CHECK(in_us(row.last_time) == Approx(137.639).margin(0.0005));
  }
  CHECK_FALSE(row_of(*topology, collective_job("ring", {megabytes(1)}), {}, "node[*].gpu[*]").closed_form);
}

TEST_CASE("more ranks than all pairs are looked at: one slow link among 300 still makes it null") {
  for (const size_t slow : {0u, 137u, 299u}) {
    std::vector<Bandwidth> bandwidths(300, Bandwidth::gb_per_s(50));
    const auto even = oracle::star(300, bandwidths, microseconds(1));
    CHECK(row_of(*even, collective_job("ring", {kilobytes(300)})).closed_form);
    bandwidths[slow] = Bandwidth::gb_per_s(25);
    const auto uneven = oracle::star(300, bandwidths, microseconds(1));
    CHECK_FALSE(row_of(*uneven, collective_job("ring", {kilobytes(300)})).closed_form);
  }
}
