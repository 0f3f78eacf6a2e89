// Counter tracks from what happens at a link, in bins over time, so that their size does not grow with the
// run.
//
// The end of a run is not known while it runs, so the bins grow with it: from 1 ps each, doubled (neighbours
// joined) whenever time passes the last one. All counters that are written with the same window and `end`
// have the same bins. A counter that was 0 all the time writes nothing.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/base/bytes.h"
#include "sim/base/time.h"
#include "sim/trace/recorder.h"

namespace brigade {

// Whether a counter's key is a unit ("%", "KB", "GB/s", ...): JSON has no other place for it, and viewers
// show
// "<name> <key>".
bool is_counter_unit(std::string_view key);

// Bins of equal width from the begin of a window on, each an integer that starts at 0.
class TimeBins {
 public:
  using Join = int64_t (*)(int64_t, int64_t);
  // `count` is even. Two neighbours become one by `join`.
  TimeBins(Time window_begin, Time window_end, uint32_t count, Join join);

  // Calls visit(value of the bin, length within it) for every bin that [begin, end) touches, in order. What
  // lies outside the window is cut off.
  template <class Visit>
  void for_each(Time begin, Time end, Visit visit) {
    begin = clamp(begin);
    end = clamp(end);
    reach(end);
    while (begin < end) {
      const int64_t bin = (begin - begin_).ps / width_.ps;
      const Time next = begin_ + (bin + 1) * width_;
      const Time until = next < end ? next : end;
      visit(values_[static_cast<size_t>(bin)], until - begin);
      begin = until;
    }
  }
  // Records value_of(value, length) of each bin from the window's begin to `end`, where it changes, and 0 at
  // `end` if the window goes on there.
  template <class Value>
  void write(Recorder& recorder, ProcessId process, NameId name, NameId key, Time end, Value value_of) {
    Time at = begin_;
    double last = 0;
    for_each(begin_, end, [&](int64_t value, Duration length) {
      const double now = value_of(value, length);
      if (now != last) recorder.counter(process, name, key, at, now);
      last = now;
      at += length;
    });
    if (last != 0) recorder.counter(process, name, key, at, 0);
  }

 private:
  Time clamp(Time t) const { return t < begin_ ? begin_ : t > end_ ? end_ : t; }
  void reach(Time end);

  Time begin_, end_;
  Duration width_ = picoseconds(1);
  Join join_;
  std::vector<int64_t> values_;
};

// Utilisation of a link: the share of each bin in which it is busy, in %, to 3 decimals.
class UtilizationCounter {
 public:
  UtilizationCounter(Time window_begin, Time window_end, uint32_t bins = 200);
  // The link serves from `begin` to `end`. Intervals do not overlap; their order does not matter.
  void busy(Time begin, Time end);
  // It does not serve from `begin` to `end` after all, of which busy() was told.
  void idle(Time begin, Time end);
  // It serves at this share of its speed, below 1 or 1. Each bin loses less than a picosecond of it.
  void busy(Time begin, Time end, double share);
  // Records the values up to `end`, which no interval passes. The last bin counts for as long as it lasts.
  void write(Recorder& recorder, ProcessId process, NameId name, Time end);

 private:
  TimeBins bins_;
};

// Depth of a queue: the most that waits during each bin, in KB. What waits for no time does not count.
class QueueCounter {
 public:
  QueueCounter(Time window_begin, Time window_end, uint32_t bins = 200);
  // From `at` on `depth` waits. `at` never decreases.
  void set(Time at, Bytes depth);
  // Records the values up to `end`, not before the last `set`.
  void write(Recorder& recorder, ProcessId process, NameId name, Time end);

 private:
  TimeBins bins_;
  Time since_;
  Bytes depth_;
};

}  // namespace brigade
