// A file with mistakes that only reading, only building or only preparing can find: all are reported at once.
#include "tests/report/small_scenarios.h"

using namespace brigade;

namespace {

std::vector<std::string> mistakes_of(const std::string& yaml) {
  const Scratch scratch;
  const std::string file = scratch.write("a.yaml", yaml);
  Diagnostics errors;
  const bool opened = Session::open({.file = file}, errors) != nullptr;
  CHECK(opened == errors.ok());
  return lines_of(errors, file, scratch);
}

std::string where(const std::string& line) { return line.substr(0, line.find(": ")); }

}  // namespace

TEST_CASE("ten mistakes of reading, building and preparing") {
  const std::vector<std::string> lines = mistakes_of(
      "brigade: 1\n"
      "sed: 3\n"  // unknown key
      "cluster:\n"
      "  models: {g: {peak: {fp32: 1 TFLOP/s}}}\n"
      "  node_types: {n: {gpus: 2, gpu: g, nvlink: {family: ring, bandwidth: 1 GB/s, latency: 1 us}}}\n"
      "  nodes: [{type: n, count: 1}]\n"
      "network: {segment: 1024}\n"  // missing unit
      "changes:\n"
      "  - {links: \"node[7].gpu[0]\", state: down}\n"  // a selector that matches nothing
      "  - {ranks: 99, compute: 50 %}\n"                // a rank out of range
      "jobs:\n"
      "  a: {kind: collective, ranks: \"node[*].gpu[*]\", size: 1 KB, algorithm: rng}\n"    // unknown name
      "  b: {kind: collective, ranks: \"node[*].gpu[*]\", size: -1 B}\n"                    // negative
      "  c: {kind: collective, ranks: \"node[*].nic[*]\", size: 1 KB}\n"                    // nothing there
      "  d: {kind: collective, ranks: \"node[*].gpu[*]\", size: 99999999999999999999 B}\n"  // overflow
      "  e: {kind: ddp, ranks: \"node[*].gpu[*]\", model: {name: resnet18}, precision: {gradients: bf61}}\n"
      "  f: {kind: collective, ranks: \"node[*].gpu[*]\", size: 1 KB, collective: broadcast, "
      "algorithm: tree, root: 5}\n"  // a root out of range
  );
  std::vector<std::string> places;
  for (const std::string& line : lines) places.push_back(where(line));
  CAPTURE(lines);
  CHECK(places == std::vector<std::string>{"2:1", "7:20", "9:5", "10:5", "12:73", "13:56", "14:32", "15:56",
                                           "16:91", "17:6"});
}

TEST_CASE("a mistake in the cluster is enough to stop there") {
  const std::vector<std::string> lines = mistakes_of(
      "brigade: 1\n"
      "cluster:\n"
      "  vertices: [{name: a, kind: host}, {name: b, kind: host}]\n"
      "jobs:\n"
      "  a: {kind: collective, ranks: [a, b], size: 1 KB}\n");
  REQUIRE(lines.size() == 2);
  CHECK(where(lines[0]) == "3:14");
  CHECK(where(lines[1]) == "3:37");
}

TEST_CASE("an unsound job has its ranks checked, a sound one everything") {
  const std::vector<std::string> lines =
      mistakes_of(kTwoGpus +
                  "  a: {kind: collective, ranks: \"node[9].gpu[*]\", size: 1024}\n"
                  "  b: {kind: collective, ranks: \"node[0].gpu[0]\", size: 3 B, dtype: fp32}\n"
                  "  c: {kind: collective, ranks: \"node[8].gpu[*]\", size: 1 KB}\n");
  REQUIRE(lines.size() == 4);
  CHECK(where(lines[0]) == "9:32");
  CHECK(where(lines[1]) == "9:56");
  CHECK(where(lines[2]) == "10:56");
  CHECK(where(lines[3]) == "11:32");
}

TEST_CASE("ranks of the timeline must exist") {
  const std::vector<std::string> lines = mistakes_of(kTwoGpus + kBench + "trace: {file: t.json, ranks: 2}\n");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("rank 2 of the timeline is out of range; allowed: 0 to 1") != std::string::npos);
}
