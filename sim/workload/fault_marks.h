// What `changes` of a time do, in the timeline: a track for each link and rank that they concern, with a
// slice for as long as it is slow ("25 %"), dead or stopped. Where the slice ends it is back.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "sim/engine/simulation.h"
#include "sim/trace/recorder.h"
#include "sim/workload/compute_stream.h"

namespace brigade {

class FaultMarks {
 public:
  // `recorder` may be null: nothing is marked then.
  explicit FaultMarks(Recorder* recorder) : recorder_(recorder) {}
  // Of a process: tracks stand in the order in which they are made.
  void add_rank(ProcessId process, const std::vector<ComputeChange>& changes);
  void add_links(ProcessId network, const Topology& topology, std::span<const TimedLink> changes);
  // Once it is known when the run ends.
  void write(Time end) const;

 private:
  struct Marked {
    TrackId track;
    const char* stopped;  // what it is called when it does nothing
    std::vector<ComputeChange> changes;
  };
  void write(const Marked& marked, Time end) const;

  Recorder* recorder_;
  std::vector<Marked> marked_;
};

}  // namespace brigade
