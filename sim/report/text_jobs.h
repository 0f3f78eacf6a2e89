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

// How far the workers are from one worker that has the whole batch.
std::string text_of(const JobResult& job, const TrainingResult& result, const JobSpec& spec, bool colour);
// That its data was compared with the direct sum, and how far apart they are.
std::string text_of(const Verification& found);

}  // namespace brigade
