// The figures of a result that a sweep shows.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/study.h"
#include "sim/study/result_path.h"
#include "sim/study/row.h"

namespace brigade {

struct Column {
  ResultPath path;
  std::string name;
  Better better = Better::kUnknown;
};

// Those of the study; if it names none, the main figures of the jobs of `example`, one of its scenarios.
std::vector<Column> columns_of(const Study& study, const Scenario& example, Diagnostics& errors);

// Times and volumes are better when low, rates and shares when high: "step_time_us", "efficiency".
Better better_of(const std::string& key);

// Takes the cells of `row` out of a result.
void take_cells(const std::vector<Column>& columns, const nlohmann::ordered_json& result, Row& row);

}  // namespace brigade
