#include "sim/study/compare.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "sim/report/figures.h"
#include "sim/report/json.h"
#include "sim/report/session.h"
#include "sim/study/flatten.h"

namespace brigade {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> change_of(const std::optional<Json>& a, const std::optional<Json>& b) {
  if (!a || !b || !a->is_number() || !b->is_number()) return {};
  const double from = a->get<double>(), to = b->get<double>();
  if (from == to) return 0;
  if (from == 0) return {};
  return (to - from) / std::abs(from);
}

// Figures of both, in the order of A; what only B has stands behind its neighbour there.
std::vector<Compared> align(const Figures& a, const Figures& b) {
  std::map<std::string, size_t> at_a, at_b;
  for (size_t i = 0; i < a.size(); ++i) at_a.emplace(a[i].first, i);
  for (size_t i = 0; i < b.size(); ++i) at_b.emplace(b[i].first, i);
  std::vector<Compared> out;
  const auto add_new_of_b = [&](size_t from) {
    for (size_t i = from; i < b.size() && at_a.find(b[i].first) == at_a.end(); ++i)
      out.push_back({b[i].first, std::nullopt, b[i].second});
  };
  add_new_of_b(0);
  for (const auto& [path, value] : a) {
    const auto other = at_b.find(path);
    out.push_back(
        {path, value, other == at_b.end() ? std::nullopt : std::optional<Json>(b[other->second].second)});
    out.back().change = change_of(out.back().a, out.back().b);
    if (other != at_b.end()) add_new_of_b(other->second + 1);
  }
  return out;
}

bool is_meant(const std::string& path, const std::string& figure) {
  return path == figure || absl::EndsWith(path, "." + figure);
}

bool beyond(double value, const Limit& limit) {
  if (value == limit.number) return limit.or_equal;
  return limit.above ? value > limit.number : value < limit.number;
}

Check::Found check_figure(const Compared& figure, const Limit& limit) {
  Check::Found found{figure.path, "", false};
  const auto is_number = [](const std::optional<Json>& value) { return value && value->is_number(); };
  if (!is_number(figure.b) || (limit.of_change && !is_number(figure.a))) {
    found.what = absl::StrCat("is no number in ", is_number(figure.b) ? "A" : "B");
    found.broken = true;  // what cannot be compared is not taken for good
    return found;
  }
  const double b = figure.b->get<double>();
  if (!limit.of_change) {
    found.what = limit.percent ? absl::StrFormat("%.4g %%", b * 100) : scalar_text(*figure.b);
    found.broken = beyond(limit.percent ? b * 100 : b, limit);
    return found;
  }
  const double a = figure.a->get<double>();
  if (!limit.percent) {
    found.what = absl::StrFormat("%+.6g", b - a);
    found.broken = beyond(b - a, limit);
  } else if (a == 0 && b != 0) {
    found.what = absl::StrCat("from 0 to ", scalar_text(*figure.b));
    found.broken = beyond(b > 0 ? HUGE_VAL : -HUGE_VAL, limit);
  } else {
    const double percent = a == b ? 0 : rounded((b - a) / std::abs(a) * 100);
    found.what = absl::StrFormat("%+.2f %%", percent);
    found.broken = beyond(percent, limit);
  }
  return found;
}

std::string last_key(const std::string& path) {
  const size_t dot = path.find_last_of('.');
  return dot == std::string::npos ? path : path.substr(dot + 1);
}

std::optional<Json> read_result(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  Json json = Json::parse(text.str(), nullptr, false);
  if (!json.is_object() || !json.contains("schema_version") || !json.contains("jobs")) return {};
  return json;
}

}  // namespace

std::optional<Limit> parse_limit(const std::string& text, Diagnostics& errors) {
  Limit limit;
  limit.text = text;
  const size_t at = text.find_first_of("<>");
  const auto trimmed = [](const std::string& piece) {
    return std::string(absl::StripAsciiWhitespace(piece));
  };
  if (at != std::string::npos) {
    limit.figure = trimmed(text.substr(0, at));
    limit.above = text[at] == '>';
    limit.or_equal = text.size() > at + 1 && text[at + 1] == '=';
    std::string number = trimmed(text.substr(at + 1 + limit.or_equal));
    if (!number.empty() && number.back() == '%') {
      limit.percent = true;
      number = trimmed(number.substr(0, number.size() - 1));
    }
    limit.of_change = !number.empty() && (number[0] == '+' || number[0] == '-');
    const bool positive = number.size() > 1 && number[0] == '+' && number[1] != '-' && number[1] != '+';
    if (!limit.figure.empty() && absl::SimpleAtod(number.substr(positive ? 1 : 0), &limit.number) &&
        std::isfinite(limit.number))
      return limit;
  }
  errors.error({"--fail-if", 0, 0},
               absl::StrCat("\"", text,
                            "\" is no limit; allowed: 'step_time_us > +5%', 'exposed_us > +100', "
                            "'efficiency < 90%'"));
  return {};
}

bool Check::failed() const {
  return std::any_of(found.begin(), found.end(), [](const Found& f) { return f.broken; });
}

bool Comparison::failed() const {
  return std::any_of(checks.begin(), checks.end(), [](const Check& check) { return check.failed(); });
}

Comparison compare(const Json& a, const Json& b, const std::vector<Limit>& limits, Diagnostics& errors) {
  Comparison out;
  out.figures = align(flatten(a, b), flatten(b, a));
  for (const Limit& limit : limits) {
    Check check{limit, {}};
    for (const Compared& figure : out.figures) {
      if (is_meant(figure.path, limit.figure)) check.found.push_back(check_figure(figure, limit));
    }
    if (check.found.empty()) {
      std::set<std::string> names;
      for (const Compared& figure : out.figures) names.insert(last_key(figure.path));
      errors.error({"--fail-if", 0, 0},
                   absl::StrCat("unknown figure \"", limit.figure, "\"",
                                suggestion(last_key(limit.figure), {names.begin(), names.end()})));
    }
    out.checks.push_back(std::move(check));
  }
  return out;
}

std::optional<Json> result_of(const std::string& path, const std::vector<std::string>& overrides,
                              Diagnostics& errors, std::string& failure) {
  if (std::optional<Json> result = read_result(path)) {
    if (!overrides.empty()) errors.error({path, 0, 0}, "is a result; --set needs a scenario");
    return result;
  }
  const auto session = Session::open({.file = path, .overrides = overrides, .trace = {.off = true}}, errors);
  if (!session) return {};
  const RunResult result = session->run();
  if (!result.failure.empty()) {
    failure = absl::StrCat(path, ": ", result.failure);
    return {};
  }
  return json_of({.scenario = session->scenario(), .topology = session->topology(), .result = result});
}

}  // namespace brigade
