// The parts of the text report that each kind of job has of its own.
#pragma once
#include <string>

#include "sim/workload/result.h"
#include "sim/workload/spec.h"

namespace brigade {

// nccl-tests' columns, and beside them rounds, the closed form and what was sent.
std::string text_of(const JobResult& job, const CollectiveResult& result, const JobSpec& spec, bool colour);
// Where the step's time goes, and its buckets.
std::string text_of(const JobResult& job, const DdpResult& result, const JobSpec& spec, bool colour);

}  // namespace brigade
