// The keys of jobs. One reader a kind, each in its own file.
#pragma once
#include <vector>

#include "sim/scenario/fields.h"
#include "sim/workload/spec.h"

namespace brigade {

// `jobs: {name: {kind: ...}}`, in file order.
void read_jobs(Fields& in, std::vector<JobSpec>& out);

void read_collective_job(Fields& in, CollectiveJobSpec& out);
void read_ddp_job(Fields& in, DdpJobSpec& out);
void read_training_job(Fields& in, TrainingJobSpec& out);
void read_server_job(Fields& in, ParameterServerJobSpec& out);
void read_zero_job(Fields& in, ShardedJobSpec& out);
void read_fsdp_job(Fields& in, ShardedJobSpec& out);
void read_replay_job(Fields& in, ReplayJobSpec& out);
void read_background_job(Fields& in, BackgroundJobSpec& out);
void read_model(Fields& in, ModelSpec& out);

// --- shared by kinds
void read_precision(Fields& in, PrecisionSpec& out);
void read_compute(Fields& in, ComputeSpec& out);
// The keys batch, optimizer, gradient_norm and host_gap.
void read_batch(Fields& in, DdpJobSpec& out);
void read_optimizer(Fields& in, DdpJobSpec& out);
void read_between_steps(Fields& in, DdpJobSpec& out);
// `comm_hook` and what belongs to it; `of_ddp`: what only times know.
void read_comm_hook(Fields& in, bool of_ddp, CommHookSpec& out);
void read_run(Fields& in, RunSpec& out);
// The keys inner, outer; `algorithm` has been read.
void read_levels(Fields& in, AlgorithmSpec& out);
void read_rounds_and_channels(Fields& in, AlgorithmSpec& out);
// `all_reduce: {algorithm: ...}`.
void read_all_reduce(Fields& in, AlgorithmSpec& out);
Kind<std::string> algorithm_of(Collective collective);

}  // namespace brigade
