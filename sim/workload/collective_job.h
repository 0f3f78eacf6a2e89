// `kind: collective`: every size with every algorithm, one after the other, as nccl-tests measures them.
//
// A step begins on all ranks when the one before has ended on all (late ranks later by their delay); its time
// is from there to the last rank's end, in all groups. Bytes sent are counted where they are sent, not
// computed.
#pragma once
#include <memory>
#include <vector>

#include "sim/workload/job.h"

namespace brigade {

class CollectiveJob final : public Job {
 public:
  static std::unique_ptr<Job> make(const CollectiveJobSpec& spec, JobContext context, Diagnostics& errors);
  void begin(Simulation& simulation, JobTrace* trace) override;
  void on(const Notice& notice, Simulation& simulation) override;
  bool finished() const override { return row_ == rows_.size(); }
  JobResult result(const Simulation& simulation) const override;

 private:
  struct Group {  // of ranks that run it by themselves
    std::vector<Rank> ranks;
    std::vector<VertexId> devices;
    CommId comm = 0;
    std::vector<Bytes> sent_before = {};
  };
  struct Row {
    CollectiveRow figures;
    std::vector<CollectiveCall> calls;  // by group
    std::vector<Duration> times;        // of the measured steps
  };
  CollectiveJob(const CollectiveJobSpec& spec, JobContext context)
      : spec_(spec), context_(std::move(context)) {}
  bool make_groups(Diagnostics& errors);
  bool add_row(Bytes size, const AlgorithmSpec& algorithm, Diagnostics& errors);
  bool is_caller(Rank r) const;
  bool check_ranks(const std::vector<RankRange>& ranges, const char* key, Diagnostics& errors) const;
  bool add_other_sizes(const AlgorithmSpec& algorithm, CollectiveCall& call, Diagnostics& errors) const;
  void begin_step(Time at, Simulation& simulation);
  void end_step(Simulation& simulation);
  void count_sent(CollectiveRow& row, const Simulation& simulation) const;

  CollectiveJobSpec spec_;
  JobContext context_;
  std::vector<Group> groups_;        // one, unless they are asked for
  std::vector<uint32_t> group_of_;   // by rank
  std::vector<Rank> rank_in_group_;  // by rank
  std::vector<Row> rows_;
  size_t row_ = 0;
  int step_ = 0;
  Rank done_ = 0;
  Time step_begin_{};
};

}  // namespace brigade
