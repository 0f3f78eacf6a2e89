// A comparison as text, CSV and JSON.
#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "sim/report/figures.h"
#include "sim/report/json.h"
#include "sim/report/table.h"
#include "sim/study/compare.h"

namespace brigade {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;
constexpr size_t kItemsShown = 10;    // of a list whose items differ
constexpr size_t kCellBytesMax = 40;  // of text

std::string cell(const std::optional<Json>& value) {
  if (!value || value->is_null()) return "-";
  std::string text = value->is_string()   ? value->get<std::string>()
                     : value->is_number() ? scalar_text(*value)
                                          : line_of(*value);
  if (text.size() > kCellBytesMax) text = text.substr(0, kCellBytesMax - 3) + "...";
  return text;
}

std::string change_text(const Compared& figure) {
  if (!figure.change) return "";
  return absl::StrFormat("%+.*f %%", std::abs(*figure.change) < 0.001 ? 4 : 1, *figure.change * 100);
}

// The list that an item belongs to: "jobs.train.buckets" of "jobs.train.buckets[3].end_us".
std::string list_of(const std::string& path) {
  const size_t bracket = path.find('[');
  return bracket == std::string::npos ? "" : path.substr(0, bracket);
}

std::string checks_text(const Comparison& comparison, bool colour) {
  if (comparison.checks.empty()) return "";
  std::string out = absl::StrCat("\n", heading("limits", colour), "\n");
  for (const Check& check : comparison.checks) {
    absl::StrAppend(&out, "  ", check.failed() ? "broken" : "kept  ", "  ", check.limit.text, "\n");
    for (const Check::Found& found : check.found) {
      if (found.broken) absl::StrAppend(&out, "            ", found.path, ": ", found.what, "\n");
    }
  }
  return out;
}

Json json_cell(const std::optional<Json>& value) { return value ? *value : Json(); }

}  // namespace

std::string print_comparison(const Comparison& comparison, bool all, bool colour) {
  Table table;
  table.column(Align::kLeft, "");
  table.column(Align::kRight, "A");
  table.column(Align::kRight, "B");
  table.column(Align::kRight, "change");
  size_t equal = 0, different = 0;
  std::map<std::string, size_t> items;
  std::vector<std::string> lists;  // in order
  std::set<std::string> uneven;    // lists of other lengths: their items are hardly the same things
  for (const Compared& figure : comparison.figures) {
    if (!figure.equal()) uneven.insert(figure.path);
    equal += figure.equal();
    different += !figure.equal();
    if (figure.equal()) continue;
    const std::string list = list_of(figure.path);
    if (!list.empty() && ++items[list] == 1) lists.push_back(list);
    if (all || list.empty() || (items[list] <= kItemsShown && uneven.count(list) == 0))
      table.row({figure.path, cell(figure.a), cell(figure.b), change_text(figure)});
  }
  std::string out = absl::StrCat("A  ", comparison.a, "\nB  ", comparison.b, "\n\n");
  if (different > 0) absl::StrAppend(&out, heading("differences", colour), "\n", table.text());
  for (const std::string& list : lists) {
    const size_t shown = uneven.count(list) > 0 ? 0 : kItemsShown;
    if (!all && items[list] > shown)
      absl::StrAppend(&out, "  ", list, ": ", items[list] - shown, shown > 0 ? " more" : "",
                      " figures differ; --all shows them\n");
  }
  absl::StrAppend(&out, different > 0 ? "\n" : "", plural(static_cast<int64_t>(equal), "figure"),
                  equal == 1 ? " is" : " are", " equal\n");
  if (all && equal > 0) {
    Table same;
    same.column(Align::kLeft, "");
    same.column(Align::kRight, "");
    for (const Compared& figure : comparison.figures)
      if (figure.equal()) same.row({figure.path, cell(figure.a)});
    out += same.text();
  }
  return out + checks_text(comparison, colour);
}

std::string print_comparison_csv(const Comparison& comparison, bool all) {
  const auto quoted = [](const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    return "\"" + absl::StrReplaceAll(text, {{"\"", "\"\""}}) + "\"";
  };
  const auto value = [&](const std::optional<Json>& v) {
    if (!v || v->is_null()) return std::string();
    return quoted(v->is_string() ? v->get<std::string>() : line_of(*v));
  };
  std::string out = "figure,a,b,change\n";
  for (const Compared& figure : comparison.figures) {
    if (figure.equal() && !all) continue;
    absl::StrAppend(&out, quoted(figure.path), ",", value(figure.a), ",", value(figure.b), ",",
                    figure.change ? scalar_text(Json(rounded(*figure.change))) : "", "\n");
  }
  return out;
}

std::string print_comparison_json(const Comparison& comparison, bool all) {
  Json out;
  out["schema_version"] = kSchemaVersion;
  out["a"] = comparison.a;
  out["b"] = comparison.b;
  size_t equal = 0;
  out["figures"] = Json::array();
  for (const Compared& figure : comparison.figures) {
    equal += figure.equal();
    if (figure.equal() && !all) continue;
    out["figures"].push_back({{"path", figure.path},
                              {"a", json_cell(figure.a)},
                              {"b", json_cell(figure.b)},
                              {"change", figure.change ? Json(rounded(*figure.change)) : Json()}});
  }
  out["equal"] = equal;
  out["limits"] = Json::array();
  for (const Check& check : comparison.checks) {
    Json broken = Json::array();
    for (const Check::Found& found : check.found)
      if (found.broken) broken.push_back({{"path", found.path}, {"is", found.what}});
    out["limits"].push_back(
        {{"limit", check.limit.text}, {"failed", check.failed()}, {"broken", std::move(broken)}});
  }
  return lines_of(out);
}

}  // namespace brigade
