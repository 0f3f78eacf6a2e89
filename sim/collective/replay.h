// A collective without a clock: round by round, every message of all executions. For printing and for
// checking data; the simulation itself runs execution.h.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "sim/collective/algorithm.h"

namespace brigade {

using Executions = std::vector<std::shared_ptr<const Plan>>;

// All executions of a request, or why there are none.
struct ExecutionsResult {
  Executions executions;
  std::string error;
};
ExecutionsResult make_executions(const PlanRequest& request);

// One message; the range counts from the start of the buffer, not of the execution's slice.
struct PlannedMessage {
  Rank from, to;
  Range range;
  bool reduce;
};
Round rounds_of(const Executions& executions);
int64_t buffer_elements_of(const Executions& executions);
// By sender, then in the order in which they are offered.
std::vector<PlannedMessage> deliveries(const Executions& executions, Round k);

// Does one round on buffers[rank][element]: every message carries what its sender held when the round began.
// Added are `add(mine, theirs)`, in the order of `messages`.
template <class Cell, class Add>
void do_round(const std::vector<PlannedMessage>& messages, std::vector<std::vector<Cell>>& buffers, Add add) {
  std::vector<std::vector<Cell>> contents;
  contents.reserve(messages.size());
  for (const PlannedMessage& m : messages) {
    const auto first = buffers[m.from].begin() + m.range.first;
    contents.emplace_back(first, first + m.range.count);
  }
  for (size_t i = 0; i < messages.size(); ++i) {
    const PlannedMessage& m = messages[i];
    for (int64_t e = 0; e < m.range.count; ++e) {
      Cell& mine = buffers[m.to][m.range.first + e];
      mine = m.reduce ? add(mine, contents[i][e]) : contents[i][e];
    }
  }
}

// The whole collective on float64 data, buffers[rank][element] of buffer_elements_of() elements each; returns
// what the ranks end with. An invalid request is a broken invariant of the caller.
std::vector<std::vector<double>> run_values(const PlanRequest& request,
                                            std::vector<std::vector<double>> buffers);

}  // namespace brigade
