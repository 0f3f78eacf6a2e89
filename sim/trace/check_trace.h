// A strict reader of our own Chrome traces, independent of the writer: what a viewer would silently mend,
// drop or draw wrongly is a violation here. Every trace that a test writes goes through it.
//
// Checked: the file is JSON with traceEvents of known phases; pids and tids are integers from 1, each with
// one name; ts and dur are finite, not negative, with at most 3 decimals that a double can hold; X events
// have a dur and nest on their (pid, tid), in file order by begin, parents first; a flow id is an integer
// that belongs to exactly one s and, later in file and not earlier in time, one f with bp e and the same name
// and category, both inside slices; counters have a unit as key, numeric values that are not negative, and
// times that do not decrease.
#pragma once
#include <string>
#include <vector>

#include "sim/trace/timeline.h"

namespace brigade {

struct TraceCheck {
  std::vector<std::string> violations;  // one line each, with the event's index in traceEvents
  TraceCounts counts;                   // as read from the file
};

// Reads gzip as well. A file that cannot be read is a violation.
TraceCheck check_trace_file(const std::string& path);
TraceCheck check_trace_text(const std::string& json);

}  // namespace brigade
