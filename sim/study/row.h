// One point of a study and what became of it.
#pragma once
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace brigade {

struct Row {
  size_t point = 0;
  // By column; empty where the point failed. A cell is null where the result has no such figure.
  std::vector<nlohmann::ordered_json> cells = {};
  std::vector<std::string> unknown = {};   // by column: why its path leads nowhere; empty: it does not
  std::string error = {};                  // why there is no result
  std::vector<std::string> warnings = {};  // of its scenario
  bool failed() const { return !error.empty(); }
};

struct Outcome {
  Row row;
  std::string line;  // of the results file, without its end
};

}  // namespace brigade
