// What a parameter server's job found, and its slices of the timeline.
#include <algorithm>

#include "sim/workload/batch_size.h"
#include "sim/workload/server_job.h"

namespace brigade {

void ServerJob::record(Rank r, TrackId RankTracks::*track, const char* name, Time begin, Time end) {
  if (trace_ == nullptr || begin == end) return;
  Recorder& rec = trace_->recorder;
  rec.slice(trace_->ranks[r].*track, rec.name(name), rec.name("parameter server"), begin, end);
}

Staleness ServerJob::staleness() const {
  Staleness s;
  int64_t all = 0, sum = 0;
  for (const auto& [value, count] : staleness_) {
    s.counts.push_back({value, count});
    all += count;
    sum += value * count;
  }
  if (all == 0) return s;
  s.mean = static_cast<double>(sum) / static_cast<double>(all);
  s.max = s.counts.back().first;
  const auto nearest_rank = [&](int64_t percentile) {
    int64_t seen = 0;
    for (const auto& [value, count] : s.counts)
      if ((seen += count) * 100 >= percentile * all) return value;
    return s.max;
  };
  s.p50 = nearest_rank(50);
  s.p99 = nearest_rank(99);
  return s;
}

JobResult ServerJob::result(const Simulation&) const {
  ParameterServerResult r;
  r.step_time = statistic_of(step_time_);
  r.compute = statistic_of(compute_);
  r.communication = statistic_of(communication_);
  r.exposed = statistic_of(exposed_);
  r.last_step = last_step_;
  if (r.step_time.mean_us > 0) r.efficiency = r.compute.mean_us / r.step_time.mean_us;
  const bool synchronous = spec_.mode == ServerMode::kSynchronous;
  const auto workers = static_cast<int64_t>(workers_.size());
  r.updates = counted_;
  r.window = window_end_ - window_begin_;
  if (r.window.ps > 0) r.updates_per_s = static_cast<double>(counted_) / in_s(r.window);
  r.samples_per_s = r.updates_per_s * static_cast<double>(spec_.work.micro_batch_samples);
  r.batch_samples = spec_.work.micro_batch_samples * (synchronous ? workers : 1);
  if (plan_.tokens_per_step) {
    r.tokens_per_s = r.updates_per_s * static_cast<double>(*plan_.tokens_per_step);
    r.batch_tokens = *plan_.tokens_per_step * (synchronous ? workers : 1);
  }
  r.very_large_batch = is_very_large_batch(r.batch_samples, r.batch_tokens);
  r.parameters = parameter_count(plan_.model);
  r.gradient = plan_.gradient;
  r.shards = plan_.shards;
  r.largest_shard = plan_.largest_shard;
  r.messages_per_push = static_cast<uint32_t>(plan_.pieces.size());
  if (!synchronous) r.staleness = staleness();
  r.lead_max = lead_max_;
  r.worker_sent_max = *std::max_element(worker_sent_.begin(), worker_sent_.end());
  r.worker_received_max = *std::max_element(worker_received_.begin(), worker_received_.end());
  for (size_t s = 0; s < servers_.size(); ++s)
    r.servers.push_back({.device = context_.topology.vertex_name(plan_.servers[s]),
                         .received = servers_[s].received,
                         .sent = servers_[s].sent});
  return {.name = context_.name,
          .kind = "parameter_server",
          .ranks = static_cast<Rank>(workers),
          .assumptions = plan_.assumptions,
          .result = std::move(r)};
}

}  // namespace brigade
