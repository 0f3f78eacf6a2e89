// The timeline that a scenario and the command line ask for together.
#pragma once
#include <optional>

#include "sim/base/diagnostic.h"
#include "sim/report/session.h"
#include "sim/scenario/scenario.h"
#include "sim/trace/recorder.h"

namespace brigade {

// Nothing where no timeline is wanted. Mistakes in `options` are reported with their option as place.
std::optional<TraceSpec> trace_of(const Scenario& scenario, const TraceOptions& options, Diagnostics& errors);

// Reports chosen ranks that do not exist.
void check_trace_ranks(const TraceSpec& trace, Rank ranks, Diagnostics& errors);
Recorder::Options recorder_options(const TraceSpec& trace, Rank ranks);

}  // namespace brigade
