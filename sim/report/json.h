// A report as a JSON value, and JSON as text whose numbers are the shortest that read back (figures.h).
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/report/report.h"

namespace brigade {

// What print_json prints.
nlohmann::ordered_json json_of(const Report& report);
// Over several lines, but what holds no further objects or arrays on one; ends with a line break.
std::string lines_of(const nlohmann::ordered_json& value);
// On one line, without a line break.
std::string line_of(const nlohmann::ordered_json& value);

}  // namespace brigade
