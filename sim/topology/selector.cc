// Covered by tests/topology/selectors.cc.
#include "sim/topology/selector.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace brigade {
namespace {

bool parse_number(const std::string& text, uint32_t* n) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos &&
         absl::SimpleAtoi(text, n);
}

}  // namespace

bool Selector::parse_ranges(std::string_view list, Part& part, std::string* error) {
  if (list == "*") return true;
  const std::vector<std::string> items = absl::StrSplit(absl::string_view(list.data(), list.size()), ',');
  for (const std::string& item : items) {
    const std::vector<std::string> ends = absl::StrSplit(item, '-');
    Range range;
    if (ends.size() > 2 || !parse_number(ends.front(), &range.low) ||
        !parse_number(ends.back(), &range.high)) {
      *error =
          absl::StrCat("\"[", std::string(list), "]\" is no set of numbers; allowed: [5], [0-3], [1,4], [*]");
      return false;
    }
    if (range.low > range.high) {
      *error = absl::StrCat("the range ", item, " runs backwards");
      return false;
    }
    part.ranges.push_back(range);
  }
  return true;
}

std::optional<Selector> Selector::parse(std::string_view text, std::string* error) {
  Selector selector;
  while (!text.empty()) {
    Part part;
    const size_t open = text.find('[');
    part.literal = std::string(text.substr(0, open));
    if (part.literal.find_first_of("]* \t") != std::string::npos) {
      *error =
          absl::StrCat("\"", part.literal, "\" is no name; numbers go into brackets: [5], [0-3], [1,4], [*]");
      return std::nullopt;
    }
    if (open == std::string_view::npos) {
      text = {};
    } else {
      const size_t close = text.find(']', open);
      if (close == std::string_view::npos) {
        *error = "a bracket is not closed";
        return std::nullopt;
      }
      part.has_index = true;
      if (!parse_ranges(text.substr(open + 1, close - open - 1), part, error)) return std::nullopt;
      text.remove_prefix(close + 1);
    }
    selector.parts_.push_back(std::move(part));
  }
  if (selector.parts_.empty()) {
    *error = "the selector is empty";
    return std::nullopt;
  }
  return selector;
}

bool Selector::matches(std::string_view name) {
  std::vector<std::pair<Range*, uint32_t>> met;
  for (Part& part : parts_) {
    if (name.substr(0, part.literal.size()) != part.literal) return false;
    name.remove_prefix(part.literal.size());
    if (!part.has_index) continue;
    uint32_t n = 0;
    size_t i = 1;
    if (name.empty() || name[0] != '[') return false;
    for (; i < name.size() && name[i] >= '0' && name[i] <= '9'; ++i)
      n = n * 10 + static_cast<uint32_t>(name[i] - '0');
    if (i == name.size() || name[i] != ']') return false;
    name.remove_prefix(i + 1);
    if (part.ranges.empty()) continue;
    const auto range = std::find_if(part.ranges.begin(), part.ranges.end(),
                                    [n](const Range& r) { return r.low <= n && n <= r.high; });
    if (range == part.ranges.end()) return false;
    met.emplace_back(&*range, n);
  }
  if (!name.empty() && name[0] != '.') return false;
  for (const auto& [range, n] : met) {
    range->met_low = std::min(range->met_low, n);
    range->met_high = std::max(range->met_high, n);
  }
  return true;
}

std::optional<uint32_t> Selector::missing() const {
  for (const Part& part : parts_) {
    for (const Range& r : part.ranges) {
      if (r.met_low != r.low) return r.low;
      if (r.met_high != r.high) return r.high;
    }
  }
  return std::nullopt;
}

}  // namespace brigade
