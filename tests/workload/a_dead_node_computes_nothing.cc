// `{nodes: ..., state: down}`: the links of a node die, and what computes on it stops until it is back.
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

struct Death {
  LinkChange links;
  RankChange ranks;
};
Death dies(const std::string& node, Duration begins, std::optional<Duration> ends = {}) {
  Death d;
  d.links.links = d.ranks.ranks = node;
  d.links.down = d.ranks.stops = d.ranks.of_node = true;
  d.links.begins = d.ranks.begins = Time{} + begins;
  if (ends) d.links.ends = d.ranks.ends = Time{} + *ends;
  return d;
}

RunResult run_with(const Topology& topology, const JobSpec& job, const Death& death,
                   bool links_only = false) {
  NetworkSpec network;
  network.detection = microseconds(20);
  Diagnostics errors;
  RunRequest request{.topology = topology, .network = network, .seed = 1, .jobs = {job}, .changes = {}};
  if (!links_only) request.changes = {death.ranks};
  request.link_changes = {death.links};
  const auto run = Run::prepare(request, errors);
  INFO(errors.text());
  REQUIRE(run != nullptr);
  return run->go({});
}

}  // namespace

// small_ddp(): gradients ready at 50, 70 and 90 us, each reduced in 6 us.
TEST_CASE("a node that dies for 8 us computes 8 us later") {
  const auto topology = small_cluster(2);
  const Death death = dies("gpu[1]", microseconds(57), microseconds(65));
  const JobSpec job = job_on("gpu[*]", small_ddp());
  RunResult run = run_with(*topology, job, death);
  REQUIRE(run.failure.empty());
  CHECK(ddp_result(run).last_step.ps == microseconds(98 + 6).ps);
  // Where only its links die nobody is late: no message was under way.
  run = run_with(*topology, job, death, true);
  REQUIRE(run.failure.empty());
  CHECK(ddp_result(run).last_step.ps == microseconds(90 + 6).ps);
}

TEST_CASE("a node that does not come back ends the run with its name") {
  const auto topology = small_cluster(2);
  const RunResult run = run_with(*topology, job_on("gpu[*]", small_ddp()), dies("gpu[1]", microseconds(57)));
  INFO(run.failure);
  // What gpu[0] sends at 70 us is lost; at 77 us all know.
  CHECK(run.end == microseconds(77));
  CHECK(holds(run.failure, "rank 0 (gpu[0]) has no route to rank 1 (gpu[1])"));
  CHECK(holds(run.failure, "gpu[1] died at 57 us and is not back: 1 rank computes nothing"));
}

TEST_CASE("a node that dies alone with its job is named too") {
  const auto topology = small_cluster(2);
  const RunResult run = run_with(*topology, job_on("gpu[1]", small_ddp()), dies("gpu[1]", microseconds(57)));
  CHECK(run.failure == "gpu[1] died at 57 us and is not back: 1 rank computes nothing");
  DdpJobSpec horovod = small_ddp();
  horovod.buckets.rule = BucketRule::kHorovod;
  const RunResult waits = run_with(*topology, job_on("gpu[*]", horovod), dies("gpu[1]", microseconds(57)));
  CHECK(waits.failure == "gpu[1] died at 57 us and is not back: 1 rank computes nothing");
}

TEST_CASE("a node dead from the start computes nothing") {
  const RunResult run =
      run_with(*small_cluster(2), job_on("gpu[1]", small_ddp()), dies("gpu[1]", Duration{}));
  CHECK(holds(run.failure, "gpu[1] died at 0 s and is not back"));
}

TEST_CASE("a node without ranks that compute may die") {
  const auto topology = small_cluster(3);
  const JobSpec test = job_on("gpu[0-1]", collective_job("ring", {kilobytes(1)}), "test");
  for (const char* node : {"gpu[1]", "gpu[2]"}) {
    const RunResult run = run_with(*topology, test, dies(node, milliseconds(5), milliseconds(6)));
    CHECK(run.failure.empty());
  }
}

TEST_CASE("traffic that lasts as long as others is refused where a node may keep them for ever") {
  BackgroundJobSpec traffic;
  traffic.pattern = TrafficPattern::kAllToAll;
  const std::vector<JobSpec> jobs = {job_on("gpu[0-1]", small_ddp()), job_on("gpu[2-3]", traffic, "others")};
  const RankChange death = dies("gpu[1]", microseconds(57)).ranks;
  const std::string refusal = refusal_of(*small_cluster(4), jobs, {death});
  CHECK(holds(refusal, "job \"others\" ends with the other jobs, and gpu[1] may keep them from it for ever"));
}
