// Placement: which devices a job gets, packed, spread or drawn; and what groups of ranks are.
#include <algorithm>
#include <set>

#include "sim/workload/placement.h"
#include "tests/oracle/machines.h"
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

JobSpec placed(PlacementRule rule, int count, const std::string& ranks = "node[*].gpu[*]") {
  JobSpec job = job_on(ranks, collective_job("ring", {Bytes{1000}}), "job");
  job.placement = PlacementSpec{.rule = rule, .count = count, .at = {}};
  return job;
}

// "node.gpu" of each rank, of all jobs.
std::vector<std::string> places(const Topology& t, const std::vector<JobSpec>& jobs, uint64_t seed = 1) {
  Diagnostics errors;
  std::vector<std::string> texts;
  for (const auto& devices : place_jobs(jobs, t, seed, errors)) {
    std::string text;
    for (const VertexId v : devices)
      text += (text.empty() ? "" : " ") + std::to_string(t.vertices()[v].node) + "." +
              std::to_string(t.vertices()[v].index);
    texts.push_back(text);
  }
  INFO(errors.text());
  REQUIRE(errors.ok());
  return texts;
}

using Rule = PlacementRule;
using Places = std::vector<std::string>;

}  // namespace

TEST_CASE("packed fills node after node, spread takes one of each in turn, and nobody's twice") {
  const auto t = oracle::lecture(3, 2);
  CHECK(places(*t, {placed(Rule::kPacked, 3)}) == Places{"0.0 0.1 1.0"});
  CHECK(places(*t, {placed(Rule::kSpread, 4)}) == Places{"0.0 0.1 1.0 2.0"});
  CHECK(places(*t, {placed(Rule::kPacked, 3), placed(Rule::kPacked, 3)}) ==
        Places{"0.0 0.1 1.0", "1.1 2.0 2.1"});
  CHECK(places(*t, {placed(Rule::kSpread, 3), placed(Rule::kSpread, 3)}) ==
        Places{"0.0 1.0 2.0", "0.1 1.1 2.1"});
  CHECK(places(*t, {placed(Rule::kSpread, 1), placed(Rule::kPacked, 3)}) == Places{"0.0", "0.1 1.0 1.1"});
  // A job without a placement takes what it names, and those after it go elsewhere.
  const JobSpec named = job_on("node[0].gpu[*]", collective_job("ring", {Bytes{1000}}));
  CHECK(places(*t, {named, placed(Rule::kPacked, 2)}) == Places{"0.0 0.1", "1.0 1.1"});
  // Ranks are in the order of the selectors.
  CHECK(places(*t, {placed(Rule::kPacked, 4, "node[*].gpu[1,0]")})[0].size() == 15);
}

TEST_CASE("random placements are the seed's, without repetition, and reach every device") {
  const auto t = oracle::lecture(4, 3);
  std::set<std::string> all, seen;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const std::vector<JobSpec> jobs{placed(Rule::kRandom, 5), placed(Rule::kRandom, 7)};
    const Places drawn = places(*t, jobs, seed);
    CHECK(drawn == places(*t, jobs, seed));
    std::set<std::string> devices;
    for (const std::string& text : drawn)
      for (size_t i = 0; i < text.size(); i += 4) devices.insert(text.substr(i, 3));
    CHECK(devices.size() == 12);
    seen.insert(drawn[0]);
    for (size_t i = 0; i < drawn[0].size(); i += 4) all.insert(drawn[0].substr(i, 3));
  }
  CHECK(seen.size() > 50);
  CHECK(all.size() == 12);
}

TEST_CASE("devices that are not left are said to be missing") {
  const auto t = oracle::lecture(2, 2);
  CHECK(holds(refusal_of(*t, {placed(Rule::kPacked, 3), placed(Rule::kSpread, 2)}),
              "job \"job\" wants 2 devices; of those in ranks 1 is left"));
}

TEST_CASE("groups cut the ranks, each once, in strides") {
  using Groups = std::vector<std::vector<Rank>>;
  CHECK(groups_of(4, {.size = 2, .stride = 1}) == Groups{{0, 1}, {2, 3}});
  CHECK(groups_of(8, {.size = 2, .stride = 2}) == Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}});
  CHECK(groups_of(6, {.size = 3, .stride = 2}) == Groups{{0, 2, 4}, {1, 3, 5}});
  CHECK(groups_of(6, {.size = 4, .stride = 1}).empty());
  CHECK(groups_of(6, {.size = 3, .stride = 4}).empty());
  for (int size = 1; size <= 6; ++size)
    for (int stride = 1; stride <= 6; ++stride) {
      std::set<Rank> seen;
      for (const auto& group : groups_of(static_cast<Rank>(3 * size * stride), {size, stride})) {
        CHECK(group.size() == static_cast<size_t>(size));
        for (size_t i = 1; i < group.size(); ++i) CHECK(group[i] - group[i - 1] == static_cast<Rank>(stride));
        seen.insert(group.begin(), group.end());
      }
      CHECK(seen.size() == static_cast<size_t>(3 * size * stride));
    }
}

TEST_CASE("groups run their collective at once: alone on their own links, in turns on shared ones") {
  const auto t = two_switches();
  CollectiveJobSpec ring = collective_job("ring", {megabytes(10)});
  ring.dtype = DType::kFp64;
  const auto time_of = [&](std::optional<GroupSpec> groups) {
    ring.groups = groups;
    JobSpec job = job_on("gpu[*]", ring);
    job.verify = true;
    const RunResult run = run_jobs(*t, {job});
    CHECK(run.jobs[0].verified->collectives == (groups ? 2 : 1));
    return rows_of(run)[0];
  };
  // {0, 1} and {2, 3} each have their switch: 2 (1 us + 5 ms). {0, 2} and {1, 3} share the cable between.
  const CollectiveRow apart = time_of(GroupSpec{.size = 2, .stride = 1});
  CHECK(apart.last_time == 2 * (microseconds(1) + milliseconds(5)));
  CHECK(apart.closed_form == apart.last_time);
  CHECK(apart.ranks == 2);
  CHECK(apart.bytes_sent_total == 4 * megabytes(10));
  CHECK(apart.bytes_sent_max == megabytes(10));
  const CollectiveRow crossing = time_of(GroupSpec{.size = 2, .stride = 2});
  CHECK(in_us(crossing.last_time) == Approx(2 * 10'000).epsilon(0.06));
  ring.groups = GroupSpec{.size = 3, .stride = 1};
  CHECK(holds(refusal_of(*t, {job_on("gpu[*]", ring)}),
              "4 ranks are not groups of 3 by 1; allowed: a multiple of 3 ranks"));
}
