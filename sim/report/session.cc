#include "sim/report/session.h"

#include <set>
#include <utility>

#include "sim/base/check.h"
#include "sim/report/suspicious.h"
#include "sim/report/trace_options.h"
#include "sim/trace/chrome_trace.h"
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
  std::set<std::string> unread;
  for (size_t i = 0; i < s.jobs.size(); ++i) {
    const int errors_before = errors.errors();
    find_ranks(s.jobs[i], topology, errors);
    if (parts.sound_jobs[i] && errors.errors() == errors_before) {
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
  session->paranoid_ = request.paranoid;
  session->trace_ = trace_of(parts.scenario, request.trace, errors);
  session->topology_ = build_once(parts, cache, errors);
  if (!session->topology_) return nullptr;
  const RunRequest run = request_of(parts, *session->topology_, errors);
  // Without a sound job there is nothing more to say, unless that is the mistake.
  if (!run.jobs.empty() || errors.ok()) session->run_ = Run::prepare(run, errors);
  if (!errors.ok()) return nullptr;
  for (const JobSpec& job : run.jobs)
    session->ranks_ += static_cast<Rank>(find_ranks(job, *session->topology_, errors).size());
  if (session->trace_) check_trace_ranks(*session->trace_, session->ranks_, errors);
  if (!errors.ok()) return nullptr;
  session->scenario_ = std::move(parts.scenario);
  warn_of_suspicious_values(session->scenario_, errors);
  return session;
}

RunResult Session::run() {
  if (trace_) recorder_.emplace(recorder_options(*trace_, ranks_));
  return run_->go({.recorder = recorder_ ? &*recorder_ : nullptr, .paranoid = paranoid_});
}

IoError Session::write_trace() const {
  BRIGADE_CHECK(recorder_.has_value(), "no timeline was recorded");
  return write_chrome_trace(*recorder_, {.name = scenario_.name, .seed = scenario_.seed}, trace_->file);
}

}  // namespace brigade
