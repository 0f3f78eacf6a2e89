// What happened, as plain data for the writers: slices on tracks, flow arrows, counters. Knows nothing of jobs or
// networks; those decide what is worth a record. Off costs nothing: whoever records holds a null pointer then.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/time.h"

namespace brigade {

// Each level includes the ones before it.
enum class TraceLevel : uint8_t { kJob, kCollective, kMessage, kSegment };

using TrackId = uint32_t;
using NameId = uint32_t;

// A value of a slice's args; units belong to the key ("bytes", "busbw_gb_per_s").
struct TraceArg {
  std::string key;
  double number = 0;
  std::string text;  // used where not empty
};

class Recorder {
 public:
  struct Options {
    TraceLevel level = TraceLevel::kMessage;
    Time window_begin{}, window_end = kNever;  // records that lie wholly outside are dropped
    std::vector<bool> ranks;                   // by process index of ranks; empty: all
  };
  // A process (rank, "network") in sort order of creation; a track (stream, link) of a process: one serial resource.
  struct Process { std::string name; };
  struct Track { uint32_t process; std::string name; };
  struct Slice { TrackId track; NameId name; NameId category; Time begin, end; uint32_t args_first, args_count; };
  // An arrow from inside the slice at (from, at) to inside the slice at (to, until).
  struct Flow { NameId name; TrackId from; Time from_at; TrackId to; Time to_at; };
  struct Counter { uint32_t process; NameId name; NameId key; Time at; double value; };

  explicit Recorder(Options options) : options_(std::move(options)) {}
  bool wants(TraceLevel level) const { return level <= options_.level; }

  uint32_t process(std::string name);
  TrackId track(uint32_t process, std::string name);
  NameId name(std::string_view text);  // interned
  void slice(TrackId track, NameId name, NameId category, Time begin, Time end, std::vector<TraceArg> args = {});
  void flow(NameId name, TrackId from, Time from_at, TrackId to, Time to_at);
  void counter(uint32_t process, NameId name, NameId key, Time at, double value);

 private:
  Options options_;
};

}  // namespace brigade
