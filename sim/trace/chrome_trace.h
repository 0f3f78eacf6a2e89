// The merged timeline of all ranks for Perfetto, in the Chrome Trace Event Format: one JSON file, one event a
// line.
//
// A process of the recorder is a process here (pid from 1, in order of creation), a track a thread (tid from
// 1 within its process); X slices, s/f arrows with ids unique in the file, C counters with the unit as key.
// ts and dur are in microseconds with at most 3 decimals, which is Perfetto's own grain. Processes and tracks
// that hold nothing are left out. The same records give the same bytes.
//
// Left out: async (b/e) and instant events; Perfetto's protobuf format.
#pragma once
#include <cstdint>
#include <string>

#include "sim/trace/output_file.h"
#include "sim/trace/recorder.h"
#include "sim/trace/timeline.h"

namespace brigade {

// What the file says of itself, as top-level keys.
struct ChromeTraceHeader {
  std::string name;  // of the scenario
  uint64_t seed = 0;
};

// gzip where `path` ends in .gz. On an error no file is left, and one that was there before stays as it was.
[[nodiscard]] IoError write_chrome_trace(const Recorder& recorder, const ChromeTraceHeader& header,
                                         const std::string& path);
// The same for a caller that has the timeline already (to print its counts).
[[nodiscard]] IoError write_chrome_trace(const Recorder& recorder, const Timeline& timeline,
                                         const ChromeTraceHeader& header, const std::string& path);

}  // namespace brigade
