// Which ranks of an `fsdp` job share one copy of the model states, and which keep parts of its parameters
// between forward and backward.
//
// fully_shard on a mesh of two dimensions, replicas x shards (hybrid sharding, HSDP; _fully_shard.py): ranks
// next to each other are a shard group, the ranks that have the same place in each are replicas of each
// other. A group of one rank is allowed: then only the reduction over replicas sends anything.
// reshard_after_forward of a number (_fsdp_init.py, _get_post_forward_mesh_info): groups of so many ranks
// next to each other; it must divide the shard group and be neither 1 nor all of it, as its documentation
// says (the program itself takes these for false and true).
#pragma once
#include <optional>

#include "sim/workload/job.h"

namespace brigade {

struct ShardGroups {
  Rank shard = 1;          // ranks that share
  Rank replicas = 1;       // how often the model states are there
  Rank after_forward = 0;  // ranks that share gathered parameters after forward; 0: as the others do
};

// Nothing, with an error that says what is allowed, where the job's ranks cannot be cut like that.
std::optional<ShardGroups> shard_groups(const ShardedJobSpec& spec, const JobContext& context,
                                        Diagnostics& errors);

}  // namespace brigade
