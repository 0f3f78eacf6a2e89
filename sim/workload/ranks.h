// Which devices a job's ranks are, and what `changes` do to them.
#pragma once
#include <span>
#include <vector>

#include "sim/workload/job.h"

namespace brigade {

// The job's devices in rank order; every mistake (nothing matched, not an endpoint, a device twice) is
// reported.
std::vector<VertexId> find_ranks(const JobSpec& spec, const Topology& topology, Diagnostics& errors);

// The same of any selectors; `what` they are for ("job \"train\"", "servers of ..."). A device twice is no
// mistake here.
std::vector<VertexId> find_endpoints(std::span<const std::string> selectors, const std::string& what,
                                     const Place& at, const Topology& topology, Diagnostics& errors);

// Applies a change to the job if it concerns it: by rank numbers ("3", "0-7", "1,5-6") or by devices
// ("node[2]"). Returns how many ranks it concerns: none of a job that does not compute, if it is of a time.
size_t apply_change(const RankChange& change, bool computes, JobContext& context, Diagnostics& errors);

// A change that names a job needs that job to exist; `concerned`: the ranks that it found in all jobs.
void check_change(const RankChange& change, std::span<const JobSpec> jobs, size_t concerned,
                  Diagnostics& errors);

// The links that changes of a time concern. Reports what this network cannot do; names were checked when the
// topology was built.
std::vector<TimedLink> find_timed_links(std::span<const LinkChange> changes, const Topology& topology,
                                        const NetworkSpec& network, Diagnostics& errors);

}  // namespace brigade
