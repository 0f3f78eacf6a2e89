// Whether a DDP step fits: said before it runs.
#pragma once
#include "sim/workload/job.h"
#include "sim/workload/model.h"

namespace brigade {

// Warns where a device has less memory than the model states, the buckets and, of named transformers, the
// activations (memory_model.h, fused attention) need all together; devices without a known memory never do.
void warn_of_ddp_memory(const DdpJobSpec& spec, const Model& model, const JobContext& context,
                        Diagnostics& errors);

}  // namespace brigade
