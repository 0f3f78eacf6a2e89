// What a DDP job adds to the timeline: steps and phases on the compute track, the gradients of each bucket
// inside backward, buckets as they fill, and arrows from gradient to bucket to all-reduce.
#include <algorithm>
#include <string>

#include "sim/workload/ddp_job.h"

namespace brigade {

void DdpJob::record_phase(Rank r, Time now) {
  const RankState& s = ranks_[r];
  if (trace_ == nullptr || s.phase_begin == now) return;
  const char* name = nullptr;
  switch (s.phase) {
    case Phase::kForward:
    case Phase::kEarlyForward:
      name = "forward";
      break;
    case Phase::kBackward:
    case Phase::kEarlyBackward:
      name = "backward";
      break;
    case Phase::kUnusedSearch:
      name = "search for unused parameters (CPU)";
      break;
    case Phase::kCopyOut:
      name = "copy out of bucket";
      break;
    case Phase::kAverage:
      name = "average of parameters";
      break;
    case Phase::kNorm:
      name = "gradient norm";
      break;
    case Phase::kOptimizer:
      name = "optimizer";
      break;
    case Phase::kGap:
      name = "host gap";
      break;
    default:
      return;
  }
  Recorder& rec = trace_->recorder;
  rec.slice(trace_->ranks[r].compute, rec.name(name), rec.name("compute"), s.phase_begin, now);
}

// The buckets from `first` on are launched now. What became ready together shares the time since the launch
// before in equal parts, so that each bucket has a slice of its own for its arrows to meet.
void DdpJob::record_buckets(Rank r, uint32_t first, Time now) {
  if (trace_ == nullptr || !trace_->recorder.wants(TraceLevel::kCollective)) return;
  RankState& s = ranks_[r];
  Recorder& rec = trace_->recorder;
  const RankTracks& tracks = trace_->ranks[r];
  const Duration part{(now - s.bucket_begin).ps / (s.next_bucket - first)};
  Time begin = s.bucket_begin;
  for (uint32_t i = first; i < s.next_bucket; ++i) {
    const Time end = i + 1 == s.next_bucket ? now : begin + part;
    const Bucket& bucket = iteration(s).buckets[i];
    const std::string number = std::to_string(i);
    if (begin < end)
      rec.slice(tracks.compute, rec.name("gradients of bucket " + number), rec.name("gradient"), begin, end);
    rec.slice(tracks.buckets, rec.name("bucket " + number), rec.name("bucket"), begin, end,
              {{.key = "bytes", .number = static_cast<double>(bucket.bytes.count)},
               {.key = "tensors", .number = static_cast<double>(bucket.tensors.size())}});
    const Time middle = begin + Duration{(end - begin).ps / 2};
    rec.flow(rec.name("gradient to bucket"), tracks.compute, middle, tracks.buckets, middle);
    s.buckets[i].drawn = middle;
    begin = end;
  }
}

void DdpJob::record_all_reduce(Rank r, uint32_t stream, uint32_t bucket) {
  if (trace_ == nullptr || !trace_->recorder.wants(TraceLevel::kCollective)) return;
  Recorder& rec = trace_->recorder;
  const RankTracks& tracks = trace_->ranks[r];
  const BucketTimes& b = ranks_[r].buckets[bucket];
  rec.flow(rec.name("bucket to all-reduce"), tracks.buckets, b.drawn, tracks.comm_of(stream), b.start);
}

// What the cycle that begins now has found, the buffers from `first` on: one slice from when this rank began
// to have some of it, with an arrow from the last gradient of each buffer.
void DdpJob::record_cycle(Rank r, const FusionGroup& group, size_t first) {
  RankState& s = ranks_[r];
  const FusedBuffer& buffer = group.buffers[first];
  if (trace_ == nullptr || !trace_->recorder.wants(TraceLevel::kCollective)) return;
  if (buffer.bucket.tensors.empty()) return;
  Recorder& rec = trace_->recorder;
  const TrackId track = trace_->ranks[r].buckets;
  const Time begin = std::max(s.fusion.drawn, s.buckets[buffer.bucket.tensors.front()].ready);
  double bytes = 0, tensors = 0;
  for (size_t i = first; i < group.buffers.size(); ++i) {
    const Bucket& bucket = group.buffers[i].bucket;
    bytes += static_cast<double>(bucket.bytes.count);
    tensors += static_cast<double>(bucket.tensors.size());
    if (compute_of(r).backward.ps == 0) continue;  // no slice to point from
    const Time ready = s.buckets[*std::max_element(bucket.tensors.begin(), bucket.tensors.end())].ready;
    rec.flow(rec.name("gradient to cycle"), trace_->ranks[r].compute, ready, track, buffer.cycle);
  }
  rec.slice(track, rec.name("cycle"), rec.name("bucket"), begin, buffer.cycle,
            {{.key = "buffers", .number = static_cast<double>(group.buffers.size() - first)},
             {.key = "tensors", .number = tensors},
             {.key = "bytes", .number = bytes}});
  s.fusion.drawn = buffer.cycle;
}

void DdpJob::record_copy(Rank r, uint32_t stream, const FusedBuffer& buffer, Time begin, Time end) {
  if (trace_ == nullptr || !trace_->recorder.wants(TraceLevel::kCollective)) return;
  const bool in = ranks_[r].fusion.streams[stream].at == FusionRank::At::kCopyIn;
  Recorder& rec = trace_->recorder;
  rec.slice(
      trace_->ranks[r].comm_of(stream),
      rec.name((in ? "copy into fused buffer " : "copy out of fused buffer ") + std::to_string(buffer.index)),
      rec.name("copy"), begin, end);
}

void DdpJob::record_fused(Rank r, uint32_t stream, const FusedBuffer& buffer) {
  if (trace_ == nullptr || !trace_->recorder.wants(TraceLevel::kCollective)) return;
  if (buffer.bucket.tensors.empty()) return;
  Recorder& rec = trace_->recorder;
  const RankTracks& tracks = trace_->ranks[r];
  rec.flow(rec.name("cycle to all-reduce"), tracks.buckets, buffer.cycle, tracks.comm_of(stream),
           ranks_[r].fusion.times[buffer.index].start);
}

}  // namespace brigade
