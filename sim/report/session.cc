#include "sim/report/session.h"

#include <utility>

#include "sim/base/check.h"
#include "sim/report/suspicious.h"
#include "sim/report/trace_options.h"
#include "sim/trace/chrome_trace.h"
#include "sim/workload/ranks.h"

namespace brigade {

std::unique_ptr<Session> Session::open(const SessionRequest& request, Diagnostics& errors) {
  std::unique_ptr<Session> session(new Session);
  std::optional<Scenario> scenario = load_scenario(request.file, request.overrides, errors);
  if (!scenario) return nullptr;
  session->scenario_ = std::move(*scenario);
  if (request.verify)
    for (JobSpec& job : session->scenario_.jobs) job.verify = true;
  session->paranoid_ = request.paranoid;
  const Scenario& s = session->scenario_;
  session->trace_ = trace_of(s, request.trace, errors);
  session->topology_ = build_topology(s.cluster, s.link_changes, errors);
  if (!session->topology_) return nullptr;
  session->run_ = Run::prepare({.topology = *session->topology_,
                                .network = s.network,
                                .seed = s.seed,
                                .jobs = s.jobs,
                                .changes = s.rank_changes},
                               errors);
  if (!session->run_) return nullptr;
  for (const JobSpec& job : s.jobs)
    session->ranks_ += static_cast<Rank>(find_ranks(job, *session->topology_, errors).size());
  if (session->trace_) check_trace_ranks(*session->trace_, session->ranks_, errors);
  if (!errors.ok()) return nullptr;
  warn_of_suspicious_values(s, errors);
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
