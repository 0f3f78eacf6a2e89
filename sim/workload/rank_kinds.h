// Ranks that compute alike: a device model and a speed.
#pragma once
#include <vector>

#include "sim/workload/compute.h"
#include "sim/workload/job.h"

namespace brigade {

// Longer on a rank that computes at this share of its speed.
Duration slowed(Duration d, double share);

struct RankKinds {
  struct Kind {
    double share = 1;
    Rates rates;
    double peak_flop_per_s = 0;  // of the compute dtype; 0 where unknown
    std::optional<Bytes> memory;
  };
  std::vector<Kind> kinds;
  std::vector<uint32_t> kind_of_rank;
  // Of all ranks together; 0 where that of one is unknown.
  double peak_flop_per_s(const JobContext& context) const;
};

// Reports devices that lack what the job needs, and layers without cost.
RankKinds rank_kinds(const Model& model, const DdpJobSpec& job, const JobContext& context,
                     Diagnostics& errors);

}  // namespace brigade
