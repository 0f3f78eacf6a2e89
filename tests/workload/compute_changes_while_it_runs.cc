// Compute is work with a rate: a rank that slows, stops or recovers in mid-step ends by what it had done. The
// small job's steps are forward 0 - 30 us, backward 30 - 90 us, buckets ready at 50, 70, 90 us, each 6 us on
// the wire (small_jobs.h).
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

RankChange between(const std::string& ranks, std::optional<double> share, Duration begins,
                   std::optional<Duration> ends = {}) {
  RankChange c = change(ranks, share);
  c.begins = Time{} + begins;
  if (ends) c.ends = Time{} + *ends;
  c.stops = !share.has_value();
  return c;
}

RankChange pause(const std::string& ranks, Duration at, Duration length) {
  return between(ranks, {}, at, at + length);
}

Duration step_of(const std::vector<RankChange>& changes, DdpJobSpec ddp = small_ddp()) {
  return run_ddp(*small_cluster(2), ddp, changes).last_step;
}

}  // namespace

TEST_CASE("a pause delays what the rank had left by its length") {
  // at, length, step: in forward, in backward, across a bucket's end, at the end of backward, while it waits.
  struct Row {
    int64_t at_us, length_us, step_us;
  };
  for (const Row& row : std::vector<Row>{{0, 7, 103},
                                         {12, 7, 103},
                                         {30, 7, 103},
                                         {45, 11, 107},
                                         {50, 1, 97},
                                         {89, 100, 196},
                                         {90, 3, 96},    // all is computed: what is under way goes on
                                         {92, 100, 96},  // the rank has nothing to compute
                                         {200, 5, 96}}) {
    CAPTURE(row.at_us, row.length_us);
    CHECK(step_of({pause("1", microseconds(row.at_us), microseconds(row.length_us))}) ==
          microseconds(row.step_us));
  }
}

TEST_CASE("a pause of all ranks stops the job, not what is on the wire") {
  const auto run = run_jobs(*small_cluster(2), {job_on("gpu[*]", small_ddp())}, {},
                            {pause("0-1", microseconds(51), microseconds(100))});
  const DdpResult d = ddp_result(run);
  CHECK(d.last_step == microseconds(196));
  CHECK(d.buckets[0].end == microseconds(56));
  CHECK(d.buckets[1].ready == microseconds(170));
}

TEST_CASE("a slow interval costs what was not done in it") {
  // 20 us at half speed: 10 us of work left over.
  CHECK(step_of({between("1", 0.5, microseconds(40), microseconds(60))}) == microseconds(106));
  // From 40 us on for ever: 50 us of work take 100.
  const DdpResult d = run_ddp(*small_cluster(2), small_ddp(), {between("1", 0.5, microseconds(40))});
  CHECK(d.last_step == microseconds(146));
  CHECK(d.buckets[0].ready == microseconds(60));
  CHECK(d.buckets[1].ready == microseconds(100));
  // Two at once multiply: 20 us at a quarter.
  CHECK(step_of({between("1", 0.5, microseconds(40), microseconds(60)),
                 between("1", 0.5, microseconds(40), microseconds(60))}) == microseconds(111));
  // With a pause inside: 5 us of the 20 are lost whole.
  CHECK(step_of({between("1", 0.5, microseconds(40), microseconds(60)),
                 pause("1", microseconds(50), microseconds(5))}) == nanoseconds(96'000 + 5'000 + 7'500));
  // A rate that divides nothing: 20 us at a third are 6.666666 us of work.
  const Duration third = step_of({between("1", 1 / 3.0, microseconds(40), microseconds(60))});
  CHECK(in_us(third) == Approx(96 + 20 * 2 / 3.0).epsilon(2e-8));
}

TEST_CASE("from the start of the run a timed change and a lasting one are the same") {
  CHECK(step_of({between("1", 0.25, {}, milliseconds(50))}) == step_of({change("1", 0.25)}));
}

TEST_CASE("a pause stops the host's gap and the optimizer too, and later steps are as before") {
  DdpJobSpec ddp = small_ddp();
  ddp.optimizer = OptimizerKind::kAdamW;  // 84 ns
  ddp.host_gap = microseconds(5);
  CHECK(step_of({pause("0-1", nanoseconds(96'050), microseconds(3))}, ddp) == nanoseconds(96'084 + 8'000));
  CHECK(step_of({pause("0-1", microseconds(98), microseconds(3))}, ddp) == nanoseconds(96'084 + 8'000));
  ddp.run = {.steps = 2, .warmup = 1};
  const DdpResult d = run_ddp(*small_cluster(2), ddp, {pause("1", microseconds(20), microseconds(40))});
  CHECK(d.step_time.mean_us == Approx(101.084));
}

TEST_CASE("changes after the end keep no run alive") {
  const auto run = run_jobs(*small_cluster(2), {job_on("gpu[*]", small_ddp())}, {},
                            {pause("1", milliseconds(900), milliseconds(900))});
  CHECK(run.end == microseconds(96));
}

TEST_CASE("a worker of a parameter server pauses as well") {
  const auto topology = small_cluster(3);
  ParameterServerJobSpec server;
  server.work = small_ddp();
  server.servers = {"gpu[2]"};
  const auto step = [&](const std::vector<RankChange>& changes) {
    const RunResult run = run_jobs(*topology, {job_on("gpu[0-1]", server)}, {}, changes);
    return std::get<ParameterServerResult>(run.jobs[0].result).last_step;
  };
  const Duration quiet = step({});
  CHECK(step({pause("0-1", microseconds(40), microseconds(9))}) == quiet + microseconds(9));
  CHECK(step({between("0-1", 0.5, microseconds(40), microseconds(60))}) == quiet + microseconds(10));
  server.work.compute.jitter = {.kind = JitterKind::kUniform, .mean = 0.1};
  CHECK(step({}) > quiet);
}

TEST_CASE("sharded jobs pause, slow and jitter as well") {
  const auto topology = small_cluster(2);
  ShardedJobSpec sharded;
  sharded.work = small_ddp();
  const auto step = [&](const std::vector<RankChange>& changes) {
    const RunResult run = run_jobs(*topology, {job_on("gpu[*]", sharded)}, {}, changes);
    return std::get<ShardedResult>(run.jobs[0].result).step.last_step;
  };
  const Duration quiet = step({});
  CHECK(step({pause("0-1", microseconds(40), microseconds(9))}) == quiet + microseconds(9));
  CHECK(step({between("0-1", 0.5, microseconds(40), microseconds(60))}) == quiet + microseconds(10));
  sharded.work.compute.jitter = {.kind = JitterKind::kUniform, .mean = 0.1};
  CHECK(step({}) > quiet);
}

TEST_CASE("a pause of ranks that compute nothing is refused") {
  const JobSpec ring = job_on("gpu[*]", collective_job("ring", {Bytes{1000}}), "ring");
  CHECK(holds(refusal_of(*small_cluster(2), {ring}, {pause("1", microseconds(1), microseconds(1))}),
              "\"1\" names no rank of what computes in any job"));
}
