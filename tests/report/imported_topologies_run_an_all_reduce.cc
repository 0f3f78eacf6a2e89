// From a topology file of another tool to a verified all-reduce on it: our own files of each kind, and the
// public ones beside the checkout, where they are.
#include <fstream>
#include <iostream>
#include <iterator>

#include "tests/report/small_scenarios.h"
#include "tests/scenario/foreign.h"
#include "tests/source_dir.h"

using namespace brigade;

namespace {

void check_runs(const std::string& name, const std::string& text) {
  INFO(name);
  const Scratch scratch;
  scratch.write("machine.yaml", import_ok(text).file.yaml);
  const std::string scenario = scratch.write("a.yaml",
                                             "brigade: 1\n"
                                             "cluster: {file: machine.yaml}\n"
                                             "jobs:\n"
                                             "  a: {kind: collective, ranks: \"node[*].gpu[*]\", size: 1 KB, "
                                             "algorithm: [ring, halving_doubling]}\n");
  Diagnostics errors;
  const auto session = Session::open({.file = scenario, .verify = true}, errors);
  INFO(errors.text());
  REQUIRE(session);
  const RunResult result = session->run();
  CHECK(result.failure == "");
  REQUIRE(result.jobs.size() == 1);
  CHECK(result.jobs[0].verified);
}

}  // namespace

TEST_CASE("every kind of file that can be imported carries an all-reduce with verified data") {
  for (const NamedText& file : foreign_files()) check_runs(file.name, file.text);
}

TEST_CASE("public topology files carry an all-reduce with verified data") {
  const std::filesystem::path folder = std::filesystem::path(source_dir()) / ".." / "shared" / "topologies";
  if (!std::filesystem::is_directory(folder)) {
    std::cout << "skipped: no ../shared/topologies beside the checkout\n";
    return;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename() == "README.md") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    check_runs(entry.path().filename().string(), {std::istreambuf_iterator<char>(in), {}});
  }
}
