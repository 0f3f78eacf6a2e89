// A selector as a pattern over names: "node[*].gpu[0-3]", "node[0].gpu[1,3]", "leaf[0]". A pattern that ends
// where a name has a dot matches too, so "node[1]" is all of node 1.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace brigade {

class Selector {
 public:
  // Null, with what is wrong in `error`, where the text is no selector.
  static std::optional<Selector> parse(std::string_view text, std::string* error);

  // Also remembers which numbers were met, for missing().
  bool matches(std::string_view name);
  // The first number asked for that no matched name had: "[0-20]" over node[0] to node[15] gives 20.
  std::optional<uint32_t> missing() const;

 private:
  struct Range {
    uint32_t low = 0, high = 0;
    uint32_t met_low = UINT32_MAX, met_high = 0;
  };
  struct Part {
    std::string literal;
    bool has_index = false;     // a bracket follows the literal
    std::vector<Range> ranges;  // none: any number
  };
  static bool parse_ranges(std::string_view list, Part& part, std::string* error);

  std::vector<Part> parts_;
};

}  // namespace brigade
