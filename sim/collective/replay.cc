#include "sim/collective/replay.h"

#include <algorithm>

#include "sim/base/check.h"

namespace brigade {

ExecutionsResult make_executions(const PlanRequest& request) {
  ExecutionsResult result;
  for (int x = 0; x < request.algorithm->executions; ++x) {
    PlanResult made = make_plan(request, static_cast<uint32_t>(x));
    if (!made.plan) return {{}, std::move(made.error)};
    result.executions.push_back(std::move(made.plan));
  }
  return result;
}

Round rounds_of(const Executions& executions) {
  Round rounds = 0;
  for (const auto& plan : executions) rounds = std::max(rounds, plan->rounds());
  return rounds;
}

int64_t buffer_elements_of(const Executions& executions) {
  int64_t elements = 0;
  for (const auto& plan : executions) elements += plan->buffer_elements();
  return elements;
}

std::vector<PlannedMessage> deliveries(const Executions& executions, Round k) {
  std::vector<PlannedMessage> messages;
  for (Rank self = 0; self < executions[0]->ranks; ++self) {
    for (const auto& plan : executions) {
      if (k >= plan->rounds()) continue;
      for (uint32_t i = 0; i < plan->step(self, k).sends; ++i) {
        Send send = plan->send(self, k, i);
        send.range.first += plan->slice_first;
        messages.push_back({self, send.to, send.range, plan->step(send.to, k).reduce});
      }
    }
  }
  return messages;
}

std::vector<std::vector<double>> run_values(const PlanRequest& request,
                                            std::vector<std::vector<double>> buffers) {
  const ExecutionsResult made = make_executions(request);
  BRIGADE_CHECK(made.error.empty(), made.error);
  BRIGADE_CHECK(buffers.size() == request.ranks, buffers.size(), " buffers for ", request.ranks, " ranks");
  for (const auto& buffer : buffers) {
    const int64_t elements = buffer_elements_of(made.executions);
    BRIGADE_CHECK(static_cast<int64_t>(buffer.size()) == elements, buffer.size(), " elements, not ",
                  elements);
  }
  for (Round k = 0; k < rounds_of(made.executions); ++k) {
    do_round(deliveries(made.executions, k), buffers,
             [](double mine, double theirs) { return mine + theirs; });
  }
  return buffers;
}

}  // namespace brigade
