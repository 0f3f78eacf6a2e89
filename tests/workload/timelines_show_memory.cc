// Memory over time as a counter of each rank, and a track for each communicator.
#include <algorithm>
#include <map>
#include <set>

#include "sim/trace/timeline.h"
#include "tests/workload/sharded_jobs.h"

using namespace brigade;

namespace {

struct Value {
  Time at;
  double gigabytes;
};
std::vector<Value> memory_of(const Recorder& recorder, const std::string& process) {
  std::vector<Value> values;
  for (const auto& c : recorder.counters())
    if (recorder.text(c.name) == "memory" && recorder.processes()[c.process].name == process) {
      CHECK(recorder.text(c.key) == "GB");
      values.push_back({c.at, c.value});
    }
  return values;
}

}  // namespace

TEST_CASE("each rank has a counter whose largest value is the peak of the result") {
  const auto topology = small_cluster(3);
  for (int stage = 0; stage <= 3; ++stage) {
    Recorder recorder;
    ShardedJobSpec job = zero_job(stage, {6000, 3000, 9000});
    if (stage == 3) job.preset = ShardPreset::kFsdp2;
    for (LayerSpec& layer : job.work.model.layers) layer.activation_bytes = 10'000;
    job.work.run.steps = 2;
    const RunResult run = run_jobs(*topology, {job_on("gpu[*]", job)}, {}, {}, {.recorder = &recorder});
    const ShardedResult r = sharded_result(run);
    double peak = 0;
    Time at{};
    for (int rank = 0; rank < 3; ++rank) {
      const std::string number = std::to_string(rank);
      const std::vector<Value> values = memory_of(recorder, "rank " + number + " gpu[" + number + "]");
      INFO("stage " << stage << ", rank " << rank);
      REQUIRE(values.size() > 6);
      for (size_t i = 1; i < values.size(); ++i) CHECK(values[i - 1].at < values[i].at);
      for (const Value& v : values)
        if (v.gigabytes > peak) {
          peak = v.gigabytes;
          at = v.at;
        }
      CHECK(values.back().gigabytes == Approx(double(r.memory_held.count) * 1e-9).epsilon(1e-12));
    }
    CHECK(peak == Approx(double(r.memory_peak.count) * 1e-9).epsilon(1e-12));
    CHECK(at == Time{} + r.memory_peak_at);
  }
}

TEST_CASE("reductions over replicas, and gathers after a reshard, have tracks of their own") {
  const auto topology = small_cluster(8);
  Recorder recorder;
  ShardedJobSpec job = fsdp_job({4000, 4000}, microseconds(1), microseconds(1));
  job.shard_group = ShardGroup::kRanks;
  job.shard_group_ranks = 4;
  job.reshard_after_forward = Reshard::kToFewer;
  job.reshard_ranks = 2;
  job.work.buckets.gradient_as_bucket_view = false;
  run_jobs(*topology, {job_on("gpu[*]", job)}, {}, {}, {.recorder = &recorder});
  const Timeline timeline(recorder);  // refuses slices that overlap on a track
  for (int rank = 0; rank < 8; ++rank) {
    const std::string number = std::to_string(rank);
    std::map<std::string, std::set<std::string>> names;
    for (const auto& s : recorder.slices())
      if (recorder.processes()[recorder.tracks()[s.track].process].name ==
          "rank " + number + " gpu[" + number + "]")
        names[recorder.tracks()[s.track].name].insert(recorder.text(s.name));
    CHECK(names["comm"].size() == 4);
    CHECK(names["comm replicas"] == std::set<std::string>{"all_reduce ring reduce layer0 over replicas",
                                                          "all_reduce ring reduce layer1 over replicas"});
    CHECK(names["comm after forward"] ==
          std::set<std::string>{"all_gather ring gather layer0", "all_gather ring gather layer1"});
    CHECK(names["compute"].count("reshard layer0") == 1);
  }
}

TEST_CASE("two communicators have two tracks, and their slices may overlap") {
  const auto topology = small_cluster(2);
  Recorder recorder;
  ShardedJobSpec job = fsdp_job({4000, 4000}, microseconds(1), microseconds(1));
  job.communicators = 2;
  run_jobs(*topology, {job_on("gpu[*]", job)}, {}, {}, {.recorder = &recorder});
  const Timeline timeline(recorder);  // refuses slices that overlap on a track
  std::map<std::string, std::set<std::string>> names;
  for (const auto& s : recorder.slices())
    if (recorder.processes()[recorder.tracks()[s.track].process].name == "rank 0 gpu[0]")
      names[recorder.tracks()[s.track].name].insert(recorder.text(s.name));
  CHECK(names["comm"].count("all_gather ring gather layer1") == 1);
  CHECK(names["comm"].count("reduce_scatter ring reduce layer1") == 0);
  CHECK(names["comm reduction"] ==
        std::set<std::string>{"reduce_scatter ring reduce layer0", "reduce_scatter ring reduce layer1"});
  CHECK(names["compute"] == std::set<std::string>{"forward layer0", "forward layer1", "backward layer0",
                                                  "backward layer1", "step 0"});
}
