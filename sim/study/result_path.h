// A path into a result as JSON: "jobs.train.step_time_us",
// "jobs.bench.rows[algorithm=ring,bytes=4096].time_us".
//
// A key of a map; in a list [0] for an item by number, [key=value,...] for the first item of which all hold,
// and a plain key for the item of that name (jobs.train). A list at the end of a path stands for the number
// of its items.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace brigade {

class ResultPath {
 public:
  // Empty where `text` is none.
  static std::optional<ResultPath> parse(const std::string& text);

  struct Found {
    bool known = false;   // all keys are there; an item of a list need not be, nor what is below it
    std::string unknown;  // which key is not, with a suggestion: `no "step" in jobs.train; did you mean ...`
  };
  // `value` becomes the figure: a number, text, a bool, or null where the result has none.
  Found find(const nlohmann::ordered_json& result, nlohmann::ordered_json& value) const;

  const std::string& text() const { return text_; }

 private:
  struct Step {
    std::string key;                                            // of a map, or name of a list's item
    std::optional<size_t> index;                                // of a list's item
    std::vector<std::pair<std::string, std::string>> selected;  // of a list's item
  };
  static bool parse_brackets(const std::string& inside, Step& step);
  std::string shown(size_t steps) const;

  std::string text_;
  std::vector<Step> steps_;
};

}  // namespace brigade
