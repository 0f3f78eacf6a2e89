#include "sim/study/columns.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace brigade {
namespace {

using Json = nlohmann::ordered_json;

// What a job of this kind is asked first.
std::vector<std::string> main_figures(const JobSpec& job) {
  if (std::holds_alternative<CollectiveJobSpec>(job.kind))
    return {"rows[0].time_us", "rows[0].busbw_gb_per_s"};
  if (std::holds_alternative<DdpJobSpec>(job.kind)) return {"step_time_us", "exposed_us", "efficiency"};
  return {"step_time_us"};
}

std::string last_key(const std::string& path) {
  const size_t dot = path.find_last_of('.');
  return dot == std::string::npos ? path : path.substr(dot + 1);
}

}  // namespace

Better better_of(const std::string& key) {
  for (const char* low : {"_us", "bytes", "events", "messages", "_difference"}) {
    if (absl::EndsWith(key, low)) return Better::kLowest;
  }
  for (const char* high : {"_per_s", "efficiency", "mfu"}) {
    if (absl::EndsWith(key, high)) return Better::kHighest;
  }
  return Better::kUnknown;
}

std::vector<Column> columns_of(const Study& study, const Scenario& example, Diagnostics& errors) {
  std::vector<StudyColumn> asked = study.columns;
  if (asked.empty()) {
    for (const JobSpec& job : example.jobs) {
      for (const std::string& figure : main_figures(job)) {
        const std::string prefix = example.jobs.size() > 1 ? job.name + "." : "";
        asked.push_back(
            {absl::StrCat("jobs.", job.name, ".", figure), prefix + last_key(figure), study.base_at});
      }
    }
  }
  std::vector<Column> columns;
  for (StudyColumn& column : asked) {
    std::optional<ResultPath> path = ResultPath::parse(column.path);
    if (!path) {
      errors.error(column.at,
                   absl::StrCat("\"", column.path, "\" is no path, such as jobs.train.step_time_us"));
      continue;
    }
    const Better better = better_of(last_key(column.path));
    columns.push_back({std::move(*path), std::move(column.name), better});
  }
  return columns;
}

void take_cells(const std::vector<Column>& columns, const Json& result, Row& row) {
  row.cells.resize(columns.size());
  row.unknown.resize(columns.size());
  for (size_t c = 0; c < columns.size(); ++c)
    row.unknown[c] = columns[c].path.find(result, row.cells[c]).unknown;
}

}  // namespace brigade
