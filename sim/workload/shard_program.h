// The step programs of FSDP2, DeepSpeed's ZeRO and Megatron's distributed optimizer.
//
// fsdp2 (torch.distributed.fsdp.fully_shard, _fsdp_param_group.py): a unit is gathered before its first
// compute
//   of a pass and, where resharded after forward, again before its backward. Gathers are set off `prefetch`
//   units ahead, when the unit that far before begins: 2 in forward, which is what the copy-out that the
//   stream waits for amounts to; 1 in backward, in reverse order of use; 0 is after the unit before has
//   ended. Passes do not reach into each other. After a unit's backward its gradients are copied, once the
//   reduce-scatter before is done, and reduce-scattered. Parameters are padded in their first dimension.
//   Hybrid sharding (_fsdp_collectives.py, foreach_reduce): gathers and reduce-scatters join a shard group;
//   each reduce-scatter sets off an all-reduce of its output over the replicas, on a stream of its own, which
//   only the end of backward waits for; with reduce_over_replicas: last those of the last micro-batch only,
//   onto whose reduce-scatter the others' sum is added (set_requires_all_reduce(False) before). The gradient
//   norm is summed over the shard group: replicas have the same
//   (a DTensor is partial in the mesh dimension that shards it only).
//   reshard_after_forward: auto is PyTorch's None: true for all units but the root's own parameters; true and
//   a number concern these too.
//   Resharding to fewer ranks (_fsdp_param.py, to_sharded_post_forward): after forward a rank copies its part
//   of the gathered parameters and frees the rest; backward gathers these parts, in a process group and so on
//   a communicator of its own.
// deepspeed (runtime/zero, stage_1_and_2.py, stage3.py, partitioned_param_coordinator.py): gradients fill
//   buckets in the order of backward; a bucket is reduced when the next gradient would not fit, at stage 2
//   and 3 in every micro-batch. Without overlap compute waits for it (stage 0: all after backward). Stages 1
//   and 2 gather all parameters after the optimizer. Stage 3 gathers each module's when compute gets to it,
//   sets off a prefetch of further ones in the recorded order, and keeps what is used again within
//   max_reuse_distance; small parameters stay gathered and are renewed after the optimizer. Every step is
//   taken to have its trace. Offloaded parameters: module_fetcher.h, parameter_homes.h.
// megatron (core/distributed, param_and_grad_buffer.py): a bucket closes when it has reached its size; with
//   overlap it is reduced at once, and its parameters are gathered beside the next forward, one bucket ahead.
//
// Taken from the papers and not from the programs: at stages 1 and 2 a bucket is reduce-scattered over all
// ranks (DeepSpeed reduces its slices to their owners, or all-reduces it). Left out: the host, which is never
// late nor ahead; hybrid sharding of the others (DeepSpeed's hpZ and MiCS).
#pragma once
#include <string>
#include <vector>

#include "sim/workload/shard_units.h"
#include "sim/workload/step_program.h"

namespace brigade {

// A segment as the programs see it.
struct SegmentFacts {
  std::string name;
  uint32_t block = kNone;  // what is recomputed together; kNone: never recomputed
  bool first_of_block = false, last_of_block = false;
  bool has_scores = false;     // selective recomputation does something
  Bytes kept{}, recomputed{};  // activations, from forward, or from recomputation, to the end of backward
};

struct ShardInput {
  const Model& model;
  const ShardedJobSpec& spec;
  Rank ranks = 1;          // that share one copy of the model states
  Rank replicas = 1;       // of the model states
  Rank after_forward = 0;  // ranks that share gathered parameters after forward; 0: as the others do
  ShardUnits units;
  std::vector<SegmentFacts> segments;               // as units.segments
  int64_t parameter_bytes = 4, gradient_bytes = 4;  // of an element that is gathered, that is reduced

  bool copies() const { return !spec.work.buckets.gradient_as_bucket_view; }
  DType parameter_dtype() const { return spec.work.precision.parameters; }
  DType gradient_dtype() const;
};

// Pieces of compute of one micro-batch, in order: forward, then backward with what it recomputes.
struct ShardUse {
  Work work = Work::kForward;
  uint32_t segment = 0;
};
std::vector<ShardUse> uses_of(const ShardInput& in);
// The operation of that use, with its activations.
StepOp op_of(const ShardInput& in, const ShardUse& use);
// After the gradients are reduced: norm and optimizer.
void add_update(const ShardInput& in, ProgramBuilder& out);
// The end of a step.
void add_gap(const ShardInput& in, ProgramBuilder& out);

StepProgram fsdp_program(const ShardInput& in);
StepProgram zero_program(const ShardInput& in);

}  // namespace brigade
