#include "sim/workload/launch_queue.h"

#include <algorithm>

#include "sim/base/check.h"

namespace brigade {

void LaunchQueue::begin_step(Rank r, Time now) {
  RankState& s = ranks_[r];
  BRIGADE_CHECK(s.calls.empty(), "rank ", r, " begins a step with ", s.calls.size(),
                " collectives to launch");
  s.read.assign(program_.reads.size(), false);
  s.at_begin = s.wanted.totals(now);
}

void LaunchQueue::read(Rank r, const std::vector<uint32_t>& reads, HostServers& hosts,
                       Simulation& simulation) {
  for (const uint32_t read : reads) hosts.submit(r, HostPlan::task_of_read(read), simulation);
}

void LaunchQueue::set_off(Rank r, const std::vector<uint32_t>& calls, Time now) {
  for (const uint32_t call : calls) {
    ranks_[r].calls.push_back(call);
    if (program_.calls[call].copied.count > 0) ranks_[r].wanted.comm_launched(now);
  }
}

std::optional<uint32_t> LaunchQueue::take(Rank r, HostServers& hosts, Simulation& simulation) {
  RankState& s = ranks_[r];
  if (s.calls.empty() || s.copying) return std::nullopt;
  const uint32_t call = s.calls.front();
  const StepCall& c = program_.calls[call];
  if (c.copied.count > 0 && !s.copied) {
    if (!std::all_of(c.reads.begin(), c.reads.end(), [&](uint32_t read) { return s.read[read]; }))
      return std::nullopt;
    s.copying = true;
    hosts.submit(r, hosts.plan().task_of_copy(call), simulation);
    return std::nullopt;
  }
  s.copied = false;
  s.calls.pop_front();
  return call;
}

void LaunchQueue::ended(Rank r, uint32_t task, const HostPlan& plan, Time now) {
  RankState& s = ranks_[r];
  if (task < plan.task_of_copy(0)) {
    s.read[task - HostPlan::kOthers] = true;
    return;
  }
  BRIGADE_CHECK(s.copying && task == plan.task_of_copy(s.calls.front()), "rank ", r, " has a copy of task ",
                task, " that it did not wait for");
  s.copying = false;
  s.copied = true;
  s.wanted.comm_done(now);
}

}  // namespace brigade
