// Writes the sample and its counts into the folder BRIGADE_SAMPLE_DIR, for the viewers of
// tests/browser/run.sh, which runs this by its tag.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "sim/trace/chrome_trace.h"
#include "tests/trace/sample.h"
#include "tests/trace/scratch.h"

namespace brigade {
namespace {

TEST_CASE("the sample for viewers", "[.sample]") {
  const char* folder = std::getenv("BRIGADE_SAMPLE_DIR");
  REQUIRE(folder != nullptr);
  Recorder recorder;
  record_sample(recorder);
  const Timeline timeline(recorder);
  const std::string name = std::string(folder) + "/sample";
  REQUIRE(write_chrome_trace(recorder, timeline, {"sample", 1}, name + ".json") == IoError{});
  REQUIRE(write_chrome_trace(recorder, timeline, {"sample", 1}, name + ".json.gz") == IoError{});
  const TraceCounts counts = timeline.counts();
  const nlohmann::json json = {{"slices_by_track", counts.slices_by_track}, {"flows", counts.flows}};
  write_file(name + ".counts.json", json.dump(2) + "\n");
}

}  // namespace
}  // namespace brigade
