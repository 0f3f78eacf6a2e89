#include "sim/study/flatten.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "sim/report/figures.h"

namespace brigade {
namespace {

using Json = nlohmann::ordered_json;

std::string plain_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : scalar_text(value);
}

// What tells the items of `list` apart: a name, or what a row of a collective measured; empty: only their
// number.
std::vector<std::string> keys_of(const Json& list) {
  for (const std::vector<std::string>& keys :
       {std::vector<std::string>{"name"},
        {"algorithm", "bytes"},
        {"algorithm", "bytes", "rounds_mode"},
        {"collective", "algorithm", "bytes", "ranks", "rounds_mode"}}) {
    std::set<std::vector<std::string>> seen;
    const bool tell = std::all_of(list.begin(), list.end(), [&](const Json& item) {
      std::vector<std::string> values;
      for (const std::string& key : keys) {
        if (!item.contains(key)) return false;
        values.push_back(plain_text(item[key]));
      }
      return seen.insert(std::move(values)).second;
    });
    if (tell) return keys;
  }
  return {};
}

std::string item_path(const std::string& list, const Json& item, size_t index,
                      const std::vector<std::string>& keys) {
  if (keys.empty()) return absl::StrCat(list, "[", index, "]");
  if (keys.front() == "name" && list == "jobs") return absl::StrCat(list, ".", plain_text(item["name"]));
  std::string selected;
  for (const std::string& key : keys)
    absl::StrAppend(&selected, selected.empty() ? "" : ",", key, "=", plain_text(item[key]));
  return absl::StrCat(list, "[", selected, "]");
}

// A percentile that is its mean, as with a single step.
bool only_repeats(const Json& object, const std::string& key, const Json& value) {
  for (const char* percentile : {"_p50_us", "_p99_us"}) {
    if (!absl::EndsWith(key, percentile)) continue;
    const auto mean = object.find(key.substr(0, key.size() - 7) + "_us");
    return mean != object.end() && *mean == value;
  }
  return false;
}

// The part of `other` that corresponds to an item of `value`; null where there is none.
const Json* in_object(const Json* other, const std::string& key) {
  if (other == nullptr || !other->is_object()) return nullptr;
  const auto found = other->find(key);
  return found == other->end() ? nullptr : &*found;
}
const Json* in_list(const Json* other, const Json& item) {
  if (other == nullptr || !other->is_array() || !item.contains("name")) return nullptr;
  for (const Json& candidate : *other) {
    const Json* name = in_object(&candidate, "name");
    if (name != nullptr && *name == item["name"]) return &candidate;
  }
  return nullptr;
}

void append(const Json& value, const Json* other, const std::string& path, Figures& out);

void append_object(const Json& value, const Json* other, const std::string& path, Figures& out) {
  for (const auto& [key, item] : value.items()) {
    if (path.empty() && (key == "schema_version" || key == "input_hash")) continue;
    if (only_repeats(value, key, item)) continue;
    append(item, in_object(other, key), path.empty() ? key : absl::StrCat(path, ".", key), out);
  }
}

void append_list(const Json& value, const Json* other, const std::string& path, Figures& out) {
  if (path != "jobs") out.emplace_back(path, value.size());
  std::vector<std::string> keys = keys_of(value);
  const bool single = value.size() == 1 && other != nullptr && other->is_array() && other->size() == 1;
  if (single && !keys.empty() && keys.front() != "name") keys.clear();
  for (size_t i = 0; i < value.size(); ++i)
    append(value[i], in_list(other, value[i]), item_path(path, value[i], i, keys), out);
}

void append(const Json& value, const Json* other, const std::string& path, Figures& out) {
  if (value.is_object()) {
    append_object(value, other, path, out);
  } else if (value.is_array() && !value.empty() && value.front().is_object()) {
    append_list(value, other, path, out);
  } else {
    out.emplace_back(path, value);
  }
}

}  // namespace

Figures flatten(const Json& result, const Json& other) {
  Figures figures;
  append(result, &other, "", figures);
  return figures;
}

}  // namespace brigade
