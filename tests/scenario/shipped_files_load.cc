// Every cluster and scenario file that the project ships is read without a word, by itself.
#include <algorithm>
#include <filesystem>

#include "sim/topology/topology.h"
#include "tests/catch.h"
#include "tests/scenario/scratch.h"
#include "tests/source_dir.h"

using namespace brigade;

namespace {

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(absl::StrCat(source_dir(), "/", folder))) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("shipped topologies load") {
  for (const std::string& file : files_in("topologies")) {
    CAPTURE(file);
    Diagnostics errors;
    const bool loaded = load_cluster(file, {}, errors).has_value();
    CAPTURE(errors.text());
    CHECK(loaded);
  }
}

// By whatever parameter counts them: nodes, racks, workers.
TEST_CASE("shipped machines make clusters of 2, 4, 16 and 128 nodes") {
  for (const std::string& file : files_in("topologies")) {
    const auto has = [&](const std::string& parameter) {
      Diagnostics unsaid;
      return load_cluster(file, {parameter + "=2"}, unsaid).has_value();
    };
    const std::string parameter = has("racks") ? "racks" : has("workers") ? "workers" : "nodes";
    for (const int nodes : {2, 4, 16, 128}) {
      CAPTURE(file, parameter, nodes);
      Diagnostics errors;
      const auto loaded = load_cluster(file, {absl::StrCat(parameter, "=", nodes)}, errors);
      REQUIRE(loaded);
      const auto topology = build_topology(loaded->cluster, {}, errors);
      CAPTURE(errors.text());
      REQUIRE(topology != nullptr);
      CHECK(static_cast<int>(topology->nodes()) >= nodes);
    }
  }
}

TEST_CASE("shipped scenarios load") {
  for (const std::string& file : files_in("scenarios")) {
    CAPTURE(file);
    Diagnostics errors;
    const bool loaded = load_scenario(file, {}, errors).has_value();
    CAPTURE(errors.text());
    CHECK(loaded);
  }
}
