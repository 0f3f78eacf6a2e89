#include "sim/workload/run.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"
#include "sim/engine/engine.h"
#include "sim/engine/fan_out.h"
#include "sim/engine/paranoid.h"
#include "sim/engine/payload.h"
#include "sim/engine/tracer.h"
#include "sim/workload/fault_marks.h"
#include "sim/workload/placement.h"
#include "sim/workload/ranks.h"

namespace brigade {
namespace {

bool computes(const JobSpec& job) {
  return std::holds_alternative<DdpJobSpec>(job.kind) || std::holds_alternative<ShardedJobSpec>(job.kind) ||
         std::holds_alternative<ParameterServerJobSpec>(job.kind);
}

// Traffic without an end of its own needs others that have one.
void check_who_ends(const std::vector<JobSpec>& jobs, const std::vector<RankChange>& changes,
                    Diagnostics& errors) {
  const auto lasts = [](const JobSpec& job) {
    const auto* background = std::get_if<BackgroundJobSpec>(&job.kind);
    return background != nullptr && !background->duration;
  };
  const auto may_wait_for_ever = [](const JobSpec& job) {
    const auto* collective = std::get_if<CollectiveJobSpec>(&job.kind);
    return collective != nullptr && (collective->callers || collective->receives);
  };
  const auto lasting = std::find_if(jobs.begin(), jobs.end(), lasts);
  if (lasting == jobs.end()) return;
  if (std::all_of(jobs.begin(), jobs.end(), lasts))
    errors.error(lasting->at, absl::StrCat("job \"", lasting->name,
                                           "\" ends with the other jobs, and there are none; allowed: with a "
                                           "duration"));
  for (const RankChange& change : changes)
    if (change.of_node && change.ends == kNever)
      errors.error(lasting->at,
                   absl::StrCat("job \"", lasting->name, "\" ends with the other jobs, and ", change.ranks,
                                " may keep them from it for ever; allowed: with a duration, or "
                                "a change with until"));
  const auto stuck = std::find_if(jobs.begin(), jobs.end(), may_wait_for_ever);
  if (stuck == jobs.end()) return;
  errors.error(lasting->at,
               absl::StrCat("job \"", lasting->name, "\" ends with the other jobs, and job \"", stuck->name,
                            "\" may never end (callers, receives); allowed: with a "
                            "duration"));
}

}  // namespace

namespace {

// Adaptive routes are kept for each device that may receive.
void check_adaptive(const RunRequest& request, size_t devices, Diagnostics& errors) {
  const uint64_t vertices = request.topology.vertices().size();
  if (request.network.routing != Routing::kAdaptive || devices * vertices <= AdaptiveRoutes::kEntriesMax)
    return;
  errors.error(
      {}, absl::StrCat("routing: adaptive keeps a table of ", devices, " devices x ", vertices,
                       " vertices; allowed: ", AdaptiveRoutes::kEntriesMax, " entries, or another routing"));
}

}  // namespace

void sort_busiest_first(std::vector<LinkResult>& links) {
  std::sort(links.begin(), links.end(), [](const LinkResult& a, const LinkResult& b) {
    return a.busy != b.busy ? a.busy > b.busy : a.link < b.link;
  });
}

std::unique_ptr<Run> Run::prepare(const RunRequest& request, Diagnostics& errors) {
  std::unique_ptr<Run> run(new Run(request));
  if (request.jobs.empty()) errors.error({}, "no jobs");
  if (request.jobs.size() > UINT16_MAX)
    errors.error({}, absl::StrCat(request.jobs.size(), " jobs; at most 65535"));
  size_t devices = 0;
  std::vector<size_t> concerned(request.changes.size());  // by change: ranks of all jobs
  const auto placed = place_jobs(request.jobs, request.topology, request.seed, errors);
  check_who_ends(request.jobs, request.changes, errors);
  for (size_t j = 0; j < request.jobs.size(); ++j) {
    const JobSpec& spec = request.jobs[j];
    JobContext context{.id = static_cast<JobId>(j),
                       .name = spec.name,
                       .devices = placed[j],
                       .start = spec.start,
                       .late = {},
                       .compute_share = {},
                       .topology = request.topology,
                       .network = run->request_.network,
                       .at = spec.at,
                       .verify = spec.verify,
                       .seed = request.seed,
                       .fold = request.fold};
    context.late.resize(context.devices.size());
    context.compute_share.resize(context.devices.size(), 1.0);
    for (size_t i = 0; i < concerned.size(); ++i)
      concerned[i] += apply_change(request.changes[i], computes(spec), context, errors);
    if (context.devices.empty()) continue;
    devices += context.devices.size();
    run->placed_.push_back({spec.name, context.devices, context.compute_changes});
    const bool runs =
        !request.only || std::find(request.only->begin(), request.only->end(), j) != request.only->end();
    run->jobs_.push_back(runs ? make_job(spec, std::move(context), errors) : nullptr);
  }
  run->timed_links_ = find_timed_links(request.link_changes, request.topology, request.network, errors);
  for (size_t i = 0; i < concerned.size(); ++i)
    check_change(request.changes[i], request.jobs, concerned[i], errors);
  check_adaptive(request, devices, errors);
  if (!errors.ok()) return nullptr;
  return run;
}

// A process a rank: "rank 3 node[0].gpu[3]", with the job's name before it where there are several jobs.
std::vector<JobTrace> Run::name_ranks(Recorder& recorder, FaultMarks& marks) const {
  std::vector<JobTrace> traces;
  Rank processes = 0;
  for (size_t j = 0; j < placed_.size(); ++j) {
    const std::string prefix = placed_.size() > 1 ? placed_[j].name + " " : "";
    traces.push_back({recorder, {}});
    const auto add = [&](const char* role, size_t i, VertexId device) {
      const ProcessId process = recorder.rank_process(
          processes++, absl::StrCat(prefix, role, i, " ", request_.topology.vertex_name(device)));
      traces.back().ranks.push_back({.process = process,
                                     .compute = recorder.track(process, "compute"),
                                     .buckets = recorder.track(process, "buckets"),
                                     .comm = recorder.track(process, jobs_[j]->comm_stream_name(0))});
      for (uint32_t k = 1; k < jobs_[j]->comm_streams(); ++k)
        traces.back().ranks.back().more_comm.push_back(
            recorder.track(process, jobs_[j]->comm_stream_name(k)));
      return process;
    };
    const std::vector<VertexId> servers = jobs_[j]->servers();
    for (size_t r = 0; r < placed_[j].devices.size(); ++r) {
      const ProcessId process = add("rank ", r, placed_[j].devices[r]);
      if (!placed_[j].changes.empty()) marks.add_rank(process, placed_[j].changes[r]);
    }
    for (size_t s = 0; s < servers.size(); ++s) add("server ", s, servers[s]);
  }
  return traces;
}

// See fold.h: what is looked for after the run.
template <class Network>
bool Run::units_agree(const Engine<Network>& engine) const {
  if (engine.network().ranks_decided()) return false;
  const LinkId unit = links_of_unit(request_.topology, request_.fold);
  const std::span<const LinkState> links = engine.network().links();
  for (LinkId l = 0; l < links.size(); ++l) {
    const LinkState& x = links[l];
    const LinkState& alike = links[l < unit ? l + unit : l];
    const bool is_in_a_unit = l < unit * request_.fold.simulated;
    if (!is_in_a_unit && x.bytes != 0) return false;
    if (x.bytes != alike.bytes || x.busy != alike.busy || x.free_at != alike.free_at) return false;
  }
  return true;
}

void Run::count_links(const Simulation& simulation, RunResult& result) const {
  const bool folded = request_.fold.used();
  const LinkId every = folded ? links_of_unit(request_.topology, request_.fold) : 0;
  const auto end = folded ? every : static_cast<LinkId>(request_.topology.links().size());
  for (LinkId l = 0; l < end; ++l) {
    const LinkUse use = simulation.use_of(l);
    if (use.bytes.count == 0) continue;
    const double share =
        result.end.ps == 0 ? 0 : static_cast<double>(use.busy.ps) / static_cast<double>(result.end.ps);
    result.links.push_back({l, use.bytes, use.busy, share, every});
  }
  sort_busiest_first(result.links);
}

// The nodes that are dead now, and what that stops; empty if none is.
std::string Run::dead_nodes(Time now) const {
  std::string text;
  for (const RankChange& change : request_.changes) {
    if (!change.of_node || now < change.begins || now >= change.ends) continue;
    Diagnostics said_before;
    const auto dead = request_.topology.select(change.ranks, change.at, said_before);
    int64_t ranks = 0;
    for (const Placed& job : placed_)
      for (const VertexId device : job.devices)
        ranks += std::find(dead.begin(), dead.end(), device) != dead.end();
    absl::StrAppend(&text, text.empty() ? "" : "; ", change.ranks, " died at ",
                    to_string(change.begins - Time{}), " and is not back: ", ranks,
                    ranks == 1 ? " rank computes" : " ranks compute", " nothing");
  }
  return text;
}

RunResult Run::go(const RunOptions& options) {
  switch (request_.network.model) {
    case NetworkModel::kPacket:
      return go_over<PacketNetwork>(options);
    case NetworkModel::kFluid:
      return go_over<FluidNetwork>(options);
  }
  BRIGADE_CHECK(false, "a network of model ", static_cast<int>(request_.network.model));
}

// Tells jobs that last as long as the others when these have ended.
void Run::run_to_the_end(Simulation& simulation) {
  const auto is_over = [](const auto& job) {
    return !job || job->lasts_as_long_as_others() || job->finished();
  };
  bool told = std::none_of(jobs_.begin(), jobs_.end(),
                           [](const auto& job) { return job && job->lasts_as_long_as_others(); });
  while (const auto notice = simulation.next()) {
    Job& job = *jobs_[notice->job];
    job.on(*notice, simulation);
    if (told || !is_over(jobs_[notice->job]) || !std::all_of(jobs_.begin(), jobs_.end(), is_over)) continue;
    told = true;
    for (const auto& other : jobs_)
      if (other) other->others_ended(simulation);
  }
}

template <class Network>
RunResult Run::go_over(const RunOptions& options) {
  Engine<Network> engine(
      request_.topology, request_.network,
      {.seed = request_.seed, .hash_events = options.hash_events, .shuffle = options.shuffle});
  if (!timed_links_.empty()) engine.change_links(timed_links_, request_.network.detection);
  FanOut listeners;
  std::optional<Tracer> tracer;
  std::vector<JobTrace> traces;
  FaultMarks marks(options.recorder);
  if (options.recorder != nullptr) {
    traces = name_ranks(*options.recorder, marks);
    std::vector<JobCommTracks> comm_tracks;
    for (size_t j = 0; j < traces.size(); ++j) {
      comm_tracks.emplace_back(jobs_[j]->comm_streams());
      for (uint32_t k = 0; k < comm_tracks.back().size(); ++k)
        for (const RankTracks& rank : traces[j].ranks) comm_tracks.back()[k].push_back(rank.comm_of(k));
    }
    tracer.emplace(engine, *options.recorder, std::move(comm_tracks), [&](JobId job, CommId comm) {
      const auto own = traces[job].comm_tracks.find(comm);
      return own == traces[job].comm_tracks.end() ? std::vector<TrackId>() : own->second;
    });
    marks.add_links(tracer->network(), request_.topology, timed_links_);
    listeners.add(&*tracer);
  }
  Payload payload(engine, request_.seed);
  for (size_t i = 0; i < jobs_.size(); ++i) {
    if (!jobs_[i]) continue;
    if (request_.jobs[i].verify) payload.verify(static_cast<JobId>(i));
    jobs_[i]->carry(payload);
  }
  if (payload.wanted()) listeners.add(&payload);
  std::optional<Paranoid> paranoid;
  if (options.paranoid) listeners.add(&paranoid.emplace(engine));
  engine.observe(listeners.observer());
  for (size_t i = 0; i < jobs_.size(); ++i)
    if (jobs_[i]) jobs_[i]->begin(engine, traces.empty() ? nullptr : &traces[i]);
  run_to_the_end(engine);

  RunResult result;
  result.end = engine.now() - Time{};
  result.failure = engine.failure();
  const std::string dead = dead_nodes(engine.now());
  if (!result.failure.empty() && !dead.empty()) absl::StrAppend(&result.failure, "\n  ", dead);
  if (tracer) tracer->finish();
  marks.write(engine.now());
  if (result.failure.empty() &&
      !std::all_of(jobs_.begin(), jobs_.end(), [](auto& j) { return !j || j->finished(); })) {
    result.failure = engine.stuck();
    if (!dead.empty()) absl::StrAppend(&result.failure, result.failure.empty() ? "" : "\n  ", dead);
    BRIGADE_CHECK(!result.failure.empty(), "a job is not finished, yet nobody waits");
  }
  if (request_.fold.used() && (!result.failure.empty() || !units_agree(engine))) {
    result.units_differ = true;
    return result;
  }
  const Fold& fold = result.fold = request_.fold;
  result.counts = engine.counts();
  for (int64_t* count : {&result.counts.events, &result.counts.messages, &result.counts.segments})
    *count = fold.all(*count);
  count_links(engine, result);
  if (!result.failure.empty()) return result;
  engine.check_counters();
  if (paranoid) paranoid->finish();
  for (size_t i = 0; i < jobs_.size(); ++i) {
    if (!jobs_[i]) continue;
    result.jobs.push_back(jobs_[i]->result(engine));
    if (!payload.verifies(static_cast<JobId>(i))) continue;
    const Verification& found = payload.verification(static_cast<JobId>(i));
    if (result.failure.empty()) result.failure = found.failure;
    result.jobs.back().verified = found;
  }
  return result;
}

}  // namespace brigade
