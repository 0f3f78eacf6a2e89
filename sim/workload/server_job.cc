#include "sim/workload/server_job.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/base/check.h"
#include "sim/workload/jitter.h"

namespace brigade {

std::unique_ptr<Job> ServerJob::make(const ParameterServerJobSpec& spec, JobContext context,
                                     Diagnostics& errors) {
  std::optional<ServerPlan> plan = plan_server(spec, context, errors);
  if (!plan) return nullptr;
  return std::unique_ptr<Job>(new ServerJob(spec, std::move(context), std::move(*plan)));
}

ServerJob::ServerJob(const ParameterServerJobSpec& spec, JobContext context, ServerPlan plan)
    : spec_(spec),
      context_(std::move(context)),
      plan_(std::move(plan)),
      workers_(context_.devices.size()),
      servers_(plan_.servers.size()),
      lines_(workers_.size() + servers_.size()),
      pieces_(plan_.pieces.size()),
      worker_sent_(workers_.size()),
      worker_received_(workers_.size()) {
  constexpr int64_t kEndless = std::numeric_limits<int64_t>::max() / 2;
  bound_ = spec_.mode == ServerMode::kAsynchronous ? kEndless
           : spec_.mode == ServerMode::kBounded    ? spec_.staleness_bound
                                                   : 0;
  // Where forward overlaps the pull of the step before, one more step gives the last measured one its end.
  const bool overlaps = spec_.transfer == Transfer::kLayers;
  steps_total_ =
      spec_.until_updates || spec_.until_time ? kEndless : spec_.run.warmup + spec_.run.steps + overlaps;
  for (Worker& w : workers_) w.missing.resize(plan_.units.size());
  for (Piece& p : pieces_) {
    p.pushes.resize(workers_.size());
    p.read.resize(workers_.size());
    p.waits.resize(workers_.size());
  }
}

void ServerJob::begin(Simulation& simulation, JobTrace* trace) {
  trace_ = trace;
  std::vector<VertexId> devices = context_.devices;
  devices.insert(devices.end(), plan_.servers.begin(), plan_.servers.end());
  comm_ = simulation.add_communicator(context_.id, std::move(devices), context_.name);
  if (spec_.priorities) simulation.serve_by_class();
  const Time start = Time{} + context_.start;
  window_begin_ = window_end_ = last_end_ = start;
  for (Rank w = 0; w < workers_.size(); ++w) {
    streams_.push_back(context_.compute_stream(w, {.work = kCompute, .change = kChange}, 1, simulation));
    simulation.timer(context_.id, w, start + context_.late[w], kCompute);
  }
  if (spec_.until_time) simulation.timer(context_.id, 0, start + *spec_.until_time, kDeadline);
}

void ServerJob::on(const Notice& n, Simulation& simulation) {
  const Rank workers = static_cast<Rank>(workers_.size());
  switch (n.what) {
    case Notice::What::kTimer:
      if (stopped_) return;
      if (n.token == kDeadline) {
        window_end_ = n.at;
        stop();
      } else if (n.token == kChange) {
        streams_[n.rank].changed();
      } else if (n.token == kUpdated) {
        updated(n.rank - workers, simulation);
      } else {
        computed(n.rank, simulation);
      }
      return;
    case Notice::What::kLeft: {
      const MessageClass line = plan_.units[plan_.pieces[piece_of_.at(n.index)].unit].message_class;
      --lines_[n.rank][line].open;
      return send_next(n.rank, line, simulation);
    }
    case Notice::What::kMessage: {
      const uint32_t piece = piece_of_.at(n.index);
      piece_of_.erase(n.index);
      if (n.rank < workers)
        pulled(n.rank, n.peer - workers, piece, simulation);
      else
        received(n.rank - workers, n.peer, piece, simulation);
      return;
    }
    default:
      BRIGADE_CHECK(false, "a notice of kind ", int(n.what));
  }
}

void ServerJob::stop() {
  stopped_ = true;
  for (ComputeStream& c : streams_) c.close();
}

bool ServerJob::measured(int64_t step) const {
  if (step < spec_.run.warmup) return false;
  return spec_.until_updates || spec_.until_time || step < spec_.run.warmup + spec_.run.steps;
}

// --- a worker's step

void ServerJob::computed(Rank w, Simulation& simulation) {
  Worker& s = workers_[w];
  const Time now = simulation.now();
  switch (s.phase) {
    case Phase::kNotStarted:
      return begin_step(w, simulation);
    case Phase::kForward:
      record(w, &RankTracks::compute, "forward", s.phase_begin, now);
      return s.unit < plan_.units.size() ? forward(w, simulation) : begin_backward(w, simulation);
    case Phase::kBackward:
      return backward(w, simulation);
    default:
      BRIGADE_CHECK(false, "a timer in phase ", int(s.phase), " of worker ", w);
  }
}

void ServerJob::begin_step(Rank w, Simulation& simulation) {
  Worker& s = workers_[w];
  s.unit = 0;
  if (spec_.work.compute.jitter.kind != JitterKind::kNone)
    streams_[w].jitter(jitter_factor(spec_.work.compute.jitter, context_.seed, context_.id, w, s.step));
  const Duration free = plan_.compute_of(w).forward_begin[0];
  if (free.ps == 0) return forward(w, simulation);
  step_begins(w, simulation.now());
  compute(w, Phase::kForward, free, simulation);
}

// Enters the next unit, or waits until it has been pulled.
void ServerJob::forward(Rank w, Simulation& simulation) {
  Worker& s = workers_[w];
  const ServerCompute& c = plan_.compute_of(w);
  while (s.unit < plan_.units.size()) {
    const Time now = simulation.now();
    if (s.missing[s.unit] > 0) {
      s.phase = Phase::kWaiting;
      return s.occupancy.compute(false, now);
    }
    const Duration begin = c.forward_begin[s.unit];
    if (s.unit == 0 && begin.ps == 0) step_begins(w, now);
    ++s.unit;
    const Duration end = s.unit < plan_.units.size() ? c.forward_begin[s.unit] : c.forward;
    if (end > begin) return compute(w, Phase::kForward, end - begin, simulation);
  }
  begin_backward(w, simulation);
}

void ServerJob::begin_backward(Rank w, Simulation& simulation) {
  Worker& s = workers_[w];
  // All parameters of this step are in use now.
  int64_t slowest = s.step;
  for (const Piece& p : pieces_) slowest = std::min(slowest, p.slowest);
  lead_max_ = std::max(lead_max_, s.step - slowest);
  s.phase = Phase::kBackward;
  s.phase_begin = simulation.now();
  s.outstanding = static_cast<uint32_t>(plan_.pieces.size());
  s.occupancy.compute(true, simulation.now());
  streams_[w].begin(true);
  backward(w, simulation);
}

void ServerJob::backward(Rank w, Simulation& simulation) {
  Worker& s = workers_[w];
  const ServerCompute& c = plan_.compute_of(w);
  const Time now = simulation.now();
  const Duration done = streams_[w].done();
  for (; s.unit > 0 && c.ready[s.unit - 1] <= done; --s.unit) {
    if (s.unit == plan_.units.size()) s.push_begin = now;
    push(w, s.unit - 1, simulation);
  }
  const Duration next = s.unit > 0 ? c.ready[s.unit - 1] : c.backward;
  if (next > done) return streams_[w].tell_at(next);
  record(w, &RankTracks::compute, "backward", s.phase_begin, now);
  s.occupancy.compute(false, now);
  if (++s.step < steps_total_) return begin_step(w, simulation);
  s.phase = Phase::kLastPull;
  streams_[w].close();
  if (s.outstanding == 0) end_last_step(w, now);
}

void ServerJob::compute(Rank w, Phase phase, Duration d, Simulation& simulation) {
  Worker& s = workers_[w];
  s.phase = phase;
  s.phase_begin = simulation.now();
  s.occupancy.compute(true, simulation.now());
  streams_[w].begin(true);
  streams_[w].tell_at(d);
}

void ServerJob::step_begins(Rank w, Time now) {
  Worker& s = workers_[w];
  if (s.step > 0) step_ended(w, now);
  s.step_begin = now;
  s.at_begin = s.occupancy.totals(now);
}

void ServerJob::step_ended(Rank w, Time now) {
  Worker& s = workers_[w];
  const Occupancy::Totals t = s.occupancy.totals(now) - s.at_begin;
  Time begin = s.step_begin;
  if (bound_ == 0) {  // a step of all: from the end of the one before on the worker that ended it last
    if (++ended_ < workers_.size()) return;
    ended_ = 0;
    begin = std::exchange(last_end_, now);
  }
  if (!measured(s.step - 1)) return;
  last_step_ = now - begin;
  step_time_.push_back(last_step_);
  compute_.push_back(t.compute);
  communication_.push_back(t.comm);
  exposed_.push_back(t.exposed);
}

void ServerJob::end_last_step(Rank w, Time now) {
  workers_[w].phase = Phase::kDone;
  step_ended(w, now);
  ++idle_;
}

// --- push and pull

// The unit's pieces, beginning with the worker's shard.
void ServerJob::push(Rank w, uint32_t unit, Simulation& simulation) {
  const ServerUnit& u = plan_.units[unit];
  uint32_t first = 0;
  while (first < u.pieces && plan_.pieces[u.first_piece + first].shard < w % plan_.shards) ++first;
  workers_[w].missing[unit] = u.pieces;
  for (uint32_t i = 0; i < u.pieces; ++i) {
    const uint32_t piece = u.first_piece + (first + i) % u.pieces;
    workers_[w].occupancy.comm_launched(simulation.now());
    send(w, {piece, {rank_of(plan_.pieces[piece].server)}}, simulation);
  }
}

void ServerJob::send(Rank from, Batch batch, Simulation& simulation) {
  const uint32_t unit = plan_.pieces[batch.piece].unit;
  const MessageClass message_class = plan_.units[unit].message_class;
  auto& waiting = lines_[from][message_class].waiting;
  // In front of the units that forward needs later.
  const auto place = spec_.priorities
                         ? std::find_if(waiting.begin(), waiting.end(),
                                        [&](const Batch& b) { return plan_.pieces[b.piece].unit > unit; })
                         : waiting.end();
  waiting.insert(place, std::move(batch));
  send_next(from, message_class, simulation);
}

void ServerJob::send_next(Rank from, MessageClass message_class, Simulation& simulation) {
  Line& line = lines_[from][message_class];
  if (stopped_ || line.open > 0 || line.waiting.empty()) return;
  const Batch batch = std::move(line.waiting.front());
  line.waiting.pop_front();
  line.open = batch.to.size();
  const auto workers = static_cast<Rank>(workers_.size());
  const Bytes bytes = plan_.pieces[batch.piece].bytes;
  const bool pushes = from < workers;
  for (const Rank to : batch.to) {
    if (crosses(pushes ? from : to, (pushes ? to : from) - workers))
      (pushes ? worker_sent_[from] : servers_[from - workers].sent) += bytes;
    const uint32_t tag = next_tag_++;
    piece_of_[tag] = batch.piece;
    simulation.send(comm_, {.from = from,
                            .to = to,
                            .bytes = bytes,
                            .tag = tag,
                            .message_class = message_class,
                            .tell_left = true});
  }
}

void ServerJob::pulled(Rank w, Rank server, uint32_t piece, Simulation& simulation) {
  Worker& s = workers_[w];
  const Time now = simulation.now();
  if (crosses(w, server)) worker_received_[w] += plan_.pieces[piece].bytes;
  if (stopped_) return;
  s.occupancy.comm_done(now);
  --s.missing[plan_.pieces[piece].unit];
  if (--s.outstanding == 0) {
    record(w, &RankTracks::comm, "push and pull", s.push_begin, now);
    count_update(now);
    if (s.phase == Phase::kLastPull) end_last_step(w, now);
  }
  if (s.phase == Phase::kWaiting && s.missing[s.unit] == 0) forward(w, simulation);
}

void ServerJob::count_update(Time now) {
  const auto workers = static_cast<int64_t>(workers_.size());
  const int64_t before = workers * spec_.run.warmup;
  const bool until = spec_.until_updates || spec_.until_time;
  if (++updates_ == before) window_begin_ = now;
  if (updates_ <= before || (!until && updates_ > before + workers * spec_.run.steps)) return;
  window_end_ = now;
  counted_ = updates_ - before;
  if (spec_.until_updates && counted_ == *spec_.until_updates) stop();
}

// --- on a server

void ServerJob::received(Rank server, Rank w, uint32_t piece, Simulation& simulation) {
  Server& s = servers_[server];
  if (crosses(w, server)) s.received += plan_.pieces[piece].bytes;
  if (stopped_) return;
  if (!spec_.update_rate) return apply(w, piece, simulation);
  s.queue.push_back({w, piece});
  if (s.queue.size() == 1) update(server, simulation);
}

void ServerJob::update(Rank server, Simulation& simulation) {
  Server& s = servers_[server];
  s.update_begin = simulation.now();
  const Bytes bytes = plan_.pieces[s.queue.front().second].bytes;
  simulation.timer(context_.id, rank_of(server), simulation.now() + spec_.update_rate->time(bytes), kUpdated);
}

void ServerJob::updated(Rank server, Simulation& simulation) {
  Server& s = servers_[server];
  record(rank_of(server), &RankTracks::compute, "update", s.update_begin, simulation.now());
  const auto [w, piece] = s.queue.front();
  s.queue.pop_front();
  if (!s.queue.empty()) update(server, simulation);
  apply(w, piece, simulation);
}

void ServerJob::apply(Rank w, uint32_t piece, Simulation& simulation) {
  Piece& p = pieces_[piece];
  const auto workers = static_cast<Rank>(workers_.size());
  const int64_t step = p.pushes[w]++;
  p.waits[w] = true;
  bool all = false;  // the slowest worker has come on
  if (step == p.slowest) {
    const int64_t slowest = *std::min_element(p.pushes.begin(), p.pushes.end());
    all = slowest > p.slowest;
    p.slowest = slowest;
  }
  if (spec_.mode != ServerMode::kSynchronous) {
    if (measured(step)) ++staleness_[p.version - p.read[w]];
    ++p.version;
  }
  // Beginning behind the worker that may share the server's device: all servers at once do not begin alike.
  Batch answers{piece, {}};
  const Rank first = all ? plan_.pieces[piece].shard + 1 : w;
  for (Rank i = 0; i < (all ? workers : 1); ++i) {
    const Rank v = (first + i) % workers;
    if (!p.waits[v] || p.pushes[v] - bound_ > p.slowest) continue;
    p.waits[v] = false;
    p.read[v] = p.version;
    answers.to.push_back(v);
  }
  if (!answers.to.empty()) send(rank_of(plan_.pieces[piece].server), std::move(answers), simulation);
}

}  // namespace brigade
