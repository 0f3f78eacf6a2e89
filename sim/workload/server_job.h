// `kind: parameter_server` (Li et al., OSDI 2014): workers push gradients to servers, which add them up,
// update, and send the parameters back. Everything that meets on the way is the network's doing.
//
// A worker's step is forward, backward, and the push of each unit (the whole gradient, or a layer's) as soon
// as backward has it, piece after piece, beginning with shard `worker mod shards`; forward waits at each unit
// until it has been pulled again. One rule makes the three modes: a server answers the c-th push of a piece
// once every worker has pushed it c - bound times (stale synchronous parallel: Ho et al., NIPS 2013); bound 0
// is synchronous, no bound asynchronous.
//
// Whoever sends, sends one message after the other, in the order in which they became due; only the answers
// of one update, which are due together, go out together and share the server's links. `priorities`: units
// have classes by their place in forward; there is a line a class, in which the front unit goes first (P3:
// Jayarajan et al., MLSys 2019; BytePS: Jiang et al., OSDI 2020).
// Left out: messages that ask for a pull, partitions within a piece, a worker's or server's memory copies.
#pragma once
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "sim/workload/job.h"
#include "sim/workload/occupancy.h"
#include "sim/workload/server_plan.h"

namespace brigade {

class ServerJob final : public Job {
 public:
  static std::unique_ptr<Job> make(const ParameterServerJobSpec& spec, JobContext context,
                                   Diagnostics& errors);
  std::vector<VertexId> servers() const override { return plan_.servers; }
  void begin(Simulation& simulation, JobTrace* trace) override;
  void on(const Notice& notice, Simulation& simulation) override;
  bool finished() const override { return stopped_ || idle_ == workers_.size(); }
  JobResult result(const Simulation& simulation) const override;

 private:
  enum Token : uint8_t { kCompute, kUpdated, kDeadline, kChange };
  enum class Phase : uint8_t { kNotStarted, kForward, kWaiting, kBackward, kLastPull, kDone };
  struct Batch {  // messages of a piece that go out together
    uint32_t piece;
    std::vector<Rank> to;
  };
  struct Line {  // what a rank sends of a class
    std::deque<Batch> waiting;
    size_t open = 0;  // messages that are on their way out; the next batch follows when they have left
  };
  struct Worker {
    Phase phase = Phase::kNotStarted;
    int64_t step = 0;
    uint32_t unit = 0;  // forward: the next to be entered; backward: so many have yet to become ready
    Time phase_begin{}, step_begin{}, push_begin{};
    std::vector<uint32_t> missing;  // by unit: pieces that have yet to be pulled
    uint32_t outstanding = 0;       // pieces of the step's push that have yet to be pulled
    Occupancy occupancy;
    Occupancy::Totals at_begin;
  };
  struct Piece {                        // on its server
    std::vector<int64_t> pushes, read;  // by worker: that were applied; the version it computes on
    std::vector<bool> waits;            // by worker: for its pull
    int64_t version = 0, slowest = 0;   // updates; the fewest pushes of a worker
  };
  struct Server {
    std::deque<std::pair<Rank, uint32_t>> queue;  // worker, piece
    Time update_begin{};
    Bytes received, sent;
  };

  ServerJob(const ParameterServerJobSpec& spec, JobContext context, ServerPlan plan);
  Rank rank_of(Rank server) const { return static_cast<Rank>(workers_.size()) + server; }
  bool crosses(Rank worker, Rank server) const { return context_.devices[worker] != plan_.servers[server]; }
  bool measured(int64_t step) const;
  void stop();

  // A worker's step.
  void begin_step(Rank w, Simulation& simulation);
  void forward(Rank w, Simulation& simulation);
  void begin_backward(Rank w, Simulation& simulation);
  void backward(Rank w, Simulation& simulation);
  void compute(Rank w, Phase phase, Duration d, Simulation& simulation);
  void computed(Rank w, Simulation& simulation);
  void step_begins(Rank w, Time now);
  void step_ended(Rank w, Time now);
  void end_last_step(Rank w, Time now);
  void push(Rank w, uint32_t unit, Simulation& simulation);
  void pulled(Rank w, Rank server, uint32_t piece, Simulation& simulation);
  void count_update(Time now);
  // On a server.
  void received(Rank server, Rank w, uint32_t piece, Simulation& simulation);
  void update(Rank server, Simulation& simulation);
  void updated(Rank server, Simulation& simulation);
  void apply(Rank w, uint32_t piece, Simulation& simulation);
  // By workers and servers alike.
  void send(Rank from, Batch batch, Simulation& simulation);
  void send_next(Rank from, MessageClass message_class, Simulation& simulation);

  void record(Rank r, TrackId RankTracks::*track, const char* name, Time begin, Time end);
  Staleness staleness() const;

  ParameterServerJobSpec spec_;
  JobContext context_;
  ServerPlan plan_;
  int64_t bound_;  // steps; larger than any without one
  int64_t steps_total_;
  CommId comm_ = 0;
  uint32_t next_tag_ = 0;
  std::vector<Worker> workers_;
  std::vector<ComputeStream> streams_;  // by worker
  std::vector<Server> servers_;
  std::vector<std::array<Line, kClasses>> lines_;  // by rank
  std::vector<Piece> pieces_;
  absl::flat_hash_map<uint32_t, uint32_t> piece_of_;  // by tag, of messages under way; never iterated
  Rank idle_ = 0;
  bool stopped_ = false;

  int64_t updates_ = 0, counted_ = 0;  // pushed and pulled again; of these, after the warm-up
  Time window_begin_{}, window_end_{};
  std::vector<Duration> step_time_, compute_, communication_, exposed_;
  Rank ended_ = 0;   // workers that have ended the step, where all do it together
  Time last_end_{};  // of the step before, on the last of them
  Duration last_step_{};
  std::map<int64_t, int64_t> staleness_;
  int64_t lead_max_ = 0;
  std::vector<Bytes> worker_sent_, worker_received_;
  JobTrace* trace_ = nullptr;
};

}  // namespace brigade
