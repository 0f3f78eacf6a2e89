// Ring chain: broadcast and reduce along the ring, N-1 rounds, one message a round. From the root to the
// right, and from the root's right neighbour around to the root. The buffer travels whole: NCCL's pipelining
// in slices comes from channels, not from here.
#include "sim/collective/catalogue.h"
#include "sim/collective/fold.h"

namespace brigade {
namespace {

Round rounds(const Plan& plan) { return plan.ranks - 1; }

// Places counted from the first sender: round k takes the buffer from place k to place k + 1.
Step step_from(Rank place, Round k, bool reduce) { return {place == k, place == k + 1, reduce}; }

Step step_broadcast(const Plan& plan, Rank self, Round k) {
  return step_from(rank_before(plan, self, plan.root), k, false);
}
Step step_reduce(const Plan& plan, Rank self, Round k) {
  return step_from(rank_before(plan, self, rank_after(plan, plan.root, 1)), k, true);
}
Send send(const Plan& plan, Rank self, Round, uint32_t) { return {rank_after(plan, self, 1), plan.whole()}; }
Rank from(const Plan& plan, Rank self, Round, uint32_t) { return rank_before(plan, self, 1); }

std::optional<Duration> closed_form(const Plan& plan, const Cost& cost, const Cost&) {
  return int64_t{rounds(plan)} * cost.message(plan.bytes(plan.whole()));
}

}  // namespace

const Algorithm kChainBroadcast = {.name = "chain",
                                   .collective = Collective::kBroadcast,
                                   .summary = "rank to rank around the ring, from the root",
                                   .in_step_at_any_ranks = true,
                                   .rounds = rounds,
                                   .step = step_broadcast,
                                   .send = send,
                                   .from = from,
                                   .closed_form = closed_form};

const Algorithm kChainReduce = {.name = "chain",
                                .collective = Collective::kReduce,
                                .summary = "rank to rank around the ring, to the root",
                                .in_step_at_any_ranks = true,
                                .rounds = rounds,
                                .step = step_reduce,
                                .send = send,
                                .from = from,
                                .closed_form = closed_form};

}  // namespace brigade
