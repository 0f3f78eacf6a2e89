// What happened, as plain data for the writers: slices on tracks, flow arrows, counters. Knows nothing of
// jobs or networks; those decide what is worth a record. Off costs nothing: whoever records holds a null
// pointer then.
//
// Three filters keep files small. Level: ask `wants` before recording. Ranks: a process of a rank that was
// not chosen hands out kNoTrack, and what is recorded there is dropped. Window: records outside it are
// dropped. An arrow with an end that was dropped is dropped whole.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/time.h"

namespace brigade {

// Each level includes the ones before it.
enum class TraceLevel : uint8_t { kJob, kCollective, kMessage, kSegment };

using ProcessId = uint32_t;
using TrackId = uint32_t;
using NameId = uint32_t;

// The track of a process that is not wanted: its records are dropped.
constexpr TrackId kNoTrack = kNone;

// A value of a slice's args; units belong to the key ("bytes", "busbw_gb_per_s").
struct TraceArg {
  std::string key;
  double number = 0;   // finite
  std::string text{};  // used where not empty
};

class Recorder {
 public:
  struct Options {
    TraceLevel level = TraceLevel::kMessage;
    Time window_begin{}, window_end = kNever;  // [begin, end); a slice that reaches into it is kept whole
    std::vector<bool> ranks = {};              // by rank; empty: all
  };
  // A process (rank, "network") in sort order of creation; a track (stream, link) of a process: one serial
  // resource, so that its slices lie side by side or one inside the other, never across.
  struct Process {
    std::string name;
    bool wanted;
    uint32_t tracks;
  };
  struct Track {
    ProcessId process;
    uint32_t index;  // within its process
    std::string name;
  };
  struct Slice {
    TrackId track;
    NameId name, category;
    uint32_t args_count;
    Time begin, end;
    uint64_t args_first;
  };
  // An arrow from inside the slice at (from, from_at) to inside the slice at (to, to_at).
  struct Flow {
    NameId name;
    TrackId from, to;
    Time from_at, to_at;
  };
  struct Counter {
    ProcessId process;
    NameId name, key;
    Time at;
    double value;
  };
  struct Arg {
    NameId key;
    NameId text;  // kNone: `number` holds
    double number;
  };

  Recorder() : Recorder(Options{}) {}
  explicit Recorder(Options options);
  bool wants(TraceLevel level) const { return level <= options_.level; }
  bool wants_rank(Rank rank) const {
    return options_.ranks.empty() || (rank < options_.ranks.size() && options_.ranks[rank]);
  }

  ProcessId process(std::string name);
  // The process of a rank; it keeps its number, though not its name, where `ranks` leaves it out. Create
  // these first and in order, so that a viewer's process id is rank + 1.
  ProcessId rank_process(Rank rank, std::string name);
  TrackId track(ProcessId process, std::string name);
  NameId name(std::string_view text);  // interned

  // 0 <= begin <= end. Slices may be recorded in any order.
  void slice(TrackId track, NameId name, NameId category, Time begin, Time end,
             const std::vector<TraceArg>& args = {});
  // from_at <= to_at, each within a slice of its track (ends included) that is recorded before or after.
  void flow(NameId name, TrackId from, Time from_at, TrackId to, Time to_at);
  // From `at` on the counter (process, name, key) has this value: finite, not negative. `key` is the unit:
  // see is_counter_unit in counters.h.
  void counter(ProcessId process, NameId name, NameId key, Time at, double value);

  const Options& options() const { return options_; }
  const std::vector<Process>& processes() const { return processes_; }
  const std::vector<Track>& tracks() const { return tracks_; }
  const std::vector<Slice>& slices() const { return slices_; }
  const std::vector<Arg>& args() const { return args_; }
  const std::vector<Flow>& flows() const { return flows_; }
  const std::vector<Counter>& counters() const { return counters_; }
  const std::string& text(NameId id) const { return texts_[id]; }

 private:
  ProcessId add_process(std::string name, bool wanted);
  bool in_window(Time t) const { return options_.window_begin <= t && t < options_.window_end; }

  Options options_;
  std::vector<Process> processes_;
  std::vector<Track> tracks_;
  std::vector<Slice> slices_;
  std::vector<Arg> args_;
  std::vector<Flow> flows_;
  std::vector<Counter> counters_;
  std::deque<std::string> texts_;  // never moves, so that ids_ may view into it
  std::unordered_map<std::string_view, NameId> ids_;
};

}  // namespace brigade
