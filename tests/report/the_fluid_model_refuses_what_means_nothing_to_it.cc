// Segments, windows, priorities and timelines of single messages: words with their place, and no result.
#include "tests/report/small_scenarios.h"

using namespace brigade;

namespace {

std::vector<std::string> mistakes_of(const std::string& network, const std::string& job,
                                     const TraceOptions& trace = {}) {
  const Scratch scratch;
  const std::string file = scratch.write(
      "a.yaml",
      "brigade: 1\n"
      "cluster:\n"
      "  models: {g: {peak: {fp32: 1 TFLOP/s}, memory_bandwidth: 1 TB/s}}\n"
      "  node_types: {n: {gpus: 3, gpu: g, nvlink: {family: ring, bandwidth: 1 GB/s, latency: 1 us}}}\n"
      "  nodes: [{type: n, count: 1}]\n"
      "network: " +
          network +
          "\n"
          "jobs:\n"
          "  a: " +
          job + "\n");
  Diagnostics errors;
  const bool opened = Session::open({.file = file, .trace = trace}, errors) != nullptr;
  CHECK(opened == errors.ok());
  return lines_of(errors, file, scratch);
}

const std::string kRing = "{kind: collective, ranks: \"node[*].gpu[*]\", size: 3 KB}";

}  // namespace

TEST_CASE("segments and windows are refused, an overhead is not") {
  CHECK(mistakes_of("{model: fluid, overhead: 1 us}", kRing).empty());
  const auto segment = mistakes_of("{model: fluid, segment: 1 MiB}", kRing);
  REQUIRE(segment.size() == 1);
  CHECK(segment[0].find("model fluid has no segments, so segment means nothing") != std::string::npos);
  const auto both = mistakes_of("{model: fluid, segment: 1 MiB, window: 4}", kRing);
  REQUIRE(both.size() == 2);
  CHECK(both[1].find("so window means nothing") != std::string::npos);
}

TEST_CASE("timelines show collectives, and not what each link serves") {
  for (const char* level : {"message", "segment"}) {
    const auto lines = mistakes_of("{model: fluid}", kRing, {.file = "t.json", .level = level});
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].find("a link of model fluid carries several messages at once; allowed: level job or "
                        "collective") != std::string::npos);
  }
  CHECK(mistakes_of("{model: fluid}", kRing, {.file = "t.json", .level = "collective"}).empty());
}

TEST_CASE("priorities are refused") {
  const std::string server =
      "{kind: parameter_server, ranks: \"node[0].gpu[0-1]\", servers: {on: \"node[0].gpu[2]\"}, model: "
      "{name: "
      "resnet18}, precision: {parameters: fp32}, transfer: layers, priorities: ";
  CHECK(mistakes_of("{model: fluid}", server + "false}").empty());
  CHECK(mistakes_of("{model: packet}", server + "true}").empty());
  const auto lines = mistakes_of("{model: fluid}", server + "true}");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("in model fluid nothing waits") != std::string::npos);
}
