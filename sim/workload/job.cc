#include "sim/workload/job.h"

#include "sim/workload/background_job.h"
#include "sim/workload/collective_job.h"
#include "sim/workload/ddp_job.h"
#include "sim/workload/replay_job.h"
#include "sim/workload/server_job.h"
#include "sim/workload/sharded_job.h"
#include "sim/workload/training_job.h"

namespace brigade {

std::unique_ptr<Job> make_job(const JobSpec& spec, JobContext context, Diagnostics& errors) {
  return std::visit(
      [&](const auto& kind) -> std::unique_ptr<Job> {
        using Spec = std::decay_t<decltype(kind)>;
        if constexpr (std::is_same_v<Spec, CollectiveJobSpec>)
          return CollectiveJob::make(kind, std::move(context), errors);
        else if constexpr (std::is_same_v<Spec, TrainingJobSpec>)
          return TrainingJob::make(kind, std::move(context), errors);
        else if constexpr (std::is_same_v<Spec, ParameterServerJobSpec>)
          return ServerJob::make(kind, std::move(context), errors);
        else if constexpr (std::is_same_v<Spec, ShardedJobSpec>)
          return ShardedJob::make(kind, std::move(context), errors);
        else if constexpr (std::is_same_v<Spec, ReplayJobSpec>)
          return ReplayJob::make(kind, std::move(context), errors);
        else if constexpr (std::is_same_v<Spec, BackgroundJobSpec>)
          return BackgroundJob::make(kind, std::move(context), errors);
        else
          return DdpJob::make(kind, std::move(context), errors);
      },
      spec.kind);
}

}  // namespace brigade
