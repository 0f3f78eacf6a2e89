// The engine's communicators of a sharded job: for each of its program's one a group of ranks.
#pragma once
#include <vector>

#include "sim/engine/simulation.h"
#include "sim/workload/job.h"
#include "sim/workload/step_program.h"

namespace brigade {

class StepComms {
 public:
  StepComms() = default;
  // `comms` must cut the job's devices evenly.
  StepComms(std::vector<StepComm> comms, const JobContext& context);
  void begin(const JobContext& context, Simulation& simulation);

  size_t count() const { return comms_.size(); }
  const StepComm& operator[](size_t comm) const { return comms_[comm]; }
  // Ranks of a group, in rank order; of a fold, those that are simulated.
  const std::vector<std::vector<Rank>>& groups(size_t comm) const { return members_[comm].groups; }

  // What its groups are folded by: nothing where they lie within a unit.
  Fold fold(size_t comm) const { return members_[comm].fold; }

  // The next collective of every group of `comm`, `calls` by group. Returns its index, the same in all.
  uint32_t add(size_t comm, const std::vector<CollectiveCall>& calls, Simulation& simulation) const;
  void launch(size_t comm, Rank r, Simulation& simulation) const;

  struct Member {
    size_t comm = 0;
    Rank rank = 0;  // of the job
  };
  // Whose notice of a collective it is.
  Member member(const Notice& notice) const;
  Bytes sent(size_t comm, Rank r, const Simulation& simulation) const;

 private:
  struct Members {
    std::vector<std::vector<Rank>> groups;
    std::vector<uint32_t> group_of, place_of;  // by rank
    Fold fold;
    CommId first = 0;  // the groups' communicators follow each other
  };
  std::vector<StepComm> comms_;
  std::vector<Members> members_;
};

}  // namespace brigade
