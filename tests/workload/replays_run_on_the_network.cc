// Links of 1 GB/s and 500 ns (small_jobs.h): a message of b bytes takes 1 us + b ns.
#include <algorithm>

#include "tests/replay/traces.h"
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

std::shared_ptr<const ReplayTrace> trace_of(std::vector<ReplayGraph> graphs, int64_t world) {
  auto trace = std::make_shared<ReplayTrace>();
  trace->late.resize(graphs.size());
  trace->graphs = std::move(graphs);
  trace->world = world;
  return trace;
}

// 100 us of host, a collective of the given size, a kernel of 50 us behind it: launched at 95, it cannot
// begin before 105 (a launch takes 10 here), so that the step takes 155 us at least.
constexpr Duration kFree = microseconds(155);
ReplayGraph one_collective(const std::string& args, int64_t rank, int64_t world) {
  WrittenTrace t;
  t.step(0, 0, 120);
  t.kernel("ncclDevKernel_X_Sum(x)", 90, 20, 100, 400, 1, args);
  t.kernel("behind", 95, 20, 400, 450);
  return graph_of(t.text(rank, world));
}

JobSpec replay_job(const std::string& name, std::shared_ptr<const ReplayTrace> trace, size_t ranks,
                   CollectiveDurations durations = CollectiveDurations::kSimulated) {
  ReplayJobSpec spec;
  spec.trace = std::move(trace);
  spec.durations = durations;
  JobSpec job;
  job.name = name;
  for (size_t r = 0; r < ranks; ++r) job.ranks.push_back("gpu[" + std::to_string(r) + "]");
  job.kind = std::move(spec);
  return job;
}

ReplayResult run_replay(const JobSpec& job, size_t gpus, const std::vector<RankChange>& changes = {}) {
  const auto topology = small_cluster(gpus);
  const RunResult result = run_jobs(*topology, {job}, {}, changes);
  return std::get<ReplayResult>(result.jobs[0].result);
}

}  // namespace

TEST_CASE("replay: an all-reduce takes what a ring takes on this network, on any number of ranks") {
  const auto trace = trace_of({one_collective(WrittenTrace::comm_args("allreduce", 15000, 15000), 0, 2)}, 2);
  for (const int64_t n : {1, 2, 3, 4, 5, 6, 8}) {
    CAPTURE(n);
    const ReplayResult r = run_replay(replay_job("r", trace, static_cast<size_t>(n)), 8);
    const int64_t part = (15000 + n - 1) / n * 4;  // bytes of the largest
    const Duration ring = n == 1 ? Duration{} : 2 * (n - 1) * (microseconds(1) + nanoseconds(part));
    REQUIRE(r.calls.size() == 1);
    CHECK(r.calls[0].time == ring);
    CHECK(r.calls[0].ranks == n);
    CHECK(r.steps[0].time == std::max(kFree, microseconds(150) + ring));
    CHECK(r.steps[0].exposed == ring);
    CHECK(r.total_free == kFree);
    CHECK(r.total_exposed == kFree + ring);
    CHECK(r.steps[0].traced == microseconds(450));
  }
}

TEST_CASE("replay: groups of four ranks run side by side, and a slow rank holds up its own group alone") {
  std::string args = WrittenTrace::comm_args("allreduce", 1000, 1000, "[0, 1]", 2);
  WrittenTrace t;
  t.step(0, 0, 200);
  t.kernel("gemm", 5, 7, 10, 90);
  t.kernel("ncclDevKernel_X_Sum(x)", 20, 20, 92, 100, 1, args);
  const auto trace = trace_of({graph_of(t.text(0, 4))}, 4);
  RankChange slow;
  slow.ranks = "3";
  slow.compute_share = 0.25;
  const auto topology = small_cluster(4);
  const RunResult result = run_jobs(*topology, {replay_job("r", trace, 4)}, {}, {slow});
  const auto& r = std::get<ReplayResult>(result.jobs[0].result);
  // Rank 3 computes 320 us in place of 80: the all-reduce of ranks 2 and 3 begins at 332.
  const Duration ring = 2 * (microseconds(1) + nanoseconds(2000));
  CHECK(r.steps[0].time == microseconds(332) + ring);
  CHECK(r.calls[0].time == ring);  // of rank 0
  CHECK(r.calls[0].ranks == 2);
}

TEST_CASE("replay: an uneven all-to-all moves what each rank sends to each other") {
  const auto args = [](int64_t in, int64_t out, const char* split) {
    std::string text = WrittenTrace::comm_args("all_to_allv", in, out, "[0, 1, 2]", 3, "Byte");
    return text.replace(text.find("\"In split size\":\"[]\""), 20,
                        absl::StrCat("\"In split size\":\"", split, "\""));
  };
  // Rank 0 sends 1000 to 1 and 9000 to 2; rank 1 sends 500 to 0; rank 2 nothing. What stays at home costs
  // nothing.
  const auto trace = trace_of({one_collective(args(20000, 10500, "[10000, 1000, 9000]"), 0, 3),
                               one_collective(args(500, 1000, "[500, 0, 0]"), 1, 3),
                               one_collective(args(0, 9000, "[0, 0, 0]"), 2, 3)},
                              3);
  const ReplayResult r = run_replay(replay_job("r", trace, 3), 3);
  REQUIRE(r.ranks.size() == 3);
  // Rank 0's port sends 10,000 bytes, segments of both messages in turn; all of it has arrived 1 us later, at
  // rank 2.
  CHECK(r.ranks[2].time == microseconds(150) + microseconds(1) + nanoseconds(10'000));
  CHECK(*r.ranks[0].time >= microseconds(150) + nanoseconds(10'000));
  CHECK(*r.ranks[0].time < *r.ranks[2].time);
  CHECK(*r.ranks[1].time < *r.ranks[2].time);
  CHECK(r.calls[0].bytes == Bytes{20000});
}

TEST_CASE("replay: ranks of one job begin as late as their clocks say, and wait for the last") {
  const std::string args = WrittenTrace::comm_args("allreduce", 1000, 1000);
  auto trace =
      std::make_shared<ReplayTrace>(*trace_of({one_collective(args, 0, 2), one_collective(args, 1, 2)}, 2));
  trace->late = {Duration{}, microseconds(40)};
  const ReplayResult r = run_replay(replay_job("r", trace, 2), 2);
  const Duration ring = 2 * (microseconds(1) + nanoseconds(2000));
  // Rank 1 has rank 0's first message already: its second leaves when its first has left, 1 us before that
  // arrives.
  CHECK(r.ranks[0].time == microseconds(190 - 1) + ring);
  CHECK(r.ranks[1].time == microseconds(150) + ring);
  CHECK(r.steps[0].time == microseconds(190 - 1) + ring);
  CHECK(r.total_free == microseconds(190));
}

TEST_CASE("replay: endless bandwidth, none, and traced durations") {
  const auto trace = trace_of({one_collective(WrittenTrace::comm_args("allreduce", 15000, 15000), 0, 2)}, 2);
  CHECK(run_replay(replay_job("r", trace, 2, CollectiveDurations::kNone), 2).total == kFree);
  CHECK(run_replay(replay_job("r", trace, 2, CollectiveDurations::kTraced), 2).total == microseconds(450));
  const ReplayResult never = run_replay(replay_job("r", trace, 2, CollectiveDurations::kNever), 2);
  CHECK_FALSE(never.total.has_value());
  CHECK_FALSE(never.steps[0].time.has_value());
  CHECK(never.total_free == kFree);
  CHECK(never.unblocked_until == microseconds(120));
  CHECK(never.blocked.find("allreduce of 15000 Float begins on rank 0 at 100 us") == 0);
}

TEST_CASE("replay: every other collective takes its closed form") {
  struct Row {
    const char* what;
    int64_t in, out;
    Duration time;  // of 4 ranks, 4 bytes an element
  };
  const auto message = [](int64_t bytes) { return microseconds(1) + nanoseconds(bytes); };
  const Row rows[] = {{"_allgather_base", 1000, 4000, 3 * message(4000)},
                      {"_reduce_scatter_base", 4000, 1000, 3 * message(4000)},
                      {"all_to_all", 4000, 4000, microseconds(1) + nanoseconds(3 * 4000)}};
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const auto trace = trace_of(
        {one_collective(WrittenTrace::comm_args(row.what, row.in, row.out, "[0, 1, 2, 3]", 4), 0, 4)}, 4);
    CHECK(run_replay(replay_job("r", trace, 4), 4).calls[0].time == row.time);
  }
}
