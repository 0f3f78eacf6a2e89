// The timeline of running jobs, through the strict checker: levels, ranks, windows, arrows, counters, and
// runs that fail.
#include <map>

#include "tests/oracle/machines.h"
#include "tests/trace/checked_trace.h"
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

DdpJobSpec two_steps() {
  DdpJobSpec ddp = small_ddp();
  ddp.buckets.rule = BucketRule::kPytorch;  // one bucket in the first step, three in the second
  ddp.buckets.gradient_as_bucket_view = false;
  ddp.optimizer = OptimizerKind::kAdamW;
  ddp.gradient_norm = true;
  ddp.host_gap = microseconds(3);
  ddp.accumulate = 2;
  ddp.run = {.steps = 1, .warmup = 1};
  return ddp;
}

RunResult record(const Topology& topology, const std::vector<JobSpec>& jobs, Recorder& recorder,
                 const NetworkSpec& network = {}) {
  return run_jobs(topology, jobs, network, {}, {.recorder = &recorder});
}

std::vector<JobSpec> two_jobs() {
  CollectiveJobSpec test = collective_job("halving_doubling", {kilobytes(3), Bytes{0}, Bytes{1}});
  test.run.steps = 2;
  return {job_on("gpu[*]", two_steps()), job_on("gpu[0-2]", test, "test")};
}

int64_t slices_of(const TraceCounts& counts, const std::string& part) {
  int64_t n = 0;
  for (const auto& [track, slices] : counts.slices_by_track)
    if (holds(track, part)) n += slices;
  return n;
}

// The innermost slice of the track at `ns` of the written file.
std::string slice_at(const Recorder& recorder, TrackId track, int64_t ns) {
  std::string name;
  int64_t shortest = INT64_MAX;
  for (const Recorder::Slice& s : recorder.slices()) {
    const int64_t begin = round_to_ns(s.begin), end = round_to_ns(s.end);
    if (s.track != track || ns < begin || (ns >= end && begin != end) || end - begin >= shortest) continue;
    shortest = end - begin;
    name = recorder.text(s.name);
  }
  return name;
}

}  // namespace

TEST_CASE("every level's file passes the checker and holds all of the level before it") {
  const auto topology = small_cluster(4);
  NetworkSpec network;
  network.segment = Bytes{700};
  int64_t before = 0;
  for (const TraceLevel level :
       {TraceLevel::kJob, TraceLevel::kCollective, TraceLevel::kMessage, TraceLevel::kSegment}) {
    Recorder recorder({.level = level});
    record(*topology, two_jobs(), recorder, network);
    const TraceCounts counts = checked_trace(recorder, level == TraceLevel::kJob ? "a.json" : "a.json.gz");
    INFO("level " << int(level));
    const int64_t slices = slices_of(counts, "");
    CHECK(slices > before);
    before = slices;
    CHECK((slices_of(counts, "/ comm") > 0) == (level >= TraceLevel::kCollective));
    CHECK((slices_of(counts, "network / ") > 0) == (level >= TraceLevel::kMessage));
    CHECK((counts.flows > 0) == (level >= TraceLevel::kCollective));
    // 2 steps of 2 x (forward, backward), norm, optimizer, gap and the step itself, 4 copies out.
    if (level == TraceLevel::kJob) CHECK(slices_of(counts, "train rank 3 gpu[3] / compute") == 2 * 8 + 4);
  }
}

TEST_CASE("recording changes no result") {
  const auto topology = small_cluster(4);
  Recorder recorder({.level = TraceLevel::kSegment});
  const RunResult with = record(*topology, two_jobs(), recorder);
  const RunResult without = run_jobs(*topology, two_jobs());
  CHECK(with.end == without.end);
  CHECK(with.counts.events == without.counts.events);
  CHECK(ddp_result(with).last_step == ddp_result(without).last_step);
}

TEST_CASE("arrows lead from gradients to bucket to all-reduce, for every bucket of every rank") {
  const auto topology = small_cluster(4);
  Recorder recorder({.level = TraceLevel::kCollective});
  record(*topology, {job_on("gpu[*]", two_steps())}, recorder);
  checked_trace(recorder);
  const Timeline timeline(recorder);
  std::map<std::string, int> arrows;
  for (const Timeline::Arrow& arrow : timeline.arrows()) {
    const Recorder::Flow& flow = recorder.flows()[arrow.flow];
    ++arrows[slice_at(recorder, flow.from, arrow.from_ns) + " > " + slice_at(recorder, flow.to, arrow.to_ns)];
  }
  // Bucket 0 is there in both steps.
  std::map<std::string, int> expected;
  for (int bucket = 0; bucket < 3; ++bucket) {
    const std::string name = "bucket " + std::to_string(bucket);
    expected["gradients of " + name + " > " + name] = bucket == 0 ? 8 : 4;
    expected[name + " > all_reduce ring " + name] = bucket == 0 ? 8 : 4;
  }
  CHECK(arrows == expected);
}

TEST_CASE("buckets that become ready together have slices of their own") {
  // In registration order all buckets wait for the first layer's gradient, the last to be ready.
  DdpJobSpec ddp = small_ddp();
  ddp.buckets.order = BucketOrder::kRegistration;
  const auto topology = small_cluster(2);
  Recorder recorder({.level = TraceLevel::kCollective});
  record(*topology, {job_on("gpu[*]", ddp)}, recorder);
  checked_trace(recorder);
  const Timeline timeline(recorder);
  std::map<std::string, int> targets;
  for (const Timeline::Arrow& arrow : timeline.arrows()) {
    const Recorder::Flow& flow = recorder.flows()[arrow.flow];
    if (recorder.text(flow.name) == "gradient to bucket") ++targets[slice_at(recorder, flow.to, arrow.to_ns)];
  }
  CHECK(targets == std::map<std::string, int>{{"bucket 0", 2}, {"bucket 1", 2}, {"bucket 2", 2}});
}

TEST_CASE("steps in which things take no time are drawn all the same") {
  DdpJobSpec ddp = small_ddp();
  const bool one_rank = GENERATE(false, true);
  for (LayerSpec& layer : ddp.model.layers) layer.forward = layer.backward = Duration{};
  ddp.run.steps = 2;
  const auto topology = small_cluster(one_rank ? 1 : 3);
  Recorder recorder({.level = TraceLevel::kSegment});
  record(*topology, {job_on("gpu[*]", ddp)}, recorder);
  CHECK(checked_trace(recorder).flows == 2 * 2 * 3 * (one_rank ? 1 : 3));
}

TEST_CASE("find_unused_parameters, buffers and several channels are drawn") {
  DdpJobSpec ddp;
  ddp.model.name = "resnet18";
  ddp.buckets.find_unused_parameters = true;
  ddp.buckets.find_unused_cpu_time = microseconds(50);
  ddp.all_reduce.channels = 3;
  ddp.gradient_norm = true;
  const auto topology = small_cluster(3);
  Recorder recorder({.level = TraceLevel::kMessage});
  record(*topology, {job_on("gpu[*]", ddp)}, recorder);
  const TraceCounts counts = checked_trace(recorder);
  // Two broadcasts, three buckets, the map and the norm.
  CHECK(slices_of(counts, "rank 1 gpu[1] / comm") == 7);
  CHECK(counts.flows == 3 * 2 * 3);
}

TEST_CASE("ranks and window choose what is kept") {
  const auto topology = small_cluster(4);
  Recorder only_one({.level = TraceLevel::kMessage, .ranks = {false, true, false, false}});
  record(*topology, {job_on("gpu[*]", small_ddp())}, only_one);
  TraceCounts counts = checked_trace(only_one);
  CHECK(slices_of(counts, "rank 1 ") > 0);
  CHECK(slices_of(counts, "rank 0 ") + slices_of(counts, "rank 2 ") + slices_of(counts, "rank 3 ") == 0);
  CHECK(slices_of(counts, "network / gpu[1] -> switch[0]") > 0);
  CHECK(slices_of(counts, "network / gpu[2] -> switch[0]") == 0);  // from rank 2 to rank 3
  CHECK(counts.flows == 2 * 3);

  const Time begin = Time{} + microseconds(45), end = Time{} + microseconds(75);
  Recorder window({.level = TraceLevel::kMessage, .window_begin = begin, .window_end = end});
  record(*topology, {job_on("gpu[*]", small_ddp())}, window);
  counts = checked_trace(window);
  CHECK(counts.flows == 4 * 2);  // bucket 1 fills from 50 us on and is reduced from 70 us on
  for (const Recorder::Slice& s : window.slices()) CHECK((s.begin < end && s.end >= begin));
  for (const Recorder::Counter& c : window.counters()) CHECK((begin <= c.at && c.at < end));
}

TEST_CASE("a link's counter adds up to the time it was busy") {
  const auto topology = small_cluster(4);
  Recorder recorder({.level = TraceLevel::kJob});
  const RunResult run = record(*topology, two_jobs(), recorder);
  checked_trace(recorder);
  REQUIRE(run.links.size() == 8);
  for (const LinkResult& link : run.links) {
    const std::string name = topology->link_name(link.link);
    double busy_us = 0, value = 0;
    Time since{};
    for (const Recorder::Counter& c : recorder.counters()) {
      if (recorder.text(c.name) != name) continue;
      busy_us += value / 100 * in_us(c.at - since);
      value = c.value;
      since = c.at;
      CHECK(c.value <= 100);
    }
    busy_us += value / 100 * in_us(run.end - (since - Time{}));
    INFO(name);
    CHECK(busy_us == Approx(in_us(link.busy)).epsilon(1e-3));
    CHECK(link.utilization == Approx(in_us(link.busy) / in_us(run.end)));
  }
}

TEST_CASE("a run that fails leaves a timeline of what happened until then") {
  ClusterSpec spec;
  add_vertex(spec, "switch[0]", "switch");
  for (const char* gpu : {"gpu[0]", "gpu[1]", "gpu[2]"}) {
    add_vertex(spec, gpu, "gpu");
    add_cable(spec, gpu, "switch[0]");
  }
  LinkChange dead;
  dead.links = "gpu[2]";
  dead.down = true;
  Diagnostics errors;
  const auto cut = build_topology(spec, {dead}, errors);
  REQUIRE(cut != nullptr);
  const auto whole = build(spec);

  CollectiveJobSpec deadlock = collective_job("listed", {kilobytes(9)}, Collective::kSendRecv);
  deadlock.sends = {{0, 1}};
  deadlock.receives = std::vector<Pair>{{0, 1}, {2, 1}};
  struct Row {
    const Topology& topology;
    CollectiveJobSpec job;
    const char* why;
  };
  for (const Row& row : {Row{*cut, collective_job("ring", {kilobytes(9)}), "has no route to"},
                         Row{*whole, deadlock, "deadlock"}}) {
    for (const TraceLevel level : {TraceLevel::kJob, TraceLevel::kSegment}) {
      const NetworkSpec network;
      const auto run = Run::prepare({.topology = row.topology,
                                     .network = network,
                                     .seed = 1,
                                     .jobs = {job_on("gpu[*]", row.job)},
                                     .changes = {}},
                                    errors);
      REQUIRE(run != nullptr);
      Recorder recorder({.level = level});
      const RunResult result = run->go({.recorder = &recorder});
      CHECK(holds(result.failure, row.why));
      CHECK(result.jobs.empty());
      checked_trace(recorder);
    }
  }
}

TEST_CASE("every collective is drawn at every level") {
  const auto topology = oracle::lecture(2, 3);
  for (const Algorithm* algorithm : algorithms())
    for (const TraceLevel level : {TraceLevel::kCollective, TraceLevel::kSegment}) {
      CollectiveJobSpec job =
          collective_job(algorithm->name, {Bytes{1}, megabytes(3)}, algorithm->collective);
      Recorder recorder({.level = level});
      record(*topology, {job_on("node[*].gpu[*]", job)}, recorder);
      INFO(name_of(algorithm->collective) << " " << algorithm->name);
      const TraceCounts counts = checked_trace(recorder);
      CHECK(slices_of(counts, "/ comm") == 6 * (algorithm->collective == Collective::kBarrier ? 1 : 2));
    }
}
