// Every test that records a timeline ends here: the file is written, read by the strict checker, and must
// hold what was recorded.
#pragma once
#include "sim/trace/check_trace.h"
#include "sim/trace/chrome_trace.h"
#include "tests/trace/scratch.h"

namespace brigade {

inline TraceCounts checked_trace(const Recorder& recorder, const std::string& file = "trace.json") {
  const Scratch scratch;
  const Timeline timeline(recorder);
  const IoError error =
      write_chrome_trace(recorder, timeline, {.name = "test", .seed = 1}, scratch.path(file));
  INFO(error.value_or(""));
  REQUIRE_FALSE(error);
  const TraceCheck check = check_trace_file(scratch.path(file));
  for (const std::string& violation : check.violations) UNSCOPED_INFO(violation);
  CHECK(check.violations.empty());
  CHECK(check.counts == timeline.counts());
  return check.counts;
}

}  // namespace brigade
