// The whole result for programs: schema_version counts changes that take a key away or give it another
// meaning.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "sim/report/figures.h"
#include "sim/report/json.h"
#include "sim/report/report.h"
#include "sim/report/session.h"

namespace brigade {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;
constexpr size_t kLinks = 20;

// The busiest ones; of a fold those of its first units, which are the first in order among equals.
std::vector<LinkResult> busiest(const RunResult& result, size_t count) {
  std::vector<LinkResult> links = result.links;
  const uint32_t units = result.fold.used() ? std::min(result.fold.units, Session::kNamedUnits) : 1;
  for (uint32_t unit = 1; unit < units; ++unit)
    for (LinkResult link : result.links) {
      link.link += unit * link.every;
      links.push_back(link);
    }
  if (units > 1) sort_busiest_first(links);
  links.resize(std::min(links.size(), count));
  return links;
}

Json links_of(const Report& report) {
  Json out = Json::array();
  const std::vector<LinkResult> links = busiest(report.result, report.links.value_or(kLinks));
  const size_t count = links.size();
  for (size_t i = 0; i < count; ++i) {
    out.push_back({{"name", report.topology.link_name(links[i].link)},
                   {"bytes", links[i].bytes.count},
                   {"busy_us", exact_us(links[i].busy)},
                   {"utilization", rounded(links[i].utilization)}});
  }
  return out;
}

Json json_of(const Fold& fold) {
  return {{"units", fold.units},
          {"unit", fold.unit == Fold::Unit::kNode ? "node" : "gpu"},
          {"simulated", fold.simulated}};
}

bool is_nested(const Json& value) {
  return std::any_of(value.begin(), value.end(), [](const Json& item) { return item.is_structured(); });
}

// What holds no further objects or arrays stands on one line: a row, a bucket, a link.
void append(std::string& out, const Json& value, size_t indent, bool lines = true) {
  if (!value.is_structured()) {
    out += scalar_text(value);
    return;
  }
  const bool in_lines = lines && (indent == 0 || is_nested(value));
  const std::string inner(indent + 2, ' ');
  const char* separator = "";
  out += value.is_object() ? '{' : '[';
  for (const auto& [key, item] : value.items()) {
    out += separator;
    if (in_lines) absl::StrAppend(&out, "\n", inner);
    if (value.is_object()) absl::StrAppend(&out, scalar_text(key), ": ");
    append(out, item, indent + 2, lines);
    separator = in_lines ? "," : ", ";
  }
  if (in_lines) absl::StrAppend(&out, "\n", std::string(indent, ' '));
  out += value.is_object() ? '}' : ']';
}

}  // namespace

Json json_of(const Report& report) {
  Json out;
  out["schema_version"] = kSchemaVersion;
  out["name"] = report.scenario.name;
  out["seed"] = report.scenario.seed;
  out["input_hash"] = report.scenario.input_hash;
  out["cluster"] = report.topology.name();
  out["jobs"] = Json::array();
  for (const JobResult& job : report.result.jobs) out["jobs"].push_back(figures_of(job));
  out["links"] = links_of(report);
  Json& simulation = out["simulation"];
  simulation["end_us"] = exact_us(report.result.end);
  simulation["events"] = report.result.counts.events;
  simulation["messages"] = report.result.counts.messages;
  if (report.result.counts.segments_lost > 0) {
    simulation["segments_lost"] = report.result.counts.segments_lost;
    simulation["messages_resumed"] = report.result.counts.messages_resumed;
  }
  if (report.result.fold.used()) simulation["folded"] = json_of(report.result.fold);
  for (const FoldedPart& part : report.result.folded_parts) {
    Json folded = json_of(part.fold);
    for (const size_t job : part.jobs) folded["jobs"].push_back(report.result.jobs[job].name);
    if (part.rows > 0) folded["rows"] = part.rows_folded;
    simulation["folded_parts"].push_back(std::move(folded));
  }
  if (report.wall_s) simulation["wall_s"] = *report.wall_s;
  return out;
}

std::string print_json(const Report& report) { return lines_of(json_of(report)); }

std::string lines_of(const Json& value) {
  std::string text;
  append(text, value, 0);
  return text + "\n";
}

std::string line_of(const Json& value) {
  std::string text;
  append(text, value, 0, false);
  return text;
}

}  // namespace brigade
