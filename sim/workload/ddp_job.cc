#include "sim/workload/ddp_job.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/workload/jitter.h"
#include "sim/workload/step_result.h"

namespace brigade {

std::unique_ptr<Job> DdpJob::make(const DdpJobSpec& spec, JobContext context, Diagnostics& errors) {
  std::optional<DdpPlan> plan = plan_ddp(spec, context, errors);
  if (!plan) return nullptr;
  return std::unique_ptr<Job>(new DdpJob(spec, std::move(context), std::move(*plan)));
}

void DdpJob::begin(Simulation& simulation, JobTrace* trace) {
  trace_ = trace;
  const DdpGroups& groups = plan_.groups;
  const bool grouped = groups.ranks.size() > 1;
  for (size_t g = 0; g < groups.ranks.size(); ++g) {
    std::vector<VertexId> devices;
    for (const Rank r : groups.ranks[g]) devices.push_back(context_.devices[r]);
    for (uint32_t k = 0; k < comm_streams(); ++k)
      comms_.push_back(simulation.add_communicator(
          context_.id, devices,
          absl::StrCat(context_.name, grouped ? absl::StrCat(" group ", g) : "",
                       k > 0 ? absl::StrCat(" stream ", k) : ""),
          {.ranks = grouped ? groups.ranks[g] : std::vector<Rank>(), .stream = k}));
  }
  calls_made_.resize(comm_streams());
  if (spec_.compute.interference.communication_share != 1) find_egresses(simulation);
  ranks_.resize(context_.devices.size());
  for (Rank r = 0; r < ranks_.size(); ++r) {
    compute_.push_back(
        context_.compute_stream(r, kTokens, spec_.compute.interference.compute_share, simulation));
    simulation.timer(context_.id, r, Time{} + context_.start + context_.late[r], kTokens.work);
  }
  if (fuses()) begin_fusion(simulation);
}

void DdpJob::find_egresses(Simulation& simulation) {
  egresses_.resize(context_.devices.size());
  std::vector<LinkId> all;
  const std::span<const Link> links = context_.topology.links();
  for (LinkId l = 0; l < links.size(); ++l) {
    const auto it = std::find(context_.devices.begin(), context_.devices.end(), links[l].from);
    if (it == context_.devices.end()) continue;
    egresses_[static_cast<size_t>(it - context_.devices.begin())].push_back(l);
    all.push_back(l);
  }
  simulation.may_slow_links(all);
}

void DdpJob::on(const Notice& notice, Simulation& simulation) {
  if (notice.what == Notice::What::kCollectiveDone) {
    const uint32_t comm = notice.comm - comms_.front(), stream = comm % comm_streams();
    const Rank r = plan_.groups.ranks[comm / comm_streams()][notice.rank];
    if (fuses()) return pass_buffer(r, stream, simulation);
    const RankState& s = ranks_[r];
    const uint32_t place = notice.index - steps_[static_cast<size_t>(s.step)].first_call[stream];
    collective_done(r, stream, iteration(s).calls_of_stream[stream][place], simulation);
  } else if (notice.token == kSecond) {
    RankState& s = ranks_[notice.rank];
    s.between = false;
    call(notice.rank, iteration(s).last_call(s.next_bucket - 1), simulation);
    launch_ready(notice.rank, simulation);
  } else if (notice.token == kTokens.change) {
    note_ready(notice.rank);
    compute_[notice.rank].changed();
    if (fuses()) host_changed(notice.rank, simulation);
  } else if (notice.token == kCycle) {
    begin_cycle(fusion_of(notice.rank), simulation);
  } else if (notice.token == kAgreed) {
    agreed(fusion_of(notice.rank), simulation);
  } else if (notice.token >= kCopied) {
    pass_buffer(notice.rank, notice.token - kCopied, simulation);
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
    steps_.emplace_back().first_call = calls_made_;
    const DdpIteration& it = iteration(s);
    for (uint32_t k = 0; k < comm_streams(); ++k) {
      for (size_t g = 0; g < it.calls.size(); ++g)
        for (const uint32_t c : it.calls_of_stream[k])
          simulation.add_collective(comms_[g * comm_streams() + k], it.calls[g][c]);
      calls_made_[k] += static_cast<uint32_t>(it.calls_of_stream[k].size());
    }
  }
  const Time now = simulation.now();
  s.step_begin = now;
  s.comm_free.assign(comm_streams(), now);
  s.is_done.assign(iteration(s).count(), false);
  if (spec_.compute.jitter.kind != JitterKind::kNone)
    compute_[r].jitter(jitter_factor(spec_.compute.jitter, context_.seed, context_.id, r, s.step));
  s.at_begin = s.occupancy.totals(now);
  s.micro_batch = 0;
  s.done = s.next_bucket = s.copied = 0;
  s.buckets.assign(fuses() ? plan_.tensors.size() : iteration(s).buckets.size(), {});
  if (fuses()) begin_fused_step(r);
  if (iteration(s).broadcasts == 0) return begin_micro_batch(r, simulation);
  wait(r, Phase::kBuffers, simulation);
  for (uint32_t i = 0; i < iteration(s).broadcasts; ++i) call(r, i, simulation);
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
      s.phase_begin = s.bucket_begin = now;
      computes(r, true, simulation);
      compute_[r].begin(true);
      return in_backward(r, simulation);
    case Phase::kCopyOut:
      ++s.copied;
      return copy_or_wait(r, simulation);
    case Phase::kNorm:
      wait(r, Phase::kNormReduce, simulation);
      if (fuses()) {
        ++s.next_bucket;
        return ask_for_cycle(fusion_of(r), simulation);
      }
      return call(r, iteration(s).norm_call(), simulation);
    case Phase::kOptimizer:
      if (iteration(s).averages) {
        wait(r, Phase::kAverageReduce, simulation);
        return call(r, iteration(s).average_call(), simulation);
      }
      [[fallthrough]];
    case Phase::kAverage:
      if (spec_.host_gap.ps > 0) return spend(r, Phase::kGap, spec_.host_gap, false, simulation);
      [[fallthrough]];
    case Phase::kGap:
      return end_step(r, simulation);
    default:
      BRIGADE_CHECK(false, "a timer in phase ", int(s.phase), " of rank ", r);
  }
}

// When buckets that are ready became so; before the rate of compute changes.
void DdpJob::note_ready(Rank r) {
  RankState& s = ranks_[r];
  if (s.phase != Phase::kBackward) return;
  const DdpCompute& c = compute_of(r);
  const Duration done = compute_[r].done();
  for (uint32_t i = s.next_bucket; i < c.bucket_ready.size(); ++i)
    if (c.bucket_ready[i] <= done && s.buckets[i].ready == kNever)
      s.buckets[i].ready = compute_[r].when(c.bucket_ready[i]);
}

// Launches the buckets whose turn has come. DDP launches buckets in their order: one that is ready waits for
// those before it, also for their second exchange.
void DdpJob::launch_ready(Rank r, Simulation& simulation) {
  RankState& s = ranks_[r];
  const DdpIteration& it = iteration(s);
  const DdpCompute& c = compute_of(r);
  const Time now = simulation.now();
  const bool in_backward = s.phase == Phase::kBackward;
  const Duration done = in_backward ? compute_[r].done() : c.backward;
  const uint32_t first = s.next_bucket;
  note_ready(r);
  while (!s.between && s.next_bucket < c.bucket_ready.size() && c.bucket_ready[s.next_bucket] <= done) {
    if (fuses()) {
      ++s.next_bucket;
      continue;
    }
    s.buckets[s.next_bucket].start = now;
    s.between = it.per_bucket > 1;
    call(r, it.bucket_call(s.next_bucket++), simulation);
  }
  if (first == s.next_bucket) return;
  if (fuses()) return ask_for_cycle(fusion_of(r), simulation);
  if (in_backward) record_buckets(r, first, now);
  s.bucket_begin = now;
}

// Goes on to the next bucket or to the end of backward.
void DdpJob::in_backward(Rank r, Simulation& simulation) {
  RankState& s = ranks_[r];
  const DdpCompute& c = compute_of(r);
  const Time now = simulation.now();
  const Duration done = compute_[r].done();
  launch_ready(r, simulation);
  if (done < c.backward) {
    const bool more = s.next_bucket < c.bucket_ready.size() && c.bucket_ready[s.next_bucket] > done;
    return compute_[r].tell_at(more ? std::min(c.backward, c.bucket_ready[s.next_bucket]) : c.backward);
  }
  record_phase(r, now);
  if (iteration(s).used_map)
    call(r, iteration(s).bucket_call(static_cast<uint32_t>(s.buckets.size())), simulation);
  copy_or_wait(r, simulation);
}

void DdpJob::collective_done(Rank r, uint32_t stream, uint32_t index, Simulation& simulation) {
  RankState& s = ranks_[r];
  const Time now = simulation.now();
  const DdpIteration& it = iteration(s);
  s.occupancy.comm_done(now);
  ++s.done;
  s.is_done[index] = true;
  if (compute_[r].varies() && !s.occupancy.communicates()) {
    note_ready(r);
    compute_[r].communicates(false);
  }
  if (it.is_of_bucket(index)) {
    const uint32_t bucket = it.bucket_of(index);
    BucketTimes& b = s.buckets[bucket];
    if (index == it.bucket_call(bucket)) {
      b.start = std::max(b.start, s.comm_free[stream]);  // it may have been busy with the one before
      record_all_reduce(r, stream, bucket);
    }
    b.end = now;
    if (index != it.last_call(bucket))
      simulation.timer(context_.id, r, now + compute_of(r).between[bucket], kSecond);
  }
  s.comm_free[stream] = now;
  if (s.phase == Phase::kBuffers && s.done == it.broadcasts) return begin_micro_batch(r, simulation);
  if (s.phase == Phase::kReduce) return copy_or_wait(r, simulation);
  if (s.phase == Phase::kNormReduce)
    return spend(r, Phase::kOptimizer, compute_of(r).optimizer, true, simulation);
  if (s.phase == Phase::kAverageReduce) spend(r, Phase::kAverage, compute_of(r).average, true, simulation);
}

void DdpJob::copy_or_wait(Rank r, Simulation& simulation) {
  RankState& s = ranks_[r];
  const DdpIteration& it = iteration(s);
  const DdpCompute& c = compute_of(r);
  if (fuses() && s.fusion.reduced < s.buckets.size()) return wait(r, Phase::kReduce, simulation);
  for (; !fuses() && s.copied < s.buckets.size(); ++s.copied) {
    if (!s.is_done[it.last_call(s.copied)]) return wait(r, Phase::kReduce, simulation);
    if (c.copy_out[s.copied].ps > 0) return spend(r, Phase::kCopyOut, c.copy_out[s.copied], true, simulation);
  }
  if (s.done < it.calls_of_backward()) return wait(r, Phase::kReduce, simulation);
  if (it.gradient_norm) return spend(r, Phase::kNorm, c.gradient_norm, true, simulation);
  spend(r, Phase::kOptimizer, c.optimizer, true, simulation);
}

void DdpJob::end_step(Rank r, Simulation& simulation) {
  RankState& s = ranks_[r];
  const Time now = simulation.now();
  StepRecord& step = steps_[static_cast<size_t>(s.step)];
  computes(r, false, simulation);
  if (trace_ != nullptr) {
    Recorder& rec = trace_->recorder;
    rec.slice(trace_->ranks[r].compute, rec.name("step " + std::to_string(s.step)), rec.name("step"),
              s.step_begin, now);
  }
  if (++step.ended == ranks_.size()) {
    step.end = now;
    step.last_rank = s.occupancy.totals(now) - s.at_begin;
    step.waiting = s.fusion.waited;
    if (static_cast<size_t>(s.step) + 1 == steps_total()) {
      last_buckets_ = fuses() ? fused_results(r) : bucket_results(s, s.step);
      if (iteration(s).hooked) coding_ = compute_of(r).coding;
    }
  }
  if (static_cast<size_t>(s.step) + 1 < steps_total()) return begin_step(r, simulation);
  s.phase = Phase::kDone;
  compute_[r].close();
}

void DdpJob::call(Rank r, uint32_t index, Simulation& simulation) {
  RankState& s = ranks_[r];
  s.occupancy.comm_launched(simulation.now());
  if (compute_[r].varies()) {
    note_ready(r);
    compute_[r].communicates(true);
  }
  const DdpIteration& it = iteration(s);
  const uint32_t stream = it.is_of_bucket(index) ? it.bucket_of(index) % comm_streams() : 0;
  simulation.launch(comms_[plan_.groups.group_of[r] * comm_streams() + stream], plan_.groups.place_of[r]);
}

void DdpJob::spend(Rank r, Phase phase, Duration d, bool on_gpu, Simulation& simulation) {
  RankState& s = ranks_[r];
  const Time now = simulation.now();
  s.phase = phase;
  s.phase_begin = now;
  computes(r, on_gpu, simulation);
  if (d.ps == 0) return phase_over(r, simulation);
  compute_[r].begin(on_gpu);
  compute_[r].tell_at(d);
}

void DdpJob::wait(Rank r, Phase phase, Simulation& simulation) {
  ranks_[r].phase = phase;
  ranks_[r].phase_begin = simulation.now();
  computes(r, false, simulation);
}

void DdpJob::computes(Rank r, bool busy, Simulation& simulation) {
  ranks_[r].occupancy.compute(busy, simulation.now());
  if (egresses_.empty()) return;
  for (const LinkId link : egresses_[r])
    simulation.slow_link(link, busy ? spec_.compute.interference.communication_share : 1);
}

std::vector<BucketResult> DdpJob::bucket_results(const RankState& s, int step) const {
  std::vector<BucketResult> rows;
  const DdpIteration& it = plan_.iteration(step);
  for (uint32_t i = 0; i < s.buckets.size(); ++i) {
    const BucketTimes& t = s.buckets[i];
    const Collective collective = it.calls.front()[it.bucket_call(i)].plans.front()->algorithm->collective;
    const double factor = busbw_factor(collective, plan_.groups.size);
    const double us = in_us(t.end - t.start);
    const Bytes exchanged = it.exchanged(i);
    rows.push_back({.index = static_cast<int>(i),
                    .bytes = it.buckets[i].bytes,
                    .elements = it.buckets[i].elements,
                    .ready = t.ready - s.step_begin,
                    .start = t.start - s.step_begin,
                    .end = t.end - s.step_begin,
                    .busbw_gb_per_s = us > 0 ? static_cast<double>(exchanged.count) / us * 1e-3 * factor : 0,
                    .exchanged = exchanged});
  }
  return rows;
}

JobResult DdpJob::result(const Simulation&) const {
  StepsDone done{.begin = Time{} + context_.start,
                 .end = {},
                 .last_rank = {},
                 .ranks = static_cast<Rank>(context_.ranks()),
                 .batches = plan_.groups.size,  // the ranks of a group have samples of their own
                 .parameters = parameter_count(plan_.model),
                 .useful_flops = plan_.useful_flops,
                 .peak_flop_per_s = plan_.peak_flop_per_s,
                 .tokens_per_rank = plan_.tokens_per_rank};
  for (const auto& step : steps_) {
    done.end.push_back(step.end);
    done.last_rank.push_back(step.last_rank);
  }
  DdpResult d = step_result(spec_, done);
  d.buckets = last_buckets_;
  d.coding = coding_;
  if (fuses()) d.fusion = fusion_result();
  d.groups = static_cast<int>(plan_.groups.ranks.size());
  return {.name = context_.name,
          .kind = "ddp",
          .ranks = done.ranks,
          .assumptions = plan_.assumptions,
          .result = std::move(d)};
}

}  // namespace brigade
