#include "sim/study/relative.h"

#include <algorithm>
#include <map>
#include <string>

#include "sim/base/check.h"

namespace brigade {

size_t dimension_index(const Study& study, const std::string& name) {
  const auto dimensions = study.dimensions();
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i]->name == name) return i;
  }
  BRIGADE_CHECK(false, "no dimension ", name);
  return 0;
}

std::vector<std::optional<double>> relative_of(const PreparedStudy& prepared, const std::vector<Row>& rows) {
  std::vector<std::optional<double>> out(rows.size());
  const StudyRelative& asked = prepared.study.relative;
  if (asked.off) return out;
  const auto column = std::find_if(prepared.columns.begin(), prepared.columns.end(),
                                   [&](const Column& c) { return c.name == asked.of; });
  BRIGADE_CHECK(column != prepared.columns.end(), "no column ", asked.of);
  const auto index = static_cast<size_t>(column - prepared.columns.begin());
  const bool lowest = asked.better == Better::kLowest;
  std::vector<size_t> within;
  for (const std::string& name : asked.within) within.push_back(dimension_index(prepared.study, name));

  const auto value_of = [&](const Row& row) -> std::optional<double> {
    if (row.failed() || !row.cells[index].is_number()) return {};
    return row.cells[index].get<double>();
  };
  std::map<std::vector<std::string>, double> best;
  std::vector<std::vector<std::string>> groups(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto values = prepared.study.values_of(rows[i].point);
    for (const size_t d : within) groups[i].push_back(values[d]->label);
    const std::optional<double> value = value_of(rows[i]);
    if (!value) continue;
    const auto [entry, is_new] = best.try_emplace(groups[i], *value);
    if (!is_new) entry->second = lowest ? std::min(entry->second, *value) : std::max(entry->second, *value);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::optional<double> value = value_of(rows[i]);
    if (!value) continue;
    const double top = best.at(groups[i]), over = lowest ? *value : top, under = lowest ? top : *value;
    if (over == under) {
      out[i] = 1;
    } else if (under > 0) {
      out[i] = over / under;
    }
  }
  return out;
}

}  // namespace brigade
