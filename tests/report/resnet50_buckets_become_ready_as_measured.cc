// ResNet-50 on the DGX A100 that is shipped, out of the running job: its five buckets become ready at 0, 6,
// 12, 33 and 100 % of backward (read off HolisticTraceAnalysis' public trace of A100s; batch 32), each within
// 8 points.
#include "sim/scenario/scenario.h"
#include "sim/workload/run.h"
#include "tests/catch.h"
#include "tests/source_dir.h"

using namespace brigade;

namespace {

// [begin, end) of rank 0's last slice of this name.
std::pair<Time, Time> last_slice(const Recorder& recorder, const std::string& name) {
  std::pair<Time, Time> found{};
  for (const Recorder::Slice& s : recorder.slices()) {
    const Recorder::Track& track = recorder.tracks()[s.track];
    if (track.process == 0 && track.name == "compute" && recorder.text(s.name) == name)
      found = {s.begin, s.end};
  }
  return found;
}

}  // namespace

TEST_CASE("ResNet-50's buckets on two DGX A100") {
  Diagnostics errors;
  const auto file = load_cluster(source_dir() + "/topologies/dgx_a100.yaml", {}, errors);
  INFO(errors.text());
  REQUIRE(file);
  const auto topology = build_topology(file->cluster, {}, errors);
  REQUIRE(topology != nullptr);

  DdpJobSpec ddp;
  ddp.model.name = "resnet50";
  ddp.micro_batch_samples = 32;
  ddp.precision.compute = DType::kTf32;
  ddp.compute.kernel_efficiency = GENERATE(0.45, 0.7);
  ddp.buckets.gradient_as_bucket_view = GENERATE(false, true);
  ddp.run = {.steps = 1, .warmup = 1};
  JobSpec job;
  job.name = "train";
  job.ranks = {"node[*].gpu[*]"};
  job.kind = ddp;
  const NetworkSpec network;
  const auto run = Run::prepare(
      {.topology = *topology, .network = network, .seed = 1, .jobs = {job}, .changes = {}}, errors);
  INFO(errors.text());
  REQUIRE(run != nullptr);
  Recorder recorder({.level = TraceLevel::kJob});
  const RunResult result = run->go({.recorder = &recorder});
  REQUIRE(result.failure.empty());

  const auto& d = std::get<DdpResult>(result.jobs[0].result);
  const std::vector<int64_t> elements{2049000, 7875584, 6563840, 6637568, 2431040};
  const std::vector<double> percent{0, 6, 12, 33, 100};
  REQUIRE(d.buckets.size() == elements.size());
  const auto [begin, end] = last_slice(recorder, "backward");
  const Time step_begin = last_slice(recorder, "step 1").first;
  for (size_t i = 0; i < elements.size(); ++i) {
    INFO("bucket " << i);
    CHECK(d.buckets[i].elements == elements[i]);
    const Duration into_backward = step_begin + d.buckets[i].ready - begin;
    CHECK(100 * in_us(into_backward) / in_us(end - begin) == Approx(percent[i]).margin(8));
  }
}
