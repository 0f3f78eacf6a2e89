// Every cluster and scenario file that the project ships is read without a word, by itself.
#include <algorithm>
#include <filesystem>

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

TEST_CASE("shipped scenarios load") {
  for (const std::string& file : files_in("scenarios")) {
    CAPTURE(file);
    Diagnostics errors;
    const bool loaded = load_scenario(file, {}, errors).has_value();
    CAPTURE(errors.text());
    CHECK(loaded);
  }
}
