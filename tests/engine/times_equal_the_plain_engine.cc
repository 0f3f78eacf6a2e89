// Random clusters, collectives, segments, windows, overheads and starts: every rank ends at the same
// picosecond in the fast engine and in the plain one (tests/oracle/plain_engine.h), every link carries the
// same bytes as long. So too where links keep their queues, with one class or with several.
#include "sim/base/random.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/engine/run_calls.h"
#include "tests/oracle/collective_cases.h"

using namespace brigade;

namespace {

Bandwidth bandwidth_of(Random& random) {
  const int64_t choices[] = {1'000'000'000,  12'500'000'000, 50'000'000'000, 450'000'000'000,
                             20'600'000'000, 7'777'777'777,  25'000'000'000};
  return Bandwidth::per_second({choices[random.below(7)]});
}

std::unique_ptr<const Topology> cluster_of(Random& random, int ranks) {
  std::vector<Bandwidth> bandwidths;
  for (uint64_t i = 0; i <= random.below(3); ++i) bandwidths.push_back(bandwidth_of(random));
  if (random.below(3) > 0) return oracle::star(ranks, bandwidths, nanoseconds(random.between(1, 5000)));
  const int gpus = static_cast<int>(random.between(1, 4));
  return oracle::lecture((ranks + gpus - 1) / gpus, gpus);
}

oracle::PlainJob random_job(Random& random, const Topology& topology) {
  std::vector<VertexId> devices = oracle::gpus_of(topology);
  // A random choice of the GPUs, in random order.
  for (size_t i = devices.size(); i > 1; --i) std::swap(devices[i - 1], devices[random.below(i)]);
  devices.resize(random.between(1, static_cast<int64_t>(devices.size())));
  const auto& row = oracle::kCollectiveCases[random.below(std::size(oracle::kCollectiveCases))];
  const auto requests = oracle::requests(row, static_cast<Rank>(devices.size()), random.between(0, 300'000));
  oracle::PlainJob job = job_of(devices, requests[random.below(requests.size())]);
  for (Time& start : job.start)
    if (random.below(2) == 0) start = Time{} + nanoseconds(random.between(0, 30'000));
  job.lockstep = random.below(4) == 0;
  return job;
}

NetworkSpec random_network(Random& random) {
  NetworkSpec network;
  network.segment_rule = static_cast<SegmentRule>(random.below(3));
  network.segment = {random.between(1000, 60'000)};
  if (random.below(3) == 0) network.window = random.between(1, 4);
  if (random.below(4) == 0) network.overhead = nanoseconds(random.between(1, 3000));
  return network;
}

void check_equal(const Topology& topology, const NetworkSpec& network,
                 const std::vector<oracle::PlainJob>& jobs, bool keep_queues) {
  FastEngine engine(topology, network, {});
  if (keep_queues) engine.serve_by_class();
  const Ends fast = run_fast(engine, jobs);
  const oracle::PlainResult plain = oracle::run_plain(topology, network, jobs);
  REQUIRE(fast.failure + fast.stuck == "");
  for (size_t j = 0; j < jobs.size(); ++j) {
    INFO("job " << j << " " << name_of(jobs[j].plans[0]->algorithm->collective) << " "
                << jobs[j].plans[0]->algorithm->name << " n=" << jobs[j].devices.size()
                << " elements=" << jobs[j].plans[0]->elements << " lockstep=" << jobs[j].lockstep
                << " class=" << int(jobs[j].message_class) << " rule=" << int(network.segment_rule)
                << " segment=" << network.segment.count << " window=" << network.window.value_or(0)
                << " overhead=" << network.overhead.ps);
    for (Rank r = 0; r < jobs[j].devices.size(); ++r) REQUIRE(fast.end[j][r].ps == plain.end[j][r].ps);
  }
  CHECK(fast.counts.messages == plain.messages);
  for (LinkId l = 0; l < topology.links().size(); ++l) {
    REQUIRE(engine.use_of(l).bytes.count == plain.link_bytes[l]);
    REQUIRE(engine.use_of(l).busy.ps == plain.link_busy[l].ps);
  }
}

}  // namespace

TEST_CASE("the fast engine and the plain engine end every rank at the same picosecond") {
  for (uint64_t seed = 1; seed <= cases(400); ++seed) {
    Random random(seed);
    INFO("seed " << seed);
    const auto topology = cluster_of(random, static_cast<int>(random.between(1, 12)));
    const NetworkSpec network = random_network(random);
    // Jobs that share devices tie at the same links, which the two engines settle alike only for one job.
    const std::vector<oracle::PlainJob> jobs{random_job(random, *topology)};
    check_equal(*topology, network, jobs, false);
    check_equal(*topology, network, jobs, true);
  }
}

TEST_CASE("links that take the highest class first serve as the plain engine does") {
  for (uint64_t seed = 1; seed <= cases(300); ++seed) {
    Random random(seed);
    INFO("seed " << seed);
    const auto topology = cluster_of(random, static_cast<int>(random.between(2, 8)));
    NetworkSpec network = random_network(random);
    network.overhead = {};  // jobs that share an endpoint pay it in an order that classes do not settle
    std::vector<oracle::PlainJob> jobs;
    for (MessageClass c = 0; c < kClasses; ++c) {
      if (random.below(3) == 0) continue;
      jobs.push_back(random_job(random, *topology));
      jobs.back().message_class = c;
    }
    if (!jobs.empty()) check_equal(*topology, network, jobs, false);
  }
}
