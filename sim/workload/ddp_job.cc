#include "sim/workload/ddp_job.h"

#include <algorithm>
#include <string>

#include "sim/base/check.h"
#include "sim/workload/batch_size.h"

namespace brigade {

std::unique_ptr<Job> DdpJob::make(const DdpJobSpec& spec, JobContext context, Diagnostics& errors) {
  std::optional<DdpPlan> plan = plan_ddp(spec, context, errors);
  if (!plan) return nullptr;
  return std::unique_ptr<Job>(new DdpJob(spec, std::move(context), std::move(*plan)));
}

void DdpJob::begin(Simulation& simulation, JobTrace* trace) {
  trace_ = trace;
  comm_ = simulation.add_communicator(context_.id, context_.devices, context_.name);
  ranks_.resize(context_.devices.size());
  for (Rank r = 0; r < ranks_.size(); ++r)
    simulation.timer(context_.id, r, Time{} + context_.start + context_.late[r], 0);
}

void DdpJob::on(const Notice& notice, Simulation& simulation) {
  if (notice.what == Notice::What::kCollectiveDone) {
    const RankState& s = ranks_[notice.rank];
    collective_done(notice.rank, notice.index - steps_[static_cast<size_t>(s.step)].first_call, simulation);
  } else if (ranks_[notice.rank].phase == Phase::kNotStarted) {
    begin_step(notice.rank, simulation);
  } else {
    phase_over(notice.rank, simulation);
  }
}

void DdpJob::begin_step(Rank r, Simulation& simulation) {
  RankState& s = ranks_[r];
  ++s.step;
  if (steps_.size() == static_cast<size_t>(s.step)) {  // the first rank to get there
    StepRecord record;
    for (const CollectiveCall& c : iteration(s).calls) {
      const uint32_t index = simulation.add_collective(comm_, c);
      if (&c == &iteration(s).calls.front()) record.first_call = index;
    }
    steps_.push_back(record);
  }
  const Time now = simulation.now();
  s.step_begin = s.comm_free = now;
  s.at_begin = s.occupancy.totals(now);
  s.micro_batch = 0;
  s.done = s.next_bucket = s.copied = 0;
  s.buckets.assign(iteration(s).buckets.size(), {});
  if (iteration(s).broadcasts == 0) return begin_micro_batch(r, simulation);
  wait(r, Phase::kBuffers, now);
  for (uint32_t i = 0; i < iteration(s).broadcasts; ++i) call(r, simulation);
}

void DdpJob::begin_micro_batch(Rank r, Simulation& simulation) {
  const bool last = ranks_[r].micro_batch + 1 == spec_.accumulate;
  const DdpCompute& c = compute_of(r);
  if (last)
    spend(r, Phase::kForward, c.forward, true, simulation);
  else
    spend(r, Phase::kEarlyForward, c.early_forward, true, simulation);
}

void DdpJob::phase_over(Rank r, Simulation& simulation) {
  RankState& s = ranks_[r];
  const Time now = simulation.now();
  const DdpCompute& c = compute_of(r);
  if (s.phase == Phase::kBackward) return in_backward(r, simulation);
  record_phase(r, now);
  switch (s.phase) {
    case Phase::kEarlyForward:
      return spend(r, Phase::kEarlyBackward, c.early_backward, true, simulation);
    case Phase::kEarlyBackward:
      ++s.micro_batch;
      return begin_micro_batch(r, simulation);
    case Phase::kForward:
      if (c.unused_search.ps > 0) return spend(r, Phase::kUnusedSearch, c.unused_search, false, simulation);
      [[fallthrough]];
    case Phase::kUnusedSearch:
      s.phase = Phase::kBackward;
      s.phase_begin = s.backward_begin = s.bucket_begin = now;
      s.occupancy.compute(true, now);
      return in_backward(r, simulation);
    case Phase::kCopyOut:
      ++s.copied;
      return copy_or_wait(r, simulation);
    case Phase::kNorm:
      wait(r, Phase::kNormReduce, now);
      return call(r, simulation);
    case Phase::kOptimizer:
      if (spec_.host_gap.ps > 0) return spend(r, Phase::kGap, spec_.host_gap, false, simulation);
      [[fallthrough]];
    case Phase::kGap:
      return end_step(r, simulation);
    default:
      BRIGADE_CHECK(false, "a timer in phase ", int(s.phase), " of rank ", r);
  }
}

// Launches the buckets whose turn has come, and goes on to the next one or to the end of backward. DDP
// launches buckets in their order: one that is ready waits for those before it.
void DdpJob::in_backward(Rank r, Simulation& simulation) {
  RankState& s = ranks_[r];
  const DdpCompute& c = compute_of(r);
  const Time now = simulation.now();
  const uint32_t first = s.next_bucket;
  for (; s.next_bucket < c.bucket_ready.size() && s.backward_begin + c.bucket_ready[s.next_bucket] <= now;
       ++s.next_bucket) {
    BucketTimes& b = s.buckets[s.next_bucket];
    b.ready = s.backward_begin + c.bucket_ready[s.next_bucket];
    b.start = now;
    call(r, simulation);
  }
  if (first < s.next_bucket) {
    record_buckets(r, first, now);
    s.bucket_begin = now;
  }
  const Time end = s.backward_begin + c.backward;
  if (now < end) {
    const bool more = s.next_bucket < c.bucket_ready.size();
    const Time next = more ? std::min(end, s.backward_begin + c.bucket_ready[s.next_bucket]) : end;
    return simulation.timer(context_.id, r, next, 0);
  }
  record_phase(r, now);
  if (iteration(s).used_map) call(r, simulation);
  copy_or_wait(r, simulation);
}

void DdpJob::collective_done(Rank r, uint32_t index, Simulation& simulation) {
  RankState& s = ranks_[r];
  const Time now = simulation.now();
  const DdpIteration& it = iteration(s);
  s.occupancy.comm_done(now);
  ++s.done;
  if (index >= it.broadcasts && index - it.broadcasts < s.buckets.size()) {
    BucketTimes& b = s.buckets[index - it.broadcasts];
    b.start = std::max(b.start, s.comm_free);  // the stream may have been busy with the one before
    b.end = now;
    record_all_reduce(r, index - it.broadcasts);
  }
  s.comm_free = now;
  if (s.phase == Phase::kBuffers && s.done == it.broadcasts) return begin_micro_batch(r, simulation);
  if (s.phase == Phase::kReduce) return copy_or_wait(r, simulation);
  if (s.phase == Phase::kNormReduce) spend(r, Phase::kOptimizer, compute_of(r).optimizer, true, simulation);
}

void DdpJob::copy_or_wait(Rank r, Simulation& simulation) {
  RankState& s = ranks_[r];
  const DdpIteration& it = iteration(s);
  const DdpCompute& c = compute_of(r);
  for (; s.copied < s.buckets.size(); ++s.copied) {
    if (s.done <= it.bucket_call(s.copied)) return wait(r, Phase::kReduce, simulation.now());
    if (c.copy_out[s.copied].ps > 0) return spend(r, Phase::kCopyOut, c.copy_out[s.copied], true, simulation);
  }
  if (s.done < it.calls_of_backward()) return wait(r, Phase::kReduce, simulation.now());
  if (it.gradient_norm) return spend(r, Phase::kNorm, c.gradient_norm, true, simulation);
  spend(r, Phase::kOptimizer, c.optimizer, true, simulation);
}

void DdpJob::end_step(Rank r, Simulation& simulation) {
  RankState& s = ranks_[r];
  const Time now = simulation.now();
  StepRecord& step = steps_[static_cast<size_t>(s.step)];
  s.occupancy.compute(false, now);
  if (trace_ != nullptr) {
    Recorder& rec = trace_->recorder;
    rec.slice(trace_->ranks[r].compute, rec.name("step " + std::to_string(s.step)), rec.name("step"),
              s.step_begin, now);
  }
  if (++step.ended == ranks_.size()) {
    step.end = now;
    step.last_rank = s.occupancy.totals(now) - s.at_begin;
    if (static_cast<size_t>(s.step) + 1 == steps_total()) last_buckets_ = bucket_results(s, s.step);
  }
  if (static_cast<size_t>(s.step) + 1 < steps_total()) return begin_step(r, simulation);
  s.phase = Phase::kDone;
}

void DdpJob::call(Rank r, Simulation& simulation) {
  ranks_[r].occupancy.comm_launched(simulation.now());
  simulation.launch(comm_, r);
}

void DdpJob::spend(Rank r, Phase phase, Duration d, bool computes, Simulation& simulation) {
  RankState& s = ranks_[r];
  const Time now = simulation.now();
  s.phase = phase;
  s.phase_begin = now;
  s.occupancy.compute(computes, now);
  if (d.ps == 0) return phase_over(r, simulation);
  simulation.timer(context_.id, r, now + d, 0);
}

void DdpJob::wait(Rank r, Phase phase, Time now) {
  ranks_[r].phase = phase;
  ranks_[r].phase_begin = now;
  ranks_[r].occupancy.compute(false, now);
}

std::vector<BucketResult> DdpJob::bucket_results(const RankState& s, int step) const {
  std::vector<BucketResult> rows;
  const double factor = busbw_factor(Collective::kAllReduce, context_.ranks());
  for (size_t i = 0; i < s.buckets.size(); ++i) {
    const Bucket& bucket = plan_.iteration(step).buckets[i];
    const BucketTimes& t = s.buckets[i];
    const double us = in_us(t.end - t.start);
    rows.push_back(
        {.index = static_cast<int>(i),
         .bytes = bucket.bytes,
         .elements = bucket.elements,
         .ready = t.ready - s.step_begin,
         .start = t.start - s.step_begin,
         .end = t.end - s.step_begin,
         .busbw_gb_per_s = us > 0 ? static_cast<double>(bucket.bytes.count) / us * 1e-3 * factor : 0});
  }
  return rows;
}

JobResult DdpJob::result(const Simulation&) const {
  DdpResult d;
  std::vector<Duration> step_time, compute, comm, overlapped, exposed;
  Time before = Time{} + context_.start;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Occupancy::Totals& t = steps_[i].last_rank;
    if (i >= static_cast<size_t>(spec_.run.warmup)) {
      step_time.push_back(steps_[i].end - before);
      compute.push_back(t.compute);
      comm.push_back(t.comm);
      overlapped.push_back(t.comm - t.exposed);
      exposed.push_back(t.exposed);
    }
    before = steps_[i].end;
  }
  d.last_step = step_time.back();
  d.last_compute = compute.back();
  d.last_communication = comm.back();
  d.last_exposed = exposed.back();
  d.step_time = statistic_of(step_time);
  d.compute = statistic_of(compute);
  d.communication = statistic_of(comm);
  d.overlapped = statistic_of(overlapped);
  d.exposed = statistic_of(exposed);
  const int64_t n = context_.ranks();
  const double step_s = d.step_time.mean_us * 1e-6;
  d.parameters = parameter_count(plan_.model);
  d.global_batch_samples = spec_.micro_batch_samples * spec_.accumulate * n;
  if (plan_.tokens_per_rank) d.global_batch_tokens = *plan_.tokens_per_rank * n;
  d.very_large_batch = is_very_large_batch(d.global_batch_samples, d.global_batch_tokens);
  d.unit = plan_.tokens_per_rank ? "tokens" : "samples";
  if (step_s > 0) {
    d.efficiency = d.compute.mean_us / d.step_time.mean_us;
    d.samples_per_s = static_cast<double>(d.global_batch_samples) / step_s;
    if (d.global_batch_tokens) d.tokens_per_s = static_cast<double>(*d.global_batch_tokens) / step_s;
    if (plan_.useful_flops && plan_.peak_flop_per_s > 0)
      d.mfu = *plan_.useful_flops * static_cast<double>(n) / (plan_.peak_flop_per_s * step_s);
  }
  d.buckets = last_buckets_;
  return {.name = context_.name,
          .kind = "ddp",
          .ranks = static_cast<Rank>(n),
          .assumptions = plan_.assumptions,
          .result = std::move(d)};
}

}  // namespace brigade
