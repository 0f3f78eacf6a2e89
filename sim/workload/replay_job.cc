#include "sim/workload/replay_job.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "sim/workload/communicate.h"

namespace brigade {
namespace {

enum Token : uint8_t { kBegin, kLaunch, kOver };

AlgorithmSpec algorithm_for(Collective collective, const ReplayJobSpec& spec) {
  if (collective == Collective::kAllReduce) return spec.all_reduce;
  AlgorithmSpec usual;
  const std::vector<std::string> names = algorithm_names(collective);
  if (std::find(names.begin(), names.end(), usual.algorithm) == names.end()) usual.algorithm = names.front();
  return usual;
}

}  // namespace

std::unique_ptr<Job> ReplayJob::make(const ReplayJobSpec& spec, JobContext context, Diagnostics& errors) {
  const std::string who = absl::StrCat("job \"", context.name, "\": ");
  if (context.verify) {
    errors.error(context.at, who + "a replay has no data to verify; allowed: verify: false");
    return nullptr;
  }
  ReplayJobSpec loaded = spec;
  if (loaded.trace == nullptr) loaded.trace = load_replay(spec.files, spec.files_at, errors);
  if (loaded.trace == nullptr) return nullptr;
  std::optional<ReplayMap> map = map_ranks(*loaded.trace, static_cast<Rank>(context.devices.size()),
                                           spec.unnamed_groups, context.at, errors);
  if (!map) return nullptr;
  std::unique_ptr<ReplayJob> job(new ReplayJob(loaded, std::move(context), std::move(*map)));
  if (!job->plan(errors)) return nullptr;
  return job;
}

std::vector<Time> ReplayJob::begins() const {
  std::vector<Time> times;
  for (Rank r = 0; r < ranks(); ++r)
    times.push_back(Time{} + context_.start + context_.late[r] +
                    traces().late[traces().has_all_ranks() ? r : 0]);
  return times;
}

bool ReplayJob::plan(Diagnostics& errors) {
  for (const MappedCommunicator& mapped : map_.communicators)
    if (!plan(mapped, comms_.emplace_back(), errors)) return false;
  places_ = places_of(traces(), map_, ranks());
  return true;
}

bool ReplayJob::plan(const MappedCommunicator& mapped, Communicator& comm, Diagnostics& errors) {
  std::vector<VertexId> devices;
  for (const Rank r : mapped.ranks) devices.push_back(context_.devices[r]);
  const size_t n = devices.size();
  std::map<std::tuple<Collective, int64_t, int64_t>, CollectiveCall> made;  // steps repeat the same calls
  comm.exchanges.resize(mapped.calls.size());
  for (uint32_t k = 0; k < mapped.calls.size(); ++k) {
    const MappedCall& call = mapped.calls[k];
    if (!call.sent.empty()) {
      std::vector<uint32_t>& missing = comm.exchanges[k].missing;
      missing.assign(n, 1);
      for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j)
          if (i != j && call.sent[i * n + j] > 0) ++missing[i], ++missing[j];
      continue;
    }
    CollectiveCall& known = made[{call.collective, call.elements, call.element_bytes}];
    if (known.plans.empty()) {
      CommunicateRequest request;
      request.collective = call.collective;
      request.algorithm = algorithm_for(call.collective, spec_);
      request.elements = call.elements;
      request.element_bytes = call.element_bytes;
      CommunicateResult result = communicate(request, devices, context_.topology);
      if (!result.error.empty()) {
        errors.error(context_.at, absl::StrCat("job \"", context_.name, "\": ", result.error));
        return false;
      }
      known = std::move(result.call);
    }
    comm.calls.push_back(known);
    comm.calls.back().label = call.label;
    comm.call_of.push_back(k);
  }
  return true;
}

void ReplayJob::begin(Simulation& simulation, JobTrace* trace) {
  trace_ = trace;
  if (spec_.durations != CollectiveDurations::kSimulated) return begin_unsimulated(simulation);
  std::map<std::pair<std::string, Rank>, TrackId> tracks;
  for (size_t m = 0; m < comms_.size(); ++m) {
    const MappedCommunicator& mapped = map_.communicators[m];
    std::vector<VertexId> devices;
    for (const Rank r : mapped.ranks) devices.push_back(context_.devices[r]);
    comms_[m].id =
        simulation.add_communicator(context_.id, std::move(devices), context_.name + " " + mapped.name);
    if (m == 0) first_comm_ = comms_[m].id;
    for (CollectiveCall& call : comms_[m].calls) simulation.add_collective(comms_[m].id, std::move(call));
    comms_[m].calls.clear();
    if (trace == nullptr) continue;
    std::vector<TrackId>& own = trace->comm_tracks[comms_[m].id];
    for (const Rank r : mapped.ranks) {
      TrackId& track = tracks.try_emplace({mapped.name, r}, kNoTrack).first->second;
      if (track == kNoTrack) track = trace->recorder.track(trace->ranks[r].process, "comm " + mapped.name);
      own.push_back(track);
    }
  }
  waiting_.resize(ranks());
  const std::vector<Time> times = begins();
  for (Rank r = 0; r < ranks(); ++r) {
    flows_.emplace_back(graph(r), context_.compute_share[r]);
    simulation.timer(context_.id, r, times[r], kBegin);
  }
}

// Nothing meets on the network: all is worked out here, and the clock runs to its end.
void ReplayJob::begin_unsimulated(Simulation& simulation) {
  const Unsimulated mode = spec_.durations == CollectiveDurations::kTraced ? Unsimulated::kTraced
                           : spec_.durations == CollectiveDurations::kNone ? Unsimulated::kNone
                                                                           : Unsimulated::kNever;
  flows_ = replay_together(traces(), map_, begins(), context_.compute_share, mode);
  Time last{};
  for (Rank r = 0; r < ranks(); ++r)
    for (uint32_t n = 0; n < graph(r).nodes.size(); ++n)
      if (const Time end = flows_[r].end_of(n); end != kNever) last = std::max(last, end);
  simulation.timer(context_.id, 0, last, kOver);
}

void ReplayJob::on(const Notice& notice, Simulation& simulation) {
  const Rank r = notice.rank;
  const auto ready = [&](uint32_t c, Time at) { reached(r, c, at, simulation); };
  const auto place = [&](uint32_t call) { return CallPlace{notice.comm - first_comm_, call, r}; };
  switch (notice.what) {
    case Notice::What::kCollectiveDone:
      return done(place(comms_[notice.comm - first_comm_].call_of[notice.index]), simulation);
    case Notice::What::kMessage:
    case Notice::What::kLeft:
      return arrived(place(notice.index), simulation);
    case Notice::What::kTimer:
      break;
  }
  if (notice.token == kOver) {
    is_over_ = true;
    return record();
  }
  if (notice.token == kBegin) return flows_[r].begin(simulation.now(), ready);
  // In the order of the trace where several begin at once.
  std::vector<Waiting>& all = waiting_[r];
  const auto due = std::stable_partition(all.begin(), all.end(),
                                         [&](const Waiting& w) { return w.at > simulation.now(); });
  std::vector<Waiting> now(due, all.end());
  all.erase(due, all.end());
  std::sort(now.begin(), now.end(),
            [](const Waiting& a, const Waiting& b) { return a.collective < b.collective; });
  for (const Waiting& w : now) launch(r, w.collective, simulation);
}

void ReplayJob::reached(Rank r, uint32_t collective, Time at, Simulation& simulation) {
  waiting_[r].push_back({at, collective});
  simulation.timer(context_.id, r, at, kLaunch);
}

void ReplayJob::launch(Rank r, uint32_t collective, Simulation& simulation) {
  const CallPlace& place = places_[r][collective];
  const Communicator& comm = comms_[place.communicator];
  if (!comm.exchanges[place.call].missing.empty()) return exchange(place, simulation);
  simulation.launch(comm.id, place.rank);
}

void ReplayJob::exchange(const CallPlace& place, Simulation& simulation) {
  const MappedCommunicator& mapped = map_.communicators[place.communicator];
  const MappedCall& call = mapped.calls[place.call];
  const auto n = static_cast<Rank>(mapped.ranks.size());
  for (Rank i = 1; i < n; ++i) {
    const Rank to = (place.rank + i) % n;
    const int64_t elements = call.sent[size_t{place.rank} * n + to];
    if (elements == 0) continue;
    simulation.send(comms_[place.communicator].id, {.from = place.rank,
                                                    .to = to,
                                                    .bytes = {elements * call.element_bytes},
                                                    .tag = place.call,
                                                    .tell_left = true});
  }
  arrived(place, simulation);
}

void ReplayJob::arrived(const CallPlace& place, Simulation& simulation) {
  if (--comms_[place.communicator].exchanges[place.call].missing[place.rank] == 0) done(place, simulation);
}

void ReplayJob::done(const CallPlace& place, Simulation& simulation) {
  const MappedCommunicator& mapped = map_.communicators[place.communicator];
  const Rank r = mapped.ranks[place.rank];
  flows_[r].end(mapped.calls[place.call].at[place.rank], simulation.now(),
                [&](uint32_t c, Time at) { reached(r, c, at, simulation); });
  if (!flows_[r].all_ended() || ++ranks_over_ < ranks()) return;
  // What the host and the GPU do after the last collective takes no event; the clock must see it end.
  Time last = simulation.now();
  for (Rank i = 0; i < ranks(); ++i)
    for (uint32_t n = 0; n < graph(i).nodes.size(); ++n) last = std::max(last, flows_[i].end_of(n));
  simulation.timer(context_.id, 0, last, kOver);
}

void ReplayJob::record() const {
  if (trace_ == nullptr || !trace_->recorder.wants(TraceLevel::kJob)) return;
  for (Rank r = 0; r < ranks(); ++r) record(r);
}

// Steps and waiting calls of the host, and each stream of the GPU.
void ReplayJob::record(Rank r) const {
  Recorder& recorder = trace_->recorder;
  if (!recorder.wants_rank(r)) return;
  const ReplayGraph& g = graph(r);
  const Dataflow& flow = flows_[r];
  const ProcessId process = trace_->ranks[r].process;
  const TrackId host = recorder.track(process, "steps");
  std::vector<TrackId> streams;
  for (const int32_t s : g.streams) streams.push_back(recorder.track(process, absl::StrCat("stream ", s)));
  const NameId step_category = recorder.name("step"), task_category = recorder.name("task"),
               collective_category = recorder.name("collective");
  const std::vector<StepTimes> times = step_times(flow);
  for (size_t s = 0; s < times.size(); ++s)
    if (times[s].end != kNever)
      recorder.slice(host, recorder.name(g.steps[s].name), step_category, times[s].begin, times[s].end);
  for (uint32_t n = 0; n < g.nodes.size(); ++n) {
    const ReplayNode& node = g.nodes[n];
    const Time begin = flow.begin_of(n), end = flow.end_of(n);
    if (node.kind == ReplayNode::Kind::kHost || end == kNever) continue;
    const bool is_collective = node.collective != kNone;
    recorder.slice(
        streams[node.stream],
        recorder.name(is_collective ? g.collectives[node.collective].traced_as : g.names[node.name]),
        is_collective ? collective_category : task_category, begin, end);
  }
}

}  // namespace brigade
