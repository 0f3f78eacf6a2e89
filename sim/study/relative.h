// Every row against the best one: 1 for the best, 2 for one that takes twice as long or reaches half as much.
#pragma once
#include <optional>
#include <vector>

#include "sim/study/sweep.h"

namespace brigade {

// By row; empty where a row failed, where its figure is no number, or where the best one is 0.
std::vector<std::optional<double>> relative_of(const PreparedStudy& prepared, const std::vector<Row>& rows);

// The index of a dimension in Study::dimensions(); it is there.
size_t dimension_index(const Study& study, const std::string& name);

}  // namespace brigade
