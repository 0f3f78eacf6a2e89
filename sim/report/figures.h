// The figures of a job by their keys, units in the names: JSON prints them as they are, CSV in columns.
//
// Times are decimals of whole picoseconds where they are single values (658.75, never 658.7500000001); means
// and ratios are rounded to 6 decimals. `X_us` is the mean over the measured steps; `X_p50_us` and `X_p99_us`
// are nearest-rank percentiles, equal to it where there is one step.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/base/time.h"
#include "sim/workload/result.h"

namespace brigade {

// Prints as its exact decimals below 1000 s, whose 15 digits a double holds.
double exact_us(Duration d);
// To 6 decimals.
double rounded(double value);

// A number, text, bool or null as JSON: the shortest decimals that read back as the same number, with a point
// (3.0) where it is no integer. (The library's own are sometimes longer: 2877 ps in us are
// 0.0028769999999999998 there.)
std::string scalar_text(const nlohmann::ordered_json& value);

// name, kind, ranks, assumptions, then the rows of a collective job or the figures and buckets of a ddp job.
nlohmann::ordered_json figures_of(const JobResult& job);

}  // namespace brigade
