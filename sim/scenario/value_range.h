// The values of a range: `from: 1 MB, to: 1 GB, step: x2`, or `step: +1 MB`.
//
// Values keep the unit of `from`; `to` and a +step may have another one of the same kind. `to` is part of the
// range where a step meets it. Computed in decimals, never in floating point: a range gives the same text
// everywhere. A factor that leaves the grid (x1.5) is rounded to whole bytes or picoseconds, and to whole
// numbers where `from` is one without a unit that divides (8, "8 samples").
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace brigade {

struct ValueRange {
  std::vector<std::string> values;
  std::string error;  // in words; then there are no values
};

ValueRange range_of(const std::string& from, const std::string& to, const std::string& step,
                    size_t values_max);

// A value as a number, for plots and crossovers: "19.8 MB" is {19.8, "MB"}, "64" is {64, ""}. False: is none.
bool split_number(const std::string& text, double& number, std::string& unit);
// For people, four digits in a fitting unit: 19800 KB is "19.8 MB"; a unit of another kind stays.
std::string print_quantity(double number, const std::string& unit);
// How many `wanted` one `unit` is: 1000 for MB and KB; empty where they are of different kinds.
std::optional<double> units_ratio(const std::string& unit, const std::string& wanted);

}  // namespace brigade
