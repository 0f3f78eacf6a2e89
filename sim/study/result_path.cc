#include "sim/study/result_path.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "sim/base/diagnostic.h"
#include "sim/report/figures.h"

namespace brigade {
namespace {

using Json = nlohmann::ordered_json;

std::string plain_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : scalar_text(value);
}

const Json* item_named(const Json& list, const std::string& name) {
  for (const Json& item : list) {
    const auto key = item.is_object() ? item.find("name") : item.end();
    if (item.is_object() && key != item.end() && *key == name) return &item;
  }
  return nullptr;
}

const Json* item_with(const Json& list, const std::vector<std::pair<std::string, std::string>>& selected) {
  for (const Json& item : list) {
    const bool all = std::all_of(selected.begin(), selected.end(), [&](const auto& wanted) {
      const auto found = item.is_object() ? item.find(wanted.first) : item.end();
      return item.is_object() && found != item.end() && plain_text(*found) == wanted.second;
    });
    if (all) return &item;
  }
  return nullptr;
}

std::vector<std::string> names_in(const Json& value) {
  std::vector<std::string> names;
  if (value.is_object()) {
    for (const auto& [key, item] : value.items()) names.push_back(key);
  } else if (value.is_array()) {
    for (const Json& item : value) {
      if (item.is_object() && item.contains("name")) names.push_back(plain_text(item["name"]));
    }
  }
  return names;
}

}  // namespace

bool ResultPath::parse_brackets(const std::string& inside, Step& step) {
  uint32_t index = 0;
  if (absl::SimpleAtoi(inside, &index)) {
    step.index = index;
    return true;
  }
  for (const absl::string_view view : absl::StrSplit(inside, ',')) {
    const std::string part(view);
    const size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0) return false;
    step.selected.emplace_back(part.substr(0, equals), part.substr(equals + 1));
  }
  return true;
}

std::optional<ResultPath> ResultPath::parse(const std::string& text) {
  ResultPath path;
  path.text_ = text;
  for (size_t i = 0; i < text.size();) {
    Step step;
    if (text[i] == '[') {
      const size_t end = text.find(']', i);
      if (path.steps_.empty() || end == std::string::npos ||
          !parse_brackets(text.substr(i + 1, end - i - 1), step))
        return {};
      i = end + 1;
    } else {
      if (!path.steps_.empty() && text[i++] != '.') return {};
      const size_t end = std::min(text.find_first_of(".[", i), text.size());
      if (end == i) return {};
      step.key = text.substr(i, end - i);
      i = end;
    }
    path.steps_.push_back(std::move(step));
  }
  if (path.steps_.empty()) return {};
  return path;
}

std::string ResultPath::shown(size_t steps) const {
  std::string out;
  for (size_t i = 0; i < steps; ++i) {
    const Step& step = steps_[i];
    if (step.key.empty()) {
      absl::StrAppend(&out, step.index ? absl::StrCat("[", *step.index, "]") : "[...]");
    } else {
      absl::StrAppend(&out, out.empty() ? "" : ".", step.key);
    }
  }
  return out.empty() ? "the result" : out;
}

ResultPath::Found ResultPath::find(const Json& result, Json& value) const {
  value = nullptr;
  const Json* at = &result;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (!step.key.empty()) {
      const Json* next = nullptr;
      if (at->is_object()) {
        const auto found = at->find(step.key);
        if (found != at->end()) next = &*found;
      } else if (at->is_array()) {
        next = item_named(*at, step.key);
      }
      if (next == nullptr)
        return {false,
                absl::StrCat("no \"", step.key, "\" in ", shown(i), suggestion(step.key, names_in(*at)))};
      at = next;
      continue;
    }
    if (!at->is_array()) return {false, absl::StrCat(shown(i), " is no list")};
    const Json* next = !step.selected.empty()     ? item_with(*at, step.selected)
                       : *step.index < at->size() ? &(*at)[*step.index]
                                                  : nullptr;
    if (next == nullptr) return {true, ""};
    at = next;
  }
  if (at->is_object())
    return {false, absl::StrCat(shown(steps_.size()), " is not one figure", suggestion("", names_in(*at)))};
  value = at->is_array() ? Json(at->size()) : *at;
  return {true, ""};
}

}  // namespace brigade
