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

void DdpJob::record_bucket(Rank r, uint32_t bucket, Time now) {
  if (trace_ == nullptr || !trace_->recorder.wants(TraceLevel::kCollective)) return;
  const RankState& s = ranks_[r];
  Recorder& rec = trace_->recorder;
  const RankTracks& tracks = trace_->ranks[r];
  const std::string number = std::to_string(bucket);
  const Bucket& b = iteration(s).buckets[bucket];
  if (s.bucket_begin < now)
    rec.slice(tracks.compute, rec.name("gradients of bucket " + number), rec.name("gradient"), s.bucket_begin,
              now);
  rec.slice(tracks.buckets, rec.name("bucket " + number), rec.name("bucket"), s.bucket_begin, now,
            {{.key = "bytes", .number = static_cast<double>(b.bytes.count)},
             {.key = "tensors", .number = static_cast<double>(b.tensors.size())}});
  rec.flow(rec.name("gradient to bucket"), tracks.compute, now, tracks.buckets, now);
}

void DdpJob::record_arrows(Rank r, uint32_t bucket) {
  if (trace_ == nullptr || !trace_->recorder.wants(TraceLevel::kCollective)) return;
  const RankState& s = ranks_[r];
  Recorder& rec = trace_->recorder;
  const RankTracks& tracks = trace_->ranks[r];
  const BucketTimes& b = s.buckets[bucket];
  rec.flow(rec.name("bucket to all-reduce"), tracks.buckets, b.launched, tracks.comm, b.start);
}

}  // namespace brigade
