#include "sim/report/session.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/base/check.h"
#include "sim/report/suspicious.h"
#include "sim/report/trace_options.h"
#include "sim/trace/chrome_trace.h"
#include "sim/workload/placement.h"
#include "sim/workload/ranks.h"

namespace brigade {
namespace {

// The cluster, or where its changes have mistakes the cluster without them, so that jobs can be looked at.
std::shared_ptr<const Topology> build(const ScenarioParts& parts, Diagnostics& errors) {
  if (!parts.cluster_is_sound) return nullptr;
  std::vector<LinkChange> changes;
  for (const LinkChange& change : parts.scenario.link_changes) {
    if (!change.links.empty()) changes.push_back(change);
  }
  std::shared_ptr<const Topology> topology = build_topology(parts.scenario.cluster, changes, errors);
  if (topology || changes.empty()) return topology;
  Diagnostics known;
  return build_topology(parts.scenario.cluster, {}, known);
}

// Kept only if there was nothing to say about it: who finds it in the cache hears nothing.
std::shared_ptr<const Topology> build_once(const ScenarioParts& parts, TopologyCache* cache,
                                           Diagnostics& errors) {
  if (cache == nullptr || parts.cluster_text.empty() || !errors.ok()) return build(parts, errors);
  if (auto known = cache->find(parts.cluster_text)) return known;
  const size_t said_before = errors.list().size();
  auto topology = build(parts, errors);
  if (topology && errors.list().size() == said_before) cache->add(parts.cluster_text, topology);
  return topology;
}

// The jobs that can be prepared; of the others only the ranks are looked at.
RunRequest request_of(const ScenarioParts& parts, const Topology& topology, Diagnostics& errors) {
  const Scenario& s = parts.scenario;
  RunRequest request{.topology = topology, .network = s.network, .seed = s.seed, .jobs = {}, .changes = {}};
  for (const LinkChange& change : s.link_changes)
    if (change.timed() && !change.links.empty()) request.link_changes.push_back(change);
  std::set<std::string> unread;
  const auto placed = place_jobs(s.jobs, topology, s.seed, errors);
  for (size_t i = 0; i < s.jobs.size(); ++i) {
    if (parts.sound_jobs[i] && !placed[i].empty()) {
      request.jobs.push_back(s.jobs[i]);
    } else {
      unread.insert(s.jobs[i].name);
    }
  }
  for (const RankChange& change : s.rank_changes) {
    if (!change.ranks.empty() && !(change.job && unread.count(*change.job)))
      request.changes.push_back(change);
  }
  return request;
}

}  // namespace

std::shared_ptr<const Topology> TopologyCache::find(const std::string& cluster_text) {
  const std::lock_guard lock(mutex_);
  for (const auto& [text, topology] : kept_) {
    if (text == cluster_text) return topology;
  }
  return nullptr;
}

void TopologyCache::add(const std::string& cluster_text, std::shared_ptr<const Topology> topology) {
  const std::lock_guard lock(mutex_);
  if (kept_.size() == kKept) kept_.pop_front();
  kept_.emplace_back(cluster_text, std::move(topology));
}

std::unique_ptr<Session> Session::open(const SessionRequest& request, Diagnostics& errors) {
  return open(read_scenario_parts(request.file, request.overrides, errors), request, nullptr, errors);
}

std::unique_ptr<Session> Session::open(ScenarioParts parts, const SessionRequest& request,
                                       TopologyCache* cache, Diagnostics& errors) {
  std::unique_ptr<Session> session(new Session);
  if (request.verify)
    for (JobSpec& job : parts.scenario.jobs) job.verify = true;
  for (size_t i = 0; i < parts.scenario.jobs.size(); ++i)
    parts.sound_jobs[i] = parts.sound_jobs[i] && load_trace(parts.scenario, i, errors);
  session->paranoid_ = request.paranoid;
  session->trace_ = trace_of(parts.scenario, request.trace, errors);
  session->scenario_ = parts.scenario;
  const bool all_is_watched = session->trace_ || request.verify || request.paranoid;
  if (!all_is_watched && !parts.scenario.alone) session->fold_from_ = request.fold_from;
  const bool folds = errors.ok() && session->fold_from_ && session->fold(*session->fold_from_, errors);
  if (!folds) session->unfold(parts, cache, errors);
  if (!errors.ok()) return nullptr;
  if (session->trace_) check_trace_ranks(*session->trace_, session->ranks_, errors);
  if (!errors.ok()) return nullptr;
  warn_of_suspicious_values(session->scenario_, errors);
  return session;
}

bool Session::fold(uint32_t units_min, Diagnostics& errors) {
  const Scenario& s = scenario_;
  const bool changed = !s.link_changes.empty() || !s.rank_changes.empty();
  const std::optional<Fold> fold = find_fold(s.cluster, changed, s.network, s.jobs, units_min);
  if (!fold) return false;
  // What is wrong is said of the whole cluster, not of two units.
  Diagnostics unsaid;
  auto simulated = build_topology(with_units(s.cluster, *fold, fold->simulated), {}, unsaid);
  if (!simulated || !routes_are_alike(*simulated, *fold)) return false;
  auto run = Run::prepare({.topology = *simulated,
                           .network = s.network,
                           .seed = s.seed,
                           .jobs = s.jobs,
                           .changes = {},
                           .fold = *fold},
                          unsaid);
  if (!run) return false;
  for (const JobSpec& job : s.jobs)
    ranks_ += fold->all(static_cast<Rank>(find_ranks(job, *simulated, unsaid).size()));
  topology_ = build_topology(with_units(s.cluster, *fold, std::min(fold->units, kNamedUnits)), {}, unsaid);
  simulated_ = std::move(simulated);
  run_ = std::move(run);
  for (const Diagnostic& d : unsaid.list())
    if (d.severity == Diagnostic::Severity::kWarning) errors.warning(d.place, d.message);
  return true;
}

void Session::unfold(const ScenarioParts& parts, TopologyCache* cache, Diagnostics& errors) {
  run_ = nullptr;
  topology_ = build_once(parts, cache, errors);
  if (!topology_) return;
  const RunRequest& request = request_.emplace(request_of(parts, *topology_, errors));
  // Without a sound job there is nothing more to say, unless that is the mistake.
  if (!request.jobs.empty() || errors.ok()) run_ = Run::prepare(request, errors);
  if (!errors.ok()) return;
  ranks_ = 0;
  for (const auto& devices : place_jobs(request.jobs, *topology_, request.seed, errors))
    ranks_ += static_cast<Rank>(devices.size());
  if (fold_from_)
    partial_fold_ = PartialFold::find(scenario_.cluster, request, *run_, scenario_.link_changes, *fold_from_);
}

RunResult Session::run() {
  if (partial_fold_)
    if (std::optional<RunResult> result = partial_fold_->go()) return *std::move(result);
  if (trace_) recorder_.emplace(recorder_options(*trace_, ranks_));
  RunResult result = run_->go({.recorder = recorder_ ? &*recorder_ : nullptr, .paranoid = paranoid_});
  if (scenario_.alone && result.failure.empty()) run_alone(result);
  if (!result.units_differ) return result;
  Diagnostics errors;
  unfold({.scenario = scenario_,
          .cluster_is_sound = true,
          .sound_jobs = std::vector<bool>(scenario_.jobs.size(), true)},
         nullptr, errors);
  if (errors.ok()) return run();  // in parts, or everything
  result = {};
  for (const Diagnostic& d : errors.list()) result.failure = d.message;
  return result;
}

void Session::run_alone(RunResult& result) {
  for (size_t i = 0; i < result.jobs.size(); ++i) {
    const std::optional<double> time_us = mean_time_us(result.jobs[i]);
    if (!time_us) continue;
    Diagnostics unsaid;  // all of it was looked at before
    request_->only = {i};
    const auto run = Run::prepare(*request_, unsaid);
    BRIGADE_CHECK(run != nullptr, unsaid.text());
    const RunResult alone = run->go({});
    if (!alone.failure.empty()) {
      result.failure =
          "job \"" + result.jobs[i].name + "\", which runs alone to be compared: " + alone.failure;
      return;
    }
    result.jobs[i].alone = {*time_us, *mean_time_us(alone.jobs.front())};
  }
}

IoError Session::write_trace() const {
  BRIGADE_CHECK(recorder_.has_value(), "no timeline was recorded");
  return write_chrome_trace(*recorder_, {.name = scenario_.name, .seed = scenario_.seed}, trace_->file);
}

}  // namespace brigade
