// What a program can do wrong: a collective that only some ranks call, sizes that disagree, a receive from
// the wrong peer, more ranks than devices. Never a silent end: who waits for whom, in which round.
#include "tests/catch.h"
#include "tests/oracle/machines.h"
#include "tests/workload/run_jobs.h"

using namespace brigade;

namespace {

JobSpec job_of(CollectiveJobSpec spec, const std::string& ranks = "node[0].gpu[*]") {
  JobSpec job;
  job.name = "c";
  job.ranks = {ranks};
  spec.sizes = {megabytes(1)};
  if (spec.algorithms.empty()) spec.algorithms = {{}};
  job.kind = std::move(spec);
  return job;
}

std::string prepared(const JobSpec& job, std::string* failure) {
  const auto topology = oracle::lecture(1, 8);
  Diagnostics errors;
  const auto run =
      Run::prepare({.topology = *topology, .network = {}, .seed = 1, .jobs = {job}, .changes = {}}, errors);
  if (run) *failure = run->go({.paranoid = true}).failure;
  return errors.text();
}

std::string failure_of(const JobSpec& job) {
  std::string failure;
  CHECK(prepared(job, &failure) == "");
  return failure;
}

bool holds(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every collective that one rank does not call") {
  for (const Algorithm* algorithm : algorithms()) {
    CollectiveJobSpec spec;
    spec.collective = algorithm->collective;
    AlgorithmSpec how;
    how.algorithm = algorithm->name;
    spec.algorithms = {how};
    spec.callers = {{{0, 6}}};
    INFO(name_of(algorithm->collective) << " " << algorithm->name);
    const std::string failure = failure_of(job_of(spec));
    holds(failure, "deadlock");
    holds(failure, "rank 7 (node[0].gpu[7]) never called it");
  }
}

TEST_CASE("a ring without one rank: who waits for whom") {
  CollectiveJobSpec spec;
  spec.callers = {{{0, 6}}};
  const std::string failure = failure_of(job_of(spec));
  holds(failure, "job \"c\", collective 0 (all_reduce ring, 1 MB)");
  holds(failure,
        "rank 0 (node[0].gpu[0]) waits in round 0 of 14 with 0 of 1 messages arrived, for rank 7 "
        "(node[0].gpu[7]), which has not started");
}

TEST_CASE("sizes that disagree") {
  CollectiveJobSpec spec;
  spec.other_sizes = {{{{3, 3}}, megabytes(2)}};
  const std::string failure = failure_of(job_of(spec));
  holds(failure, "rank 3 (node[0].gpu[3]) calls it with 2000000 B, rank 0 (node[0].gpu[0]) with 1000000 B");
  holds(failure, "in round 0 rank 3 sends 250000 B to rank 4 (node[0].gpu[4]), which waits for 125000 B");
  spec.other_sizes = {{{{0, 7}}, megabytes(2)}};  // all of them agree on the other size
  CHECK(failure_of(job_of(spec)) == "");
}

TEST_CASE("a receive from a peer that sends nothing, although the count is right") {
  CollectiveJobSpec spec;
  spec.collective = Collective::kSendRecv;
  AlgorithmSpec how;
  how.algorithm = "listed";
  spec.algorithms = {how};
  spec.sends = {{0, 1}};
  spec.receives = {{{2, 1}}};
  holds(failure_of(job_of(spec)),
        "rank 1 (node[0].gpu[1]) waits in round 0 for rank 2 (node[0].gpu[2]), which sends "
        "it nothing; what came from rank 0 (node[0].gpu[0]) is not expected");
}

TEST_CASE("sends and receives that cross") {
  CollectiveJobSpec spec;
  spec.collective = Collective::kSendRecv;
  AlgorithmSpec how;
  how.algorithm = "listed";
  spec.algorithms = {how};
  spec.sends = {{0, 1}};
  spec.receives = {{{1, 0}}};
  const std::string failure = failure_of(job_of(spec));
  holds(failure, "rank 1 (node[0].gpu[1]) got a message in round 0 that it does not receive");
  spec.receives = {{{0, 1}, {0, 1}}};  // one of two comes
  holds(failure_of(job_of(spec)), "waits in round 0 of 1 with 1 of 2 messages arrived");
}

TEST_CASE("more ranks than devices, ranks that do not exist") {
  std::string failure;
  holds(prepared(job_of({}, "node[0].gpu[0-15]"), &failure), "gpu[0-15]");
  CollectiveJobSpec spec;
  spec.callers = {{{0, 8}}};
  holds(prepared(job_of(spec), &failure), "callers names rank 8; ranks are 0 to 7");
  spec.callers = {};
  spec.other_sizes = {{{{9, 9}}, megabytes(2)}};
  holds(prepared(job_of(spec), &failure), "other_sizes names rank 9; ranks are 0 to 7");
}
