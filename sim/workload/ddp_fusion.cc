// DDP with `buckets: {rule: horovod}`: what is reduced together follows from when gradients become ready, on
// all ranks, between two cycles (fusion.h).
//
// A rank hands its gradients over one after the other; of a step with a gradient norm that is handed over
// last, after the others were reduced. A buffer goes its way on one stream of each rank: copied in, reduced,
// copied out.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "sim/base/check.h"
#include "sim/workload/communicate.h"
#include "sim/workload/ddp_job.h"
#include "sim/workload/memory_traffic.h"

namespace brigade {
namespace {

// What copying a buffer one way takes. One tensor alone is reduced where it lies (ops/nccl_operations.cc).
Duration copy_time(const Bucket& buffer, const BucketSpec& spec, const DdpCompute& compute) {
  if (buffer.tensors.size() < 2) return {};
  return memory_time(copy_traffic(buffer.bytes, spec).into_bucket, compute.copies);
}

}  // namespace

void DdpJob::begin_fusion(Simulation& simulation) {
  for (const std::vector<Rank>& ranks : plan_.groups.ranks) {
    Duration late{};
    for (const Rank r : ranks) late = std::max(late, context_.late[r]);
    fusion_.push_back({.cycles = FusionCycles(spec_.buckets.cycle, spec_.buckets.negotiation,
                                              Time{} + context_.start + late),
                       .alarm = simulation.add_alarm(context_.id, ranks.front(), kCycle)});
  }
  for (Rank r = 0; r < ranks_.size(); ++r) {
    std::vector<FusionRank::Stream>& streams = ranks_[r].fusion.streams;
    streams.resize(comm_streams());
    for (uint32_t k = 0; k < comm_streams(); ++k) streams[k].next = k;
    host_changed(r, simulation);
  }
}

void DdpJob::begin_fused_step(Rank r) {
  ranks_[r].fusion.reduced = 0;
  ranks_[r].fusion.waited = {};
  ranks_[r].fusion.times.clear();
}

// Tensors that are handed over, or are on some ranks only, wait for a cycle.
void DdpJob::ask_for_cycle(FusionGroup& group, Simulation& simulation) {
  if (std::exchange(group.asked, true) || group.stopped > 0) return;
  simulation.set_alarm(group.alarm, group.cycles.next(simulation.now()));
}

void DdpJob::begin_cycle(FusionGroup& group, Simulation& simulation) {
  if (group.stopped > 0) return;  // it begins when all are back
  const Time now = simulation.now();
  const std::vector<Rank>& ranks = plan_.groups.ranks[static_cast<size_t>(&group - fusion_.data())];
  const uint64_t in_step = plan_.tensors.size() + (spec_.gradient_norm ? 1 : 0);
  uint64_t on_all = UINT64_MAX;
  for (const Rank r : ranks) {
    const RankState& s = ranks_[r];
    if (s.phase == Phase::kBackward) launch_ready(r, simulation);
    on_all = std::min(on_all, s.step < 0 ? 0 : static_cast<uint64_t>(s.step) * in_step + s.next_bucket);
  }
  group.asked = false;
  group.cycles.begin(now);
  if (on_all == group.found) return;

  const int step = static_cast<int>(group.found / in_step);
  const auto first = static_cast<uint32_t>(group.found % in_step);
  const auto last = first + static_cast<uint32_t>(on_all - group.found);
  BRIGADE_CHECK(last <= in_step, "tensors ", first, " to ", last, " of ", in_step, " in a step");
  group.found = on_all;
  const size_t before = group.buffers.size();
  const bool norm = first == plan_.tensors.size();
  std::vector<Bucket> buckets = fuse(plan_.tensors, first, norm ? first : last, spec_.buckets.fusion);
  if (norm) buckets.push_back({.elements = 1, .bytes = {bytes_of(DType::kFp32)}, .dtype = DType::kFp32});
  for (Bucket& bucket : buckets) add_buffer(group, std::move(bucket), step, simulation);
  for (const Rank r : ranks) record_cycle(r, group, before);
  if (spec_.buckets.negotiation.ps == 0) return agreed(group, simulation);
  simulation.timer(context_.id, ranks.front(), group.buffers.back().agreed, kAgreed);
}

void DdpJob::add_buffer(FusionGroup& group, Bucket bucket, int step, Simulation& simulation) {
  const auto g = static_cast<size_t>(&group - fusion_.data());
  const bool first = group.buffers.empty() || group.buffers.back().step != step;
  const uint32_t index = first ? 0 : group.buffers.back().index + 1;
  std::vector<VertexId> devices;
  for (const Rank r : plan_.groups.ranks[g]) devices.push_back(context_.devices[r]);
  CommunicateResult made = communicate({.collective = Collective::kAllReduce,
                                        .algorithm = spec_.all_reduce,
                                        .elements = bucket.elements,
                                        .element_bytes = bytes_of(bucket.dtype),
                                        .root = 0,
                                        .sends = {},
                                        .receives = {},
                                        .fold = context_.fold},
                                       devices, context_.topology);
  BRIGADE_CHECK(made.error.empty(), made.error);  // a larger one passed when the job was made
  made.call.label = bucket.tensors.empty() ? "gradient norm" : "fused buffer " + std::to_string(index);
  const size_t stream = group.buffers.size() % comm_streams();
  simulation.add_collective(comms_[g * comm_streams() + stream], std::move(made.call));
  const Time now = simulation.now();
  group.buffers.push_back({.bucket = std::move(bucket),
                           .step = step,
                           .index = index,
                           .cycle = now,
                           .agreed = now + spec_.buckets.negotiation});
}

// All ranks know what the cycle has found: it queues up on their streams.
void DdpJob::agreed(FusionGroup& group, Simulation& simulation) {
  const Time now = simulation.now();
  const size_t before = group.known;
  while (group.known < group.buffers.size() && group.buffers[group.known].agreed <= now) ++group.known;
  for (const Rank r : plan_.groups.ranks[static_cast<size_t>(&group - fusion_.data())]) {
    RankState& s = ranks_[r];
    if ((s.phase == Phase::kReduce || s.phase == Phase::kNormReduce) && !s.occupancy.communicates())
      s.fusion.waited += now - s.phase_begin;
    for (size_t i = before; i < group.known; ++i) s.occupancy.comm_launched(now);
    if (compute_[r].varies()) {
      note_ready(r);
      compute_[r].communicates(true);
    }
    for (uint32_t k = 0; k < comm_streams(); ++k) next_buffer(r, k, simulation);
  }
}

// The rank's stream takes the next buffer, if it is free and there is one.
void DdpJob::next_buffer(Rank r, uint32_t stream, Simulation& simulation) {
  FusionRank::Stream& s = ranks_[r].fusion.streams[stream];
  if (s.at != FusionRank::At::kNothing || s.next >= fusion_of(r).known) return;
  s.at = FusionRank::At::kCopyIn;
  wait_for_copy(r, stream, simulation);
}

void DdpJob::wait_for_copy(Rank r, uint32_t stream, Simulation& simulation) {
  const FusedBuffer& buffer = fusion_of(r).buffers[ranks_[r].fusion.streams[stream].next];
  const Duration d = copy_time(buffer.bucket, spec_.buckets, compute_of(r));
  if (d.ps == 0) return pass_buffer(r, stream, simulation);
  const Time now = simulation.now();
  record_copy(r, stream, buffer, now, now + d);
  simulation.timer(context_.id, r, now + d, static_cast<uint8_t>(kCopied + stream));
}

// What the stream was at with its buffer is over.
void DdpJob::pass_buffer(Rank r, uint32_t stream, Simulation& simulation) {
  RankState& rank = ranks_[r];
  FusionRank& fusion = rank.fusion;
  FusionRank::Stream& s = fusion.streams[stream];
  const FusedBuffer& buffer = fusion_of(r).buffers[s.next];
  const Time now = simulation.now();
  fusion.times.resize(std::max<size_t>(fusion.times.size(), buffer.index + 1));
  switch (s.at) {
    case FusionRank::At::kCopyIn:
      s.at = FusionRank::At::kReduce;
      fusion.times[buffer.index].start = now;
      record_fused(r, stream, buffer);
      return simulation.launch(comms_[plan_.groups.group_of[r] * comm_streams() + stream],
                               plan_.groups.place_of[r]);
    case FusionRank::At::kReduce:
      s.at = FusionRank::At::kCopyOut;
      fusion.times[buffer.index].end = now;
      return wait_for_copy(r, stream, simulation);
    default:
      break;
  }
  s.at = FusionRank::At::kNothing;
  s.next += comm_streams();
  fusion.reduced += static_cast<uint32_t>(buffer.bucket.tensors.size());
  rank.occupancy.comm_done(now);
  if (compute_[r].varies() && !rank.occupancy.communicates()) {
    note_ready(r);
    compute_[r].communicates(false);
  }
  next_buffer(r, stream, simulation);
  if (rank.phase == Phase::kReduce) return copy_or_wait(r, simulation);
  if (rank.phase == Phase::kNormReduce)
    spend(r, Phase::kOptimizer, compute_of(r).optimizer, true, simulation);
}

// Without one host no cycle begins.
void DdpJob::host_changed(Rank r, Simulation& simulation) {
  FusionGroup& group = fusion_of(r);
  const bool stopped = compute_[r].stopped();
  if (std::exchange(ranks_[r].fusion.stopped, stopped) == stopped) return;
  if (stopped && group.stopped++ == 0) return group.cycles.stop(simulation.now());
  if (stopped || --group.stopped > 0) return;
  group.cycles.go_on(simulation.now());
  if (std::exchange(group.asked, false)) ask_for_cycle(group, simulation);
}

std::vector<BucketResult> DdpJob::fused_results(Rank r) const {
  const RankState& s = ranks_[r];
  std::vector<BucketResult> rows;
  for (const FusedBuffer& b : fusion_[plan_.groups.group_of[r]].buffers) {
    if (b.step != s.step || b.bucket.tensors.empty()) continue;
    const FusionRank::Times& t = s.fusion.times[b.index];
    Time ready{};
    for (const TensorIndex i : b.bucket.tensors) ready = std::max(ready, s.buckets[i].ready);
    const double us = in_us(t.end - t.start);
    const double factor = busbw_factor(Collective::kAllReduce, plan_.groups.size);
    rows.push_back(
        {.index = static_cast<int>(b.index),
         .bytes = b.bucket.bytes,
         .elements = b.bucket.elements,
         .ready = ready - s.step_begin,
         .start = t.start - s.step_begin,
         .end = t.end - s.step_begin,
         .busbw_gb_per_s = us > 0 ? static_cast<double>(b.bucket.bytes.count) / us * 1e-3 * factor : 0,
         .exchanged = b.bucket.bytes,
         .tensors = static_cast<int>(b.bucket.tensors.size()),
         .cycle = b.cycle - s.step_begin});
  }
  return rows;
}

// Of the first group; the others differ only by what slows them.
FusionResult DdpJob::fusion_result() const {
  const FusionGroup& group = fusion_.front();
  std::vector<int> buffers(steps_total());
  int used = 0;
  Time last{-1};
  for (const FusedBuffer& b : group.buffers) {
    if (b.bucket.tensors.empty()) continue;
    ++buffers[static_cast<size_t>(b.step)];
    if (b.step >= spec_.run.warmup) used += b.cycle != last;
    last = b.cycle;
  }
  FusionResult f;
  f.tensors = static_cast<int>(plan_.tensors.size());
  const auto measured = buffers.begin() + spec_.run.warmup;
  const auto [least, most] = std::minmax_element(measured, buffers.end());
  f.buffers_min = *least;
  f.buffers_max = *most;
  std::vector<Duration> waiting;
  for (size_t i = static_cast<size_t>(spec_.run.warmup); i < steps_.size(); ++i)
    waiting.push_back(steps_[i].waiting);
  f.waiting = statistic_of(waiting);
  f.last_waiting = waiting.back();
  const double steps = spec_.run.steps;
  f.buffers = std::accumulate(measured, buffers.end(), 0) / steps;
  f.cycles_used = used / steps;
  const size_t warmup = static_cast<size_t>(spec_.run.warmup);
  const Time begin = warmup > 0 ? steps_[warmup - 1].end : Time{} + context_.start;
  if (const auto all = group.cycles.begun(steps_.back().end))
    f.cycles = static_cast<double>(*all - *group.cycles.begun(begin)) / steps;
  return f;
}

}  // namespace brigade
