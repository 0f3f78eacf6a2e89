// Binomial tree: reduce towards a root, broadcast from it, ceil(log2 N) rounds each; all-reduce is one after
// the other at rank 0. Every message is the whole buffer, so the busiest rank sends log2 N of them.
//
// With places counted from the root, place v with lowest set bit b hangs under v - b. The reduce takes the
// bits from the lowest to the highest, the broadcast from the highest to the lowest.
#include <bit>

#include "sim/collective/catalogue.h"
#include "sim/collective/fold.h"

namespace brigade {
namespace {

Round height(const Plan& plan) { return static_cast<Round>(std::bit_width(plan.ranks - 1)); }
Round rounds_up_and_down(const Plan& plan) { return 2 * height(plan); }

Rank place(const Plan& plan, Rank self) { return rank_before(plan, self, plan.root); }

// Place v joins its parent by this bit; has a child by this bit.
bool is_child(Rank v, Rank bit) { return (v & (2 * bit - 1)) == bit; }
bool has_child(const Plan& plan, Rank v, Rank bit) {
  return (v & (2 * bit - 1)) == 0 && v + bit < plan.ranks;
}

Rank bit_up(const Plan&, Round k) { return Rank{1} << k; }
Rank bit_down(const Plan& plan, Round k) { return Rank{1} << (height(plan) - 1 - k); }

Step step_reduce(const Plan& plan, Rank self, Round k) {
  const Rank v = place(plan, self), bit = bit_up(plan, k);
  return {is_child(v, bit), has_child(plan, v, bit), true};
}
Send send_reduce(const Plan& plan, Rank self, Round k, uint32_t) {
  return {rank_before(plan, self, bit_up(plan, k)), plan.whole()};
}
Rank from_reduce(const Plan& plan, Rank self, Round k, uint32_t) {
  return rank_after(plan, self, bit_up(plan, k));
}

Step step_broadcast(const Plan& plan, Rank self, Round k) {
  const Rank v = place(plan, self), bit = bit_down(plan, k);
  return {has_child(plan, v, bit), is_child(v, bit), false};
}
Send send_broadcast(const Plan& plan, Rank self, Round k, uint32_t) {
  return {rank_after(plan, self, bit_down(plan, k)), plan.whole()};
}
Rank from_broadcast(const Plan& plan, Rank self, Round k, uint32_t) {
  return rank_before(plan, self, bit_down(plan, k));
}

Step step_all_reduce(const Plan& plan, Rank self, Round k) {
  const Round h = height(plan);
  return k < h ? step_reduce(plan, self, k) : step_broadcast(plan, self, k - h);
}
Send send_all_reduce(const Plan& plan, Rank self, Round k, uint32_t i) {
  const Round h = height(plan);
  return k < h ? send_reduce(plan, self, k, i) : send_broadcast(plan, self, k - h, i);
}
Rank from_all_reduce(const Plan& plan, Rank self, Round k, uint32_t i) {
  const Round h = height(plan);
  return k < h ? from_reduce(plan, self, k, i) : from_broadcast(plan, self, k - h, i);
}

std::optional<Duration> time_one_way(const Plan& plan, const Cost& cost, const Cost&) {
  return int64_t{height(plan)} * cost.message(plan.bytes(plan.whole()));
}
std::optional<Duration> time_both_ways(const Plan& plan, const Cost& cost, const Cost&) {
  return int64_t{rounds_up_and_down(plan)} * cost.message(plan.bytes(plan.whole()));
}

}  // namespace

const Algorithm kTreeAllReduce = {.name = "tree",
                                  .collective = Collective::kAllReduce,
                                  .summary = "binomial tree: reduce to rank 0, broadcast from it",
                                  .rounds = rounds_up_and_down,
                                  .step = step_all_reduce,
                                  .send = send_all_reduce,
                                  .from = from_all_reduce,
                                  .closed_form = time_both_ways};

const Algorithm kTreeBroadcast = {.name = "tree",
                                  .collective = Collective::kBroadcast,
                                  .summary = "binomial tree from the root",
                                  .rounds = height,
                                  .step = step_broadcast,
                                  .send = send_broadcast,
                                  .from = from_broadcast,
                                  .closed_form = time_one_way};

const Algorithm kTreeReduce = {.name = "tree",
                               .collective = Collective::kReduce,
                               .summary = "binomial tree to the root",
                               .rounds = height,
                               .step = step_reduce,
                               .send = send_reduce,
                               .from = from_reduce,
                               .closed_form = time_one_way};

}  // namespace brigade
