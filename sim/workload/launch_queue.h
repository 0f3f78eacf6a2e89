// The collectives of each rank in the order in which they are set off: one that gathers offloaded parameters
// is launched when the rank's share has come from its host, and those behind it not before. So do streams of
// DeepSpeed: copies one after the other on the stream of the all-gathers, and all collectives on the one of
// their communicator.
#pragma once
#include <deque>
#include <optional>
#include <vector>

#include "sim/workload/host_servers.h"
#include "sim/workload/occupancy.h"
#include "sim/workload/step_program.h"

namespace brigade {

class LaunchQueue {
 public:
  LaunchQueue(const StepProgram& program, Rank ranks) : program_(program), ranks_(ranks) {}

  void begin_step(Rank r, Time now);
  // The rank sets them off now; then take() all that can be launched.
  void read(Rank r, const std::vector<uint32_t>& reads, HostServers& hosts, Simulation& simulation);
  void set_off(Rank r, const std::vector<uint32_t>& calls, Time now);
  // The next call to launch now, if there is one. Begins the next copy where that is what it waits for.
  std::optional<uint32_t> take(Rank r, HostServers& hosts, Simulation& simulation);
  // A read or a copy of the rank has ended; then take() again.
  void ended(Rank r, uint32_t task, const HostPlan& plan, Time now);

  void computes(Rank r, bool yes, Time now) { ranks_[r].wanted.compute(yes, now); }
  // Of the step so far.
  Occupancy::Totals totals(Rank r, Time now) { return ranks_[r].wanted.totals(now) - ranks_[r].at_begin; }

 private:
  struct RankState {
    std::deque<uint32_t> calls;
    bool copying = false, copied = false;  // of the first
    std::vector<bool> read;                // of this step
    Occupancy wanted;                      // its "communication" is copies that are set off
    Occupancy::Totals at_begin;
  };
  const StepProgram& program_;
  std::vector<RankState> ranks_;
};

}  // namespace brigade
