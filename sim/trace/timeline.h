// The records of a Recorder in the order and the grain of a file: slices per track with parents first, times
// in whole nanoseconds, arrows bound to slices.
//
// Begin and end are rounded (half up), never a duration: rounding is monotone, so what touched still touches,
// what was nested stays nested, and nothing overlaps that did not before.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/trace/recorder.h"

namespace brigade {

constexpr int64_t round_to_ns(Time t) { return t.ps / 1000 + (t.ps % 1000 >= 500); }

// What a file holds, to compare with what a reader of it finds. A track is "process / track" by names.
struct TraceCounts {
  std::map<std::string, int64_t> slices_by_track;
  int64_t flows = 0;
  int64_t counter_values = 0;
  bool operator==(const TraceCounts&) const = default;
};

class Timeline {
 public:
  // Where a flow's two ends are written. A viewer binds an end to the innermost slice that is open there, and
  // some only to a slice that begins there: so an end moves to the begin of its slice, unless a child begins
  // there too or the arrow would point back in time; then it stays, but inside its slice.
  struct Arrow {
    uint32_t flow;  // index into Recorder::flows
    int64_t from_ns, to_ns;
  };

  // Slices of a track that overlap without nesting, or an arrow that no slice holds, are a broken invariant
  // of whoever recorded them. The recorder must outlive this.
  explicit Timeline(const Recorder& recorder);

  // Indices into Recorder::slices, by begin, parents before children.
  std::span<const uint32_t> slices(TrackId track) const {
    return std::span(order_).subspan(first_[track], first_[track + 1] - first_[track]);
  }
  const std::vector<Arrow>& arrows() const { return arrows_; }
  TraceCounts counts() const;

 private:
  void sort_slices();
  void find_parents(TrackId track);
  void bind_flows();
  uint32_t holder(TrackId track, Time at, bool prefer_ending) const;
  bool child_begins_with(uint32_t position) const;
  int64_t begin_ns(uint32_t position) const;
  int64_t inside_ns(uint32_t position, Time at) const;

  const Recorder& recorder_;
  std::vector<uint64_t> first_;  // by track, into order_; one more at the end
  std::vector<uint32_t> order_;
  std::vector<uint32_t> parent_;  // by position in order_: position of the parent, or kNone
  std::vector<Arrow> arrows_;
};

}  // namespace brigade
