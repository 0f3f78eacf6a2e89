// Background traffic: what it offers, to whom, and when it stops. Links of 1 GB/s and 500 ns through a
// switch.
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

BackgroundJobSpec traffic(TrafficPattern pattern, int64_t mb_per_s, std::optional<Duration> duration = {}) {
  BackgroundJobSpec spec;
  spec.pattern = pattern;
  spec.rate = Bandwidth::per_second({mb_per_s * 1'000'000});
  spec.message = Bytes{100'000};
  spec.duration = duration;
  return spec;
}

BackgroundResult result_of(const RunResult& run, size_t job) {
  return std::get<BackgroundResult>(run.jobs.at(job).result);
}

Bytes carried(const Topology& t, const RunResult& run, const std::string& link) {
  Diagnostics errors;
  const LinkId l = t.select_links(link, {}, errors).at(0);
  for (const LinkResult& r : run.links)
    if (r.link == l) return r.bytes;
  return {};
}

}  // namespace

TEST_CASE("even traffic sends a message each interval, and an idle network carries each in its time") {
  // 100 KB at 500 MB/s: one each 200 us, at 0, 200, .., 800 us of a ms; each takes 1 us + 100 us.
  const auto t = small_cluster(4);
  const RunResult run =
      run_jobs(*t, {job_on("gpu[*]", traffic(TrafficPattern::kPairs, 500, milliseconds(1)))});
  const BackgroundResult b = result_of(run, 0);
  CHECK(b.messages == 4 * 5);
  CHECK(b.sent == 20 * Bytes{100'000});
  CHECK(b.received == b.sent);
  CHECK(b.sent_gb_per_s == Approx(2));
  CHECK(b.offered_gb_per_s == Approx(2));
  CHECK(b.latency.mean_us == Approx(101));
  CHECK(b.latency.p99_us == Approx(101));
  CHECK(b.held_back == 0);
  CHECK(run.end == milliseconds(1));
  CHECK(carried(*t, run, "switch[0] -> gpu[3]") == 5 * Bytes{100'000});
}

TEST_CASE("patterns: a permutation is one cycle, all to all is even, an incast goes to rank 0") {
  for (const int n : {2, 3, 5, 8}) {
    CAPTURE(n);
    const auto t = small_cluster(static_cast<size_t>(n));
    for (const TrafficPattern pattern : {TrafficPattern::kPermutation, TrafficPattern::kAllToAll}) {
      // n - 1 messages each: one to each of the others, or all to one.
      const auto interval = microseconds(200);
      const RunResult run =
          run_jobs(*t, {job_on("gpu[*]", traffic(pattern, 500, (n - 1) * interval - microseconds(100)))});
      for (int i = 0; i < n; ++i) {
        const std::string gpu = "gpu[" + std::to_string(i) + "]";
        CHECK(carried(*t, run, gpu + " -> switch[0]") == (n - 1) * Bytes{100'000});
        CHECK(carried(*t, run, "switch[0] -> " + gpu) == (n - 1) * Bytes{100'000});
      }
      CHECK(result_of(run, 0).latency.p99_us == Approx(101));  // nobody meets anybody
    }
    const RunResult run =
        run_jobs(*t, {job_on("gpu[*]", traffic(TrafficPattern::kIncast, 50, milliseconds(2)))});
    CHECK(result_of(run, 0).senders == static_cast<Rank>(n - 1));
    CHECK(carried(*t, run, "gpu[0] -> switch[0]").count == 0);
    CHECK(carried(*t, run, "switch[0] -> gpu[0]") == result_of(run, 0).sent);
  }
}

TEST_CASE("more than a link carries is held back, and the link is full") {
  // Three senders of 1 GB/s each into one port of 1 GB/s.
  const auto t = small_cluster(4);
  BackgroundJobSpec spec = traffic(TrafficPattern::kIncast, 1000, milliseconds(20));
  spec.window = 4;
  const BackgroundResult b = result_of(run_jobs(*t, {job_on("gpu[*]", spec)}), 0);
  CHECK(b.offered_gb_per_s == Approx(3));
  // What has arrived in 20 ms, and the windows that are on their way.
  CHECK(b.messages == Approx(200 + 12).margin(3));
  CHECK(b.held_back > 300);
  CHECK(b.latency.p99_us > 5'000);  // counted from when a message was due
}

TEST_CASE("Poisson traffic has the same rate, and is the seed's") {
  const auto t = small_cluster(4);
  BackgroundJobSpec spec = traffic(TrafficPattern::kPermutation, 300, milliseconds(400));
  spec.arrivals = Arrivals::kPoisson;
  const BackgroundResult b = result_of(run_jobs(*t, {job_on("gpu[*]", spec)}), 0);
  CHECK(b.messages == Approx(4 * 1200).margin(4 * std::sqrt(4800.0)));
  CHECK(b.latency.p99_us > b.latency.p50_us);  // they meet their predecessors
  CHECK(b.latency.p50_us >= 101);
}

TEST_CASE("it lasts as long as the other jobs, slows them, and counts what it offered until then") {
  const auto t = two_switches();
  const CollectiveJobSpec ring = collective_job("ring", {megabytes(100)});
  JobSpec job = job_on("gpu[0]", ring, "ring");
  job.ranks.push_back("gpu[2]");
  JobSpec noise = job_on("gpu[1]", traffic(TrafficPattern::kPairs, 500), "noise");
  noise.ranks.push_back("gpu[3]");
  const RunResult alone = run_jobs(*t, {job});
  for (const bool noise_first : {false, true}) {
    const RunResult both = run_jobs(*t, noise_first ? std::vector{noise, job} : std::vector{job, noise});
    const double ring_us = rows_of(both, noise_first)[0].time.mean_us;
    // The shared cable is offered 1 GB/s by the ring and half as much by the noise, and serves what comes
    // first.
    CHECK(ring_us == Approx(1.5 * rows_of(alone)[0].time.mean_us).epsilon(0.03));
    const BackgroundResult b = result_of(both, !noise_first);
    CHECK(in_us(b.window) == Approx(ring_us));
    CHECK(b.sent_gb_per_s == Approx(2 / 3.0).epsilon(0.15));  // and the window besides
    CHECK(both.end < b.window + milliseconds(13));            // a window of each, on the one cable
  }
}

TEST_CASE("traffic that would never end is refused") {
  const auto t = small_cluster(4);
  const auto endless = traffic(TrafficPattern::kPairs, 1);
  CHECK(holds(refusal_of(*t, {job_on("gpu[*]", endless, "noise")}),
              "job \"noise\" ends with the other jobs, and there are none; allowed: with a duration"));
  CollectiveJobSpec mistaken = collective_job("ring", {Bytes{1000}});
  mistaken.callers = std::vector<RankRange>{{0, 2}};
  CHECK(holds(refusal_of(*t, {job_on("gpu[*]", mistaken, "bench"), job_on("gpu[*]", endless, "noise")}),
              "job \"bench\" may never end"));
  CHECK(holds(refusal_of(*t, {job_on("gpu[0-2]", traffic(TrafficPattern::kPairs, 1, milliseconds(1)))}),
              "pattern pairs needs an even number of ranks, and it has 3"));
  CHECK(holds(refusal_of(*t, {job_on("gpu[0]", traffic(TrafficPattern::kIncast, 1, milliseconds(1)))}),
              "background traffic needs two ranks"));
}
