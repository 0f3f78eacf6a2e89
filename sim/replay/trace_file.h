// The files of a trace: plain, gzip, or a tar of several (plain or gzip), or a folder of them. Bytes are
// handed out one trace at a time and freed before the next, so that the traces of many ranks need the memory
// of one.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostic.h"

namespace brigade {

// Larger ones are refused: simdjson counts in 32 bits.
constexpr uint64_t kTraceBytesMax = 4'000'000'000;
// Readable bytes behind the end of what a reader of traces is given (simdjson reads so far in one go).
constexpr size_t kTracePadding = 64;

struct TraceText {
  std::string name;       // for people: "job.tar.gz: rank0.json"
  std::string_view text;  // padded
  bool is_plain;          // the file itself: lines can be pointed at
  // Whoever has read the text, and goes on, may say so: its memory is freed.
  std::function<void()> release = [] {};
};
using TraceReader = std::function<void(const TraceText&)>;

// Calls `read` for each trace of `path`: of a folder or a tar those that end in .json or .json.gz, by name.
// What cannot be read is reported at `asked_from`, or at the file where that names none.
void for_each_trace(const std::string& path, const Place& asked_from, Diagnostics& errors,
                    const TraceReader& read);

}  // namespace brigade
