// Files of one test in a folder of their own, and scenarios loaded from them.
#pragma once
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "sim/base/diagnostic.h"
#include "sim/scenario/scenario.h"

namespace brigade {

// A folder that is gone after the test.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "brigade_scenario_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path(const std::string& name) const { return absl::StrCat(path_, "/", name); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  // Without the folder's own name, which differs from run to run.
  std::string shortened(const std::string& text) const {
    return absl::StrReplaceAll(text, {{path_ + "/", ""}});
  }

 private:
  std::string path_;
};

// A scenario of nine lines in which all is well.
inline const std::string kGood =
    "brigade: 1\n"
    "cluster:\n"
    "  models: {g: {peak: {fp32: 1 TFLOP/s}}}\n"
    "  node_types: {n: {gpus: 2, gpu: g, nvlink: {family: ring, bandwidth: 1 GB/s, latency: 1 us}}}\n"
    "  nodes: [{type: n, count: 1}]\n"
    "network: {segment: 1 MiB}\n"
    "jobs:\n"
    "  a: {kind: collective, ranks: \"node[*].gpu[*]\", size: 1 KB}\n"
    "  b: {kind: ddp, ranks: \"node[*].gpu[*]\", model: {name: resnet18}}\n";

// Each error as "LINE:COLUMN: message", in the order in which they are shown; file names where another file
// than `file` is meant.
inline std::vector<std::string> lines_of(const Diagnostics& errors, const std::string& file,
                                         const Scratch& scratch) {
  std::vector<std::string> lines;
  const std::string text = errors.text();
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.find("error: ") == std::string::npos || line.find(" | ") == 5) continue;
    if (line.starts_with(file + ":")) line.erase(0, file.size() + 1);
    line = absl::StrReplaceAll(line, {{"error: ", ""}});
    while (line.starts_with(' ')) line.erase(0, 1);
    lines.push_back(scratch.shortened(line));
  }
  return lines;
}

// What is wrong with a scenario of these bytes; empty where nothing is.
inline std::vector<std::string> errors_of(const std::string& bytes,
                                          const std::vector<std::string>& overrides = {}) {
  const Scratch scratch;
  const std::string file = scratch.write("a.yaml", bytes);
  Diagnostics errors;
  const std::optional<Scenario> scenario = load_scenario(file, overrides, errors);
  if (scenario.has_value() != errors.ok()) return {"a scenario with errors, or none without"};
  return lines_of(errors, file, scratch);
}

// kGood with one piece of it replaced.
inline std::string good_with(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const size_t at = text.find(from);
  return at == std::string::npos ? "" : text.replace(at, from.size(), to);
}

}  // namespace brigade
