// What the steps of a training job come to: times, throughput, efficiency.
#pragma once
#include <optional>
#include <vector>

#include "sim/workload/occupancy.h"
#include "sim/workload/result.h"
#include "sim/workload/spec.h"

namespace brigade {

struct StepsDone {
  Time begin{};                              // of the first step
  std::vector<Time> end;                     // by step, on the rank that ended it last
  std::vector<Occupancy::Totals> last_rank;  // by step, of that rank
  Rank ranks = 1;
  Rank batches = 1;  // ranks that have samples of their own
  int64_t parameters = 0;
  std::optional<double> useful_flops;  // of one rank's step
  double peak_flop_per_s = 0;          // of all ranks together; 0 where unknown
  std::optional<int64_t> tokens_per_rank;
};
// Of the steps after the warm-up.
DdpResult step_result(const DdpJobSpec& spec, const StepsDone& done);

}  // namespace brigade
