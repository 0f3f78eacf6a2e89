// A small timeline made by hand: two ranks, two gradient buckets that are reduced while backward goes on, a
// link with its use. Every kind of record is in it.
#pragma once
#include "sim/trace/counters.h"
#include "sim/trace/recorder.h"

namespace brigade {

inline void record_sample(Recorder& recorder) {
  const NameId compute = recorder.name("compute"), collective = recorder.name("collective");
  const NameId message = recorder.name("message"), bucket = recorder.name("bucket");
  std::vector<TrackId> streams;
  const auto us = [](int64_t n) { return Time{} + microseconds(n); };
  for (Rank rank = 0; rank < 2; ++rank) {
    const ProcessId process = recorder.rank_process(rank, "rank " + std::to_string(rank));
    const TrackId work = recorder.track(process, "compute");
    const TrackId comm = recorder.track(process, "comm");
    recorder.slice(work, recorder.name("forward"), compute, us(0), us(10));
    recorder.slice(work, recorder.name("backward"), compute, us(10), us(40));
    for (int i = 0; i < 2; ++i) {
      const std::string number = std::to_string(i);
      const Time ready = us(25 + 15 * i), start = us(26 + 20 * i), end = us(46 + 20 * i);
      recorder.slice(work, recorder.name("gradients " + number), compute, ready - microseconds(10), ready);
      recorder.slice(comm, recorder.name("all_reduce " + number), collective, start, end,
                     {{"bytes", 25e6, ""}, {"algorithm", 0, "ring"}, {"busbw_gb_per_s", 1.25, ""}});
      for (int round = 0; round < 2; ++round) {
        recorder.slice(comm, recorder.name("round " + std::to_string(round)), message,
                       start + microseconds(10 * round), start + microseconds(10 * (round + 1)));
      }
      recorder.flow(bucket, work, ready, comm, start);
    }
    streams.push_back(comm);
  }
  const NameId sent = recorder.name("message");
  recorder.flow(sent, streams[0], us(27), streams[1], us(37));

  const ProcessId network = recorder.process("network");
  const TrackId link = recorder.track(network, "node[0].gpu[0]>nvs");
  UtilizationCounter use(Time{}, kNever, 8);
  for (const Time begin : {us(26), us(36), us(46), us(56)}) {
    recorder.slice(link, recorder.name("segment"), message, begin, begin + microseconds(8));
    use.busy(begin, begin + microseconds(8));
  }
  use.write(recorder, network, recorder.name("node[0].gpu[0]>nvs use"), us(66));
}

}  // namespace brigade
