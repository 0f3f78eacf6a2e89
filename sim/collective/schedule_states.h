// What every rank holds before and after each round: the data that `brigade schedule` prints.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/collective/replay.h"

namespace brigade {

// What one segment holds on one rank. No contributors: nothing yet.
struct SegmentCell {
  uint64_t contributors = 0;  // bit r: rank r
  double value = 0;           // of each element
  bool fresh = false;         // came in this round
};
using SegmentTable = std::vector<std::vector<SegmentCell>>;  // by rank and segment

struct ScheduleStates {
  std::vector<std::vector<PlannedMessage>> rounds;  // ranges in elements
  std::vector<int64_t> cuts;                        // segment s is elements [cuts[s], cuts[s + 1])
  std::vector<SegmentTable> tables;                 // before round 0, then after each round

  size_t segments() const { return cuts.size() - 1; }
  Range in_segments(Range elements) const;
};

// Up to 64 ranks. `values` are one a rank, or empty. A barrier moves no elements: it gets one segment of
// ours, which shows of whom a rank has heard.
ScheduleStates schedule_states(const Executions& executions, const std::vector<double>& values);

}  // namespace brigade
