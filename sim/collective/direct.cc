// Direct: every rank sends each other rank its part at once, in one round. All-reduce is a direct
// reduce-scatter and a direct all-gather: the bytes of the ring for two latencies, where the network takes
// N-1 streams a rank. (What NVSwitch systems and MPI's "spread" do.) The sends of a round start at the right
// neighbour, so that no two ranks begin with the same receiver.
#include "sim/collective/catalogue.h"
#include "sim/collective/fold.h"

namespace brigade {
namespace {

Round one_round(const Plan& plan) { return plan.ranks > 1; }
Round two_rounds(const Plan& plan) { return 2 * (plan.ranks > 1); }

Rank peer(const Plan& plan, Rank self, uint32_t i) { return rank_after(plan, self, i + 1); }
Rank from(const Plan& plan, Rank self, Round, uint32_t i) { return rank_before(plan, self, i + 1); }

Step step_all_reduce(const Plan& plan, Rank, Round k) { return {plan.ranks - 1, plan.ranks - 1, k == 0}; }
Step step_add(const Plan& plan, Rank, Round) { return {plan.ranks - 1, plan.ranks - 1, true}; }
Step step_copy(const Plan& plan, Rank, Round) { return {plan.ranks - 1, plan.ranks - 1, false}; }

Send send_scatter(const Plan& plan, Rank self, Round, uint32_t i) {
  const Rank to = peer(plan, self, i);
  return {to, plan.part(to)};
}
Send send_gather(const Plan& plan, Rank self, Round, uint32_t i) {
  return {peer(plan, self, i), plan.part(self)};
}
Send send_all_reduce(const Plan& plan, Rank self, Round k, uint32_t i) {
  return k == 0 ? send_scatter(plan, self, k, i) : send_gather(plan, self, k, i);
}
Send send_all_to_all(const Plan& plan, Rank self, Round, uint32_t i) {
  const Rank to = peer(plan, self, i);
  const Range part = plan.part(to);
  return {to, {self * plan.elements + part.first, part.count}};
}

std::optional<Duration> time_one_round(const Plan& plan, const Cost& cost, const Cost&) {
  if (plan.ranks == 1) return Duration{};
  return cost.latency + int64_t{plan.ranks - 1} * cost.bandwidth.time(plan.largest_part());
}
std::optional<Duration> time_two_rounds(const Plan& plan, const Cost& cost, const Cost& outer) {
  return 2 * *time_one_round(plan, cost, outer);
}

}  // namespace

const Algorithm kDirectAllReduce = {.name = "direct",
                                    .collective = Collective::kAllReduce,
                                    .summary = "reduce-scatter and all-gather, one round each",
                                    .in_step_at_any_ranks = true,
                                    .rounds = two_rounds,
                                    .step = step_all_reduce,
                                    .send = send_all_reduce,
                                    .from = from,
                                    .closed_form = time_two_rounds,
                                    .alike = equal_shares};

const Algorithm kDirectReduceScatter = {.name = "direct",
                                        .collective = Collective::kReduceScatter,
                                        .summary = "each part goes straight to its rank",
                                        .in_step_at_any_ranks = true,
                                        .rounds = one_round,
                                        .step = step_add,
                                        .send = send_scatter,
                                        .from = from,
                                        .closed_form = time_one_round,
                                        .alike = equal_shares};

const Algorithm kDirectAllGather = {.name = "direct",
                                    .collective = Collective::kAllGather,
                                    .summary = "each rank sends its part to all others",
                                    .in_step_at_any_ranks = true,
                                    .rounds = one_round,
                                    .step = step_copy,
                                    .send = send_gather,
                                    .from = from,
                                    .closed_form = time_one_round,
                                    .alike = equal_shares};

const Algorithm kDirectAllToAll = {.name = "direct",
                                   .collective = Collective::kAllToAll,
                                   .summary = "each rank sends every other its part",
                                   .in_step_at_any_ranks = true,
                                   .rounds = one_round,
                                   .step = step_copy,
                                   .send = send_all_to_all,
                                   .from = from,
                                   .closed_form = time_one_round,
                                   .alike = equal_shares};

}  // namespace brigade
