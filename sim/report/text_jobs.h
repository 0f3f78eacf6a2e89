// The parts of the text report that each kind of job has of its own.
#pragma once
#include <string>
#include <vector>

#include "sim/report/table.h"
#include "sim/workload/result.h"
#include "sim/workload/spec.h"

namespace brigade {

// nccl-tests' columns, and beside them rounds, the closed form and what was sent.
std::string text_of(const JobResult& job, const CollectiveResult& result, const JobSpec& spec, bool colour);
// Where the step's time goes, and its buckets.
std::string text_of(const JobResult& job, const DdpResult& result, const JobSpec& spec, bool colour);
// The same of sharded training: its volume, its memory, its collectives.
std::string text_of(const JobResult& job, const ShardedResult& result, const JobSpec& spec, bool colour);

// Shared by training jobs: "gpt2-xl", and the rows of step time, throughput, compute and communication.
std::string model_name(const ModelSpec& model);
Table step_summary(const DdpResult& result, Rank ranks);

// How far the workers are from one worker that has the whole batch.
std::string text_of(const JobResult& job, const TrainingResult& result, const JobSpec& spec, bool colour);
// How fast workers are and how stale their gradients, and what the servers' NICs carry.
std::string text_of(const JobResult& job, const ParameterServerResult& result, const JobSpec& spec,
                    bool colour);
// Its steps beside the traced ones, its collectives by size, what was found in the trace.
std::string text_of(const JobResult& job, const ReplayResult& result, const JobSpec& spec, bool colour);
// What was offered to the network, and how long its messages took.
std::string text_of(const JobResult& job, const BackgroundResult& result, const JobSpec& spec, bool colour);
// Each job against itself with the cluster to itself; "" where that was not asked for.
std::string slowdown_of(const std::vector<JobResult>& jobs, bool colour);
// Training jobs side by side, a line each; "" where there are fewer than two.
std::string comparison_of(const std::vector<JobResult>& jobs, bool colour);
// Whether the comparison stands for the job's own text too: there are many of its kind.
bool is_only_compared(const JobResult& job, const std::vector<JobResult>& jobs);
// That its data was compared with the direct sum, and how far apart they are.
std::string text_of(const Verification& found);

}  // namespace brigade
