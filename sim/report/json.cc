// The whole result for programs: schema_version counts changes that take a key away or give it another
// meaning.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/report/figures.h"
#include "sim/report/report.h"

namespace brigade {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;
constexpr size_t kLinks = 20;

Json links_of(const Report& report) {
  Json out = Json::array();
  const auto& links = report.result.links;
  const size_t count = std::min(links.size(), report.links.value_or(kLinks));
  for (size_t i = 0; i < count; ++i) {
    out.push_back({{"name", report.topology.link_name(links[i].link)},
                   {"bytes", links[i].bytes.count},
                   {"busy_us", exact_us(links[i].busy)},
                   {"utilization", rounded(links[i].utilization)}});
  }
  return out;
}

}  // namespace

std::string print_json(const Report& report) {
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
  if (report.wall_s) simulation["wall_s"] = *report.wall_s;
  // Names come from files, which need not be UTF-8.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace brigade
