// A job: consumes the engine's notices and answers by launching work. Few, virtual, one short file each.
//
// Adding one: a file like collective_job.cc, its spec in spec.h, its result in result.h, a row in job.cc.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/base/ids.h"
#include "sim/base/time.h"
#include "sim/engine/simulation.h"
#include "sim/network/spec.h"
#include "sim/trace/recorder.h"
#include "sim/workload/compute_stream.h"
#include "sim/workload/fold.h"
#include "sim/workload/result.h"
#include "sim/workload/spec.h"

namespace brigade {

class Payload;

// Where a job runs.
struct JobContext {
  JobId id = 0;
  std::string name;
  std::vector<VertexId> devices;      // by rank
  Duration start{};                   // of the job
  std::vector<Duration> late;         // by rank: starts this much later than the job
  std::vector<double> compute_share;  // by rank: 1, or 0.5 where it computes at half speed
  std::vector<std::vector<ComputeChange>> compute_changes = {};  // by rank, of a time; empty: none at all
  const Topology& topology;
  const NetworkSpec& network;
  Place at;
  bool verify = false;  // its collectives will carry data
  uint64_t seed = 1;
  Fold fold = {};  // `devices` are those of its simulated units

  // Of the job, simulated or not.
  Rank ranks() const { return fold.all(static_cast<Rank>(devices.size())); }
  // Of rank r, whose compute is slowed to `share_of_comm` while its collectives run.
  ComputeStream compute_stream(Rank r, ComputeStream::Tokens tokens, double share_of_comm,
                               Simulation& simulation) const {
    return {id,
            r,
            tokens,
            compute_changes.empty() ? std::vector<ComputeChange>() : compute_changes[r],
            share_of_comm,
            simulation};
  }
};

// Where a job's records go: the tracks of a rank's process. The engine's tracer writes to `comm`.
struct RankTracks {
  ProcessId process;
  TrackId compute, buckets, comm;
  std::vector<TrackId> more_comm = {};  // of its further communication streams
  TrackId comm_of(uint32_t stream) const { return stream == 0 ? comm : more_comm[stream - 1]; }
};
// Ranks first, then servers.
struct JobTrace {
  Recorder& recorder;
  std::vector<RankTracks> ranks;
  // Of communicators that have only some of the ranks, or a name of their own: tracks by
  // their ranks. Else the comm tracks, rank by rank.
  std::map<CommId, std::vector<TrackId>> comm_tracks = {};
};

class Job {
 public:
  virtual ~Job() = default;
  // Endpoints that work for it besides its ranks: their processes in the timeline follow the ranks'.
  virtual std::vector<VertexId> servers() const { return {}; }
  // Communication streams of a rank.
  virtual uint32_t comm_streams() const { return 1; }
  // What the timeline calls them.
  virtual std::string comm_stream_name(uint32_t k) const {
    return k == 0 ? "comm" : "comm " + std::to_string(k);
  }
  // Where the job's collectives carry its own data; it outlives the run. Before begin().
  virtual void carry(Payload&) {}
  // Before the first event: communicators, first timers. `trace` is null where none is written; it outlives
  // the run.
  virtual void begin(Simulation& simulation, JobTrace* trace) = 0;
  virtual void on(const Notice& notice, Simulation& simulation) = 0;
  virtual bool finished() const = 0;
  // It goes on until it is told that all jobs have ended that do not.
  virtual bool lasts_as_long_as_others() const { return false; }
  virtual void others_ended(Simulation&) {}
  // Once finished.
  virtual JobResult result(const Simulation& simulation) const = 0;
};

// Null if the spec cannot run here; `errors` then says why.
std::unique_ptr<Job> make_job(const JobSpec& spec, JobContext context, Diagnostics& errors);

}  // namespace brigade
