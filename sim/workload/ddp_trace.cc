// What a DDP job adds to the timeline: steps and phases on the compute track, the gradients of each bucket
// inside backward, buckets as they fill, and arrows from gradient to bucket to all-reduce.
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

}  // namespace brigade
