#include "sim/collective/schedule_states.h"

#include <algorithm>
#include <set>

namespace brigade {
namespace {

// Whether the rank brings this element to the collective.
bool brings(const Plan& plan, Rank r, int64_t element) {
  switch (plan.algorithm->collective) {
    case Collective::kBroadcast:
      return r == plan.root;
    case Collective::kAllGather: {
      const Range part = plan.part(r);
      return element >= part.first && element < part.first + part.count;
    }
    case Collective::kAllToAll:
      return element / plan.elements == r;
    case Collective::kSendRecv:
      return plan.pairs[element / plan.elements].from == r;
    default:
      return true;
  }
}

std::vector<int64_t> cuts_of(const std::vector<std::vector<PlannedMessage>>& rounds, int64_t elements) {
  std::set<int64_t> cuts{0, elements};
  for (const std::vector<PlannedMessage>& round : rounds) {
    for (const PlannedMessage& m : round) {
      cuts.insert(m.range.first);
      cuts.insert(m.range.first + m.range.count);
    }
  }
  return {cuts.begin(), cuts.end()};
}

SegmentTable first_table(const Plan& plan, const std::vector<int64_t>& cuts,
                         const std::vector<double>& values) {
  SegmentTable table(plan.ranks, std::vector<SegmentCell>(cuts.size() - 1));
  for (Rank r = 0; r < plan.ranks; ++r) {
    for (size_t s = 0; s + 1 < cuts.size(); ++s) {
      if (brings(plan, r, cuts[s])) table[r][s] = {uint64_t{1} << r, values.empty() ? 0 : values[r]};
    }
  }
  return table;
}

}  // namespace

Range ScheduleStates::in_segments(Range elements) const {
  const auto begin = std::lower_bound(cuts.begin(), cuts.end(), elements.first);
  const auto end = std::lower_bound(cuts.begin(), cuts.end(), elements.first + elements.count);
  return {begin - cuts.begin(), end - begin};
}

ScheduleStates schedule_states(const Executions& executions, const std::vector<double>& values) {
  const Plan& plan = *executions[0];
  const bool barrier = plan.algorithm->collective == Collective::kBarrier;
  ScheduleStates states;
  for (Round k = 0; k < rounds_of(executions); ++k) {
    states.rounds.push_back(deliveries(executions, k));
    if (!barrier) continue;
    for (PlannedMessage& m : states.rounds.back()) m = {m.from, m.to, {0, 1}, true};
  }
  states.cuts = cuts_of(states.rounds, barrier ? 1 : buffer_elements_of(executions));

  SegmentTable now = first_table(plan, states.cuts, values);
  states.tables.push_back(now);
  for (std::vector<PlannedMessage> round : states.rounds) {
    for (PlannedMessage& m : round) m.range = states.in_segments(m.range);
    do_round(round, now, [](const SegmentCell& mine, const SegmentCell& theirs) {
      return SegmentCell{mine.contributors | theirs.contributors, mine.value + theirs.value};
    });
    states.tables.push_back(now);
    for (const PlannedMessage& m : round) {
      for (int64_t s = 0; s < m.range.count; ++s) states.tables.back()[m.to][m.range.first + s].fresh = true;
    }
  }
  return states;
}

}  // namespace brigade
