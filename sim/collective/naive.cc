// Naive all-reduce: everybody sends everything to everybody, and adds up what comes in. One round, (N-1) M
// sent by each rank: one latency only, which is why it wins where messages are tiny.
#include "sim/collective/catalogue.h"
#include "sim/collective/fold.h"

namespace brigade {
namespace {

Round rounds(const Plan& plan) { return plan.ranks > 1; }

Step step(const Plan& plan, Rank, Round) { return {plan.ranks - 1, plan.ranks - 1, true}; }

Send send(const Plan& plan, Rank self, Round, uint32_t i) {
  return {rank_after(plan, self, i + 1), plan.whole()};
}

Rank from(const Plan& plan, Rank self, Round, uint32_t i) { return rank_before(plan, self, i + 1); }

std::optional<Duration> closed_form(const Plan& plan, const Cost& cost, const Cost&) {
  if (plan.ranks == 1) return Duration{};
  return cost.latency + int64_t{plan.ranks - 1} * cost.bandwidth.time(plan.bytes(plan.whole()));
}

}  // namespace

const Algorithm kNaiveAllReduce = {.name = "naive",
                                   .collective = Collective::kAllReduce,
                                   .summary = "everybody sends the whole buffer to everybody",
                                   .in_step_at_any_ranks = true,
                                   .rounds = rounds,
                                   .step = step,
                                   .send = send,
                                   .from = from,
                                   .closed_form = closed_form};

}  // namespace brigade
