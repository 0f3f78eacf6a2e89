#include "sim/workload/ddp_memory.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"
#include "sim/workload/shard_facts.h"

namespace brigade {

void warn_of_ddp_memory(const DdpJobSpec& spec, const Model& model, const JobContext& context,
                        Diagnostics& errors) {
  std::optional<Bytes> memory;
  for (const VertexId device : context.devices) {
    const uint32_t number = context.topology.vertices()[device].model;
    if (number == kNone) continue;
    const std::optional<Bytes> has = context.topology.models()[number].memory;
    if (has) memory = std::min(memory.value_or(*has), *has);
  }
  ShardedJobSpec plain;
  plain.work = spec;
  const MemoryRequest request = memory_request_of(plain, model, {.shard = context.ranks()});
  if (!memory || !refusal(request).empty()) return;
  const MemoryUse use = memory_use(request);
  Bytes total = use.total;
  for (const MemoryRow& row : use.rows) {
    if (row.key != "bucket_copies") continue;
    if (spec.buckets.rule == BucketRule::kHorovod)
      total = total - *row.bytes + spec.buckets.fusion;  // its buffer, instead of buckets
    else if (spec.buckets.gradient_as_bucket_view)
      total = total - *row.bytes;
  }
  if (total <= *memory) return;
  errors.warning(context.at, absl::StrCat("job \"", context.name, "\" does not fit: about ", to_string(total),
                                          " on a device of ", to_string(*memory), ", ",
                                          to_string(use.model_states), " of it model states"));
}

}  // namespace brigade
