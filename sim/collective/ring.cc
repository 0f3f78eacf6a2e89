// Ring (Patarasuk and Yuan 2009): a reduce-scatter, then an all-gather, of N-1 rounds each; every rank sends
// to its right and hears from its left. 2 (N-1)/N M sent by each rank: the least there is, for 2 (N-1)
// latencies.
//
// In round k of the all-reduce rank r sends segment r - k, so that after the reduce-scatter rank r holds the
// full sum in segment r + 1; the all-gather simply carries on counting. As a collective of its own the
// reduce-scatter starts one segment further left, and rank r ends with segment r.
#include "sim/collective/catalogue.h"
#include "sim/collective/fold.h"

namespace brigade {
namespace {

// Segment r - k of the circle, for k <= 2 N.
Range segment(const Plan& plan, Rank r, Round k) {
  int64_t i = int64_t{r} - k;
  if (i < 0) i += plan.ranks;
  if (i < 0) i += plan.ranks;
  return plan.part(static_cast<Rank>(i));
}

Rank right(const Plan& plan, Rank self) { return rank_after(plan, self, 1); }
Rank from_left(const Plan& plan, Rank self, Round, uint32_t) { return rank_before(plan, self, 1); }

Round one_turn(const Plan& plan) { return plan.ranks - 1; }
Round two_turns(const Plan& plan) { return 2 * (plan.ranks - 1); }

Step step_all_reduce(const Plan& plan, Rank, Round k) { return {1, 1, k < plan.ranks - 1}; }
Step step_reduce_scatter(const Plan&, Rank, Round) { return {1, 1, true}; }
Step step_all_gather(const Plan&, Rank, Round) { return {1, 1, false}; }

Send send_all_reduce(const Plan& plan, Rank self, Round k, uint32_t) {
  return {right(plan, self), segment(plan, self, k)};
}
Send send_reduce_scatter(const Plan& plan, Rank self, Round k, uint32_t) {
  return {right(plan, self), segment(plan, self, k + 1)};
}

std::optional<Duration> turns(int64_t rounds, const Plan& plan, const Cost& cost) {
  return rounds * cost.message(plan.largest_part());
}
std::optional<Duration> time_one_turn(const Plan& plan, const Cost& cost, const Cost&) {
  return turns(one_turn(plan), plan, cost);
}
std::optional<Duration> time_two_turns(const Plan& plan, const Cost& cost, const Cost&) {
  return turns(two_turns(plan), plan, cost);
}

}  // namespace

const Algorithm kRingAllReduce = {.name = "ring",
                                  .collective = Collective::kAllReduce,
                                  .summary = "ring reduce-scatter and all-gather (Patarasuk, Yuan 2009)",
                                  .in_step_at_any_ranks = true,
                                  .repeats_peers = true,
                                  .rounds = two_turns,
                                  .step = step_all_reduce,
                                  .send = send_all_reduce,
                                  .from = from_left,
                                  .closed_form = time_two_turns,
                                  .alike = equal_shares};

const Algorithm kRingReduceScatter = {
    .name = "ring",
    .collective = Collective::kReduceScatter,
    .summary = "partial sums pass once around the ring (Patarasuk, Yuan 2009)",
    .in_step_at_any_ranks = true,
    .repeats_peers = true,
    .rounds = one_turn,
    .step = step_reduce_scatter,
    .send = send_reduce_scatter,
    .from = from_left,
    .closed_form = time_one_turn,
    .alike = equal_shares};

const Algorithm kRingAllGather = {.name = "ring",
                                  .collective = Collective::kAllGather,
                                  .summary = "parts pass once around the ring (Patarasuk, Yuan 2009)",
                                  .in_step_at_any_ranks = true,
                                  .repeats_peers = true,
                                  .rounds = one_turn,
                                  .step = step_all_gather,
                                  .send = send_all_reduce,
                                  .from = from_left,
                                  .closed_form = time_one_turn,
                                  .alike = equal_shares};

}  // namespace brigade
