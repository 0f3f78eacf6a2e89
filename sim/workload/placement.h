// Which devices each job of a scenario gets, and groups within a job.
//
// Without a placement a job gets all that its selectors name, also what others have. With one it gets `count`
// of those that no job before it has:
//   packed   node after node, each filled before the next one
//   spread   one of each node in turn: as many nodes as there are
//   random   drawn from the scenario's seed
// Ranks are in the order in which the selectors name the devices, whatever the rule.
#pragma once
#include <span>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/topology/topology.h"
#include "sim/workload/spec.h"

namespace brigade {

// By job; empty where it has a mistake, which `errors` then holds.
std::vector<std::vector<VertexId>> place_jobs(std::span<const JobSpec> jobs, const Topology& topology,
                                              uint64_t seed, Diagnostics& errors);

// Ranks of each group, each in rank order; nothing where so many ranks cannot be cut like that: they must be
// a multiple of size x stride.
std::vector<std::vector<Rank>> groups_of(Rank ranks, const GroupSpec& spec);

}  // namespace brigade
