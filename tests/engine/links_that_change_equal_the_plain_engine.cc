// Links that slow, die and come back in mid-run: every rank ends at the same picosecond in the fast engine
// and in the plain one, every link carries the same bytes as long, as many segments are lost, and a run that
// has no route left ends at the same instant (rules: sim/network/losses.h).
#include "sim/base/random.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/engine/run_calls.h"
#include "tests/oracle/collective_cases.h"

using namespace brigade;

namespace {

Bandwidth bandwidth_of(Random& random) {
  const int64_t choices[] = {1'000'000'000, 12'500'000'000, 50'000'000'000, 7'777'777'777};
  return Bandwidth::per_second({choices[random.below(4)]});
}

// GPUs on two leaves that two spines join, by cables of mixed speed: a dead one leaves a way round.
std::unique_ptr<const Topology> fabric_of(Random& random, int gpus) {
  ClusterSpec spec;
  const auto vertex = [&](const std::string& name, const char* kind) {
    VertexSpec v;
    v.name = name;
    v.kind = kind;
    spec.vertices.push_back(v);
  };
  const auto cable = [&](const std::string& a, const std::string& b) {
    CableSpec c;
    c.bandwidth = bandwidth_of(random);
    c.latency = nanoseconds(random.between(1, 3000));
    spec.cables.push_back({a, b, c});
  };
  for (const char* name : {"leaf[0]", "leaf[1]", "spine[0]", "spine[1]"}) vertex(name, "switch");
  for (const char* leaf : {"leaf[0]", "leaf[1]"})
    for (const char* spine : {"spine[0]", "spine[1]"}) cable(leaf, spine);
  for (int i = 0; i < gpus; ++i) {
    vertex("gpu[" + std::to_string(i) + "]", "gpu");
    cable("gpu[" + std::to_string(i) + "]", i % 2 == 0 ? "leaf[0]" : "leaf[1]");
  }
  Diagnostics errors;
  auto topology = build_topology(spec, {}, errors);
  BRIGADE_CHECK(topology != nullptr, errors.text());
  return topology;
}

bool sends_one_a_round(const oracle::PlainJob& job) {
  for (const auto& plan : job.plans)
    for (Rank r = 0; r < plan->ranks; ++r)
      for (Round k = 0; k < plan->rounds(); ++k)
        if (plan->step(r, k).sends > 1) return false;
  return true;
}

oracle::PlainJob random_job(Random& random, const Topology& topology) {
  for (;;) {
    std::vector<VertexId> devices = oracle::gpus_of(topology);
    for (size_t i = devices.size(); i > 1; --i) std::swap(devices[i - 1], devices[random.below(i)]);
    const auto& row = oracle::kCollectiveCases[random.below(std::size(oracle::kCollectiveCases))];
    const auto requests =
        oracle::requests(row, static_cast<Rank>(devices.size()), random.between(0, 200'000));
    oracle::PlainJob job = job_of(devices, requests[random.below(requests.size())]);
    job.lockstep = random.below(4) == 0;
    if (sends_one_a_round(job)) return job;
  }
}

// `slow`: also where rates change, of any link; deaths of cables between switches only, unless `cut`.
oracle::PlainFaults random_faults(Random& random, const Topology& topology, Duration run, bool deaths,
                                  bool cut) {
  oracle::PlainFaults faults;
  faults.detection = random.below(3) == 0 ? Duration{} : Duration{random.between(0, run.ps / 4)};
  const int64_t between_switches = 8;  // the first four cables
  const int64_t links = static_cast<int64_t>(topology.links().size());
  for (int64_t n = random.between(1, 5); n > 0; --n) {
    oracle::PlainChange c{.link = 0, .begins = Time{random.between(0, run.ps)}, .ends = kNever};
    c.down = deaths && random.below(3) > 0;
    c.link =
        static_cast<LinkId>(random.below(static_cast<uint64_t>(c.down && !cut ? between_switches : links)));
    if (!c.down) c.share = random.below(2) == 0 ? 0.5 : 0.01 * static_cast<double>(random.between(1, 99));
    if (random.below(3) > 0) c.ends = c.begins + Duration{random.between(1, run.ps)};
    faults.changes.push_back(c);
  }
  return faults;
}

std::vector<TimedLink> timed(const oracle::PlainFaults& faults) {
  std::vector<TimedLink> list;
  for (const oracle::PlainChange& c : faults.changes)
    list.push_back({c.link, c.begins, c.ends, c.share, c.down});
  return list;
}

struct Found {
  int64_t lost = 0, resumed = 0, cut = 0;
};

void check_equal(Random& random, bool deaths, bool cut, Found& found) {
  const auto topology = fabric_of(random, static_cast<int>(random.between(2, 7)));
  NetworkSpec network;
  network.segment_rule = static_cast<SegmentRule>(random.below(3));
  network.segment = {random.between(1000, 60'000)};
  const std::vector<oracle::PlainJob> jobs{random_job(random, *topology)};
  const oracle::PlainResult quiet = oracle::run_plain(*topology, network, jobs);
  Time end{};
  for (const Time t : quiet.end[0]) end = std::max(end, t);
  const oracle::PlainFaults faults =
      random_faults(random, *topology, std::max(end - Time{}, Duration{1000}), deaths, cut);
  INFO(name_of(jobs[0].plans[0]->algorithm->collective)
       << " " << jobs[0].plans[0]->algorithm->name << " n=" << jobs[0].devices.size()
       << " elements=" << jobs[0].plans[0]->elements << " lockstep=" << jobs[0].lockstep
       << " rule=" << int(network.segment_rule) << " segment=" << network.segment.count
       << " detection=" << faults.detection.ps);
  for (const auto& c : faults.changes)
    INFO("link " << c.link << " from " << c.begins.ps << " to " << c.ends.ps << " share " << c.share
                 << (c.down ? " down" : ""));
  const oracle::PlainResult plain = oracle::run_plain(*topology, network, jobs, 1, faults);
  FastEngine engine(*topology, network, {});
  engine.change_links(timed(faults), faults.detection);
  const Ends fast = run_fast(engine, jobs);
  found.lost += plain.lost;
  found.resumed += plain.resumed;
  if (plain.cut_off) {
    ++found.cut;
    CHECK(fast.failure.find("has no route to") != std::string::npos);
    REQUIRE(engine.now().ps == plain.cut_off->ps);
    return;
  }
  REQUIRE(fast.failure + fast.stuck == "");
  for (Rank r = 0; r < jobs[0].devices.size(); ++r) REQUIRE(fast.end[0][r].ps == plain.end[0][r].ps);
  CHECK(fast.counts.messages == plain.messages);
  CHECK(fast.counts.segments_lost == plain.lost);
  CHECK(fast.counts.messages_resumed == plain.resumed);
  for (LinkId l = 0; l < topology->links().size(); ++l) {
    INFO("link " << l);
    REQUIRE(engine.use_of(l).bytes.count == plain.link_bytes[l]);
    REQUIRE(engine.use_of(l).busy.ps == plain.link_busy[l].ps);
  }
}

}  // namespace

TEST_CASE("links that slow and recover serve as in the plain engine") {
  Found found;
  for (uint64_t seed = 1; seed <= cases(200); ++seed) {
    Random random(seed);
    INFO("seed " << seed);
    check_equal(random, false, false, found);
  }
  CHECK(found.lost == 0);
}

TEST_CASE("links that die and come back lose and send anew as in the plain engine") {
  Found found;
  for (uint64_t seed = 1001; seed <= 1000 + cases(400); ++seed) {
    Random random(seed);
    INFO("seed " << seed);
    check_equal(random, true, false, found);
  }
  CHECK(found.lost > static_cast<int64_t>(cases(200)));
  CHECK(found.resumed > static_cast<int64_t>(cases(100)));
}

TEST_CASE("a run that is cut off ends when all know of it, as in the plain engine") {
  Found found;
  for (uint64_t seed = 3001; seed <= 3000 + cases(200); ++seed) {
    Random random(seed);
    INFO("seed " << seed);
    check_equal(random, true, true, found);
  }
  CHECK(found.cut > static_cast<int64_t>(cases(20)));
}
