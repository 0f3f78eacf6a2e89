// What the programs of sharded training need to know of a model beside its units: blocks that are recomputed
// together, activations, and the memory that is held all the time.
#pragma once
#include <string>
#include <vector>

#include "sim/workload/memory_model.h"
#include "sim/workload/shard_groups.h"
#include "sim/workload/shard_program.h"

namespace brigade {

// Bytes a parameter, wherever they are.
StateBytes state_bytes_of(const ShardedJobSpec& spec);

// The memory model's question that the job amounts to; what is offloaded is not on the device.
MemoryRequest memory_request_of(const ShardedJobSpec& spec, const Model& model, const ShardGroups& groups);

// By segment. Of named transformers activations are counted by the memory model, of written-out layers as
// they say; of other models they are not.
std::vector<SegmentFacts> segment_facts(const ShardedJobSpec& spec, const Model& model,
                                        const ShardUnits& units, const MemoryRequest& request);

// Model states, parameters that are never sharded, buffers, context.
Bytes held_memory(const ShardInput& in, const MemoryRequest& request);

}  // namespace brigade
