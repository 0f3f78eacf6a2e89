// The collectives that a DDP step calls, in the order in which each rank calls them.
#pragma once
#include "sim/base/diagnostic.h"
#include "sim/workload/ddp_plan.h"

namespace brigade {

// With PyTorch's option neither a static graph nor a map of used parameters goes together.
bool searches_unused(const BucketSpec& spec);

// Cuts the ranks into those that reduce gradients among themselves; false, with an error, where they cannot
// be.
bool add_groups(DdpPlan& plan, const DdpJobSpec& spec, const JobContext& context, Diagnostics& errors);

// Fills plan.iterations but for their compute: the kinds that DdpPlan::kind_of tells apart.
bool add_iterations(DdpPlan& plan, const DdpJobSpec& spec, const JobContext& context, Diagnostics& errors);

}  // namespace brigade
