// The YAML front door: bytes of a scenario, read as a file, built and prepared as far as they get. Small ones
// are run with data that travels, and end or say why they cannot.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/scenario/scenario.h"
#include "sim/topology/topology.h"
#include "sim/workload/run.h"
#include "tests/fuzz/target.h"

namespace {

using namespace brigade;

const std::string& scratch_file() {
  static const std::string file =
      (std::filesystem::temp_directory_path() / absl::StrCat("brigade_fuzz_", ::getpid(), ".yaml")).string();
  static const bool registered = std::atexit([] { std::filesystem::remove(scratch_file()); }) == 0;
  BRIGADE_CHECK(registered, "no room for an exit handler");
  return file;
}

// What a run would take must stay small, or nothing else is ever tried.
bool is_small(const Scenario& s, const Topology& topology) {
  constexpr size_t kVerticesMax = 300;
  constexpr int64_t kWorkMax = 200'000;
  if (topology.vertices().size() > kVerticesMax || s.jobs.size() > 4) return false;
  for (const JobSpec& job : s.jobs) {
    const auto* c = std::get_if<CollectiveJobSpec>(&job.kind);
    if (c == nullptr || c->run.steps + c->run.warmup > 3 || c->algorithms.size() > 8 || c->sizes.size() > 4)
      return false;
    for (const Bytes size : c->sizes) {
      const int64_t segment =
          s.network.segment_rule == SegmentRule::kFixed ? s.network.segment.count : size.count;
      if (size.count > kWorkMax || size.count / std::max<int64_t>(segment, 1) > 1000) return false;
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::ofstream(scratch_file(), std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  Diagnostics errors;
  const auto scenario = load_scenario(scratch_file(), {}, errors);
  BRIGADE_CHECK(scenario.has_value() == errors.ok(), "accepted in silence, or refused without a word");
  if (!scenario) {
    BRIGADE_CHECK(!errors.text().empty(), "no words");
    return 0;
  }
  const auto topology = build_topology(scenario->cluster, scenario->link_changes, errors);
  if (!topology || !is_small(*scenario, *topology)) return 0;
  std::vector<JobSpec> jobs = scenario->jobs;
  for (JobSpec& job : jobs) job.verify = true;
  const auto run = Run::prepare({.topology = *topology,
                                 .network = scenario->network,
                                 .seed = scenario->seed,
                                 .jobs = jobs,
                                 .changes = scenario->rank_changes},
                                errors);
  BRIGADE_CHECK((run != nullptr) == errors.ok(), "prepared with errors, or not without");
  if (run) run->go({.paranoid = true});
  return 0;
}
