// The figures of a job by their keys, units in the names: JSON prints them as they are, CSV in columns.
//
// Times are decimals of whole picoseconds where they are single values (658.75, never 658.7500000001); means
// and ratios are rounded to 6 decimals. `X_us` is the mean over the measured steps; `X_p50_us` and `X_p99_us`
// are nearest-rank percentiles, equal to it where there is one step.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "sim/base/time.h"
#include "sim/workload/result.h"

namespace brigade {

// Exact, as long as the time is below 2^53 ps (2.5 hours); rounded to 53 bits beyond.
double exact_us(Duration d);
// To 6 decimals.
double rounded(double value);

// name, kind, ranks, assumptions, then the rows of a collective job or the figures and buckets of a ddp job.
nlohmann::ordered_json figures_of(const JobResult& job);

}  // namespace brigade
