// What the README shows is what happens: its excerpt of a result, and its scenario to copy.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_replace.h"
#include "sim/scenario/document.h"
#include "tests/golden/run_scenario.h"
#include "tests/source_dir.h"

using namespace brigade;

namespace {

constexpr const char* kIndent = "    ";

std::string text_of(const std::string& path) {
  std::ifstream file(absl::StrCat(source_dir(), "/", path));
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The block of the README that begins with the line `first`, without its indent.
std::string block_beginning_with(const std::string& first) {
  std::istringstream readme(text_of("README.md"));
  std::string block;
  for (std::string line; std::getline(readme, line);) {
    const bool indented = line.starts_with(kIndent);
    const std::string text = indented ? line.substr(4) : line;
    if (block.empty() ? !text.starts_with(first) : !indented && !line.empty()) {
      if (!block.empty()) break;
      continue;
    }
    absl::StrAppend(&block, text, "\n");
  }
  INFO("a block that begins with " << first);
  REQUIRE_FALSE(block.empty());
  return block.substr(0, block.find_last_not_of('\n') + 1);
}

}  // namespace

TEST_CASE("the result that the README shows") {
  const std::string shown = block_beginning_with("train: ddp of");
  CAPTURE(shown);
  CHECK(text_of("scenarios/ddp_64gpu.expected.txt").find(shown) != std::string::npos);
}

TEST_CASE("the study that the README shows is the one that is shipped") {
  const auto keys = [](const std::string& yaml) {
    Diagnostics errors;
    const auto document = parse_document(yaml, "", errors);
    INFO(errors.text());
    REQUIRE(document);
    return flow_text(*document);
  };
  const std::string shown = block_beginning_with("# How does an all-reduce of 1 GB grow");
  CHECK(keys(shown) == keys(text_of("scenarios/studies/gpu_count.yaml")));
}

TEST_CASE("the scenario that the README offers") {
  const std::string folder = absl::StrCat(source_dir(), "/topologies/");
  const std::string yaml =
      absl::StrReplaceAll(block_beginning_with("# mine.yaml"), {{"topologies/", folder}});
  const auto path = std::filesystem::temp_directory_path() / "brigade_readme_scenario.yaml";
  std::ofstream(path) << yaml << "\n";
  Diagnostics errors;
  const auto session = Session::open({.file = path.string()}, errors);
  std::filesystem::remove(path);
  CAPTURE(yaml, errors.text());
  REQUIRE(session != nullptr);
  CHECK(errors.text().empty());
  const RunResult result = session->run();
  CHECK(result.failure.empty());
}
