// Halving-doubling (Rabenseifner 2004): a reduce-scatter by recursive halving, an all-gather by recursive
// doubling. As few bytes as the ring, in 2 log2 N rounds.
//
// The buffer is cut into p = 2^k parts. Before halving j rank r works on the block of p/2^j parts that share
// the first j bits of r; it sends the half that it is not in to rank r xor p/2^(j+1) and adds the other.
// Doubling runs the same steps backwards, copying. Ranks beyond the power of two are folded in before and out
// after, and own no part in between.
#include "sim/collective/catalogue.h"
#include "sim/collective/fold.h"

namespace brigade {
namespace {

// The block of `size` parts (a power of two) that holds part i.
Range block(const Plan& plan, Rank i, Rank size) { return plan.part_run(i & ~(size - 1), size); }

// What is sent and heard in halving j: half a block, to and from the rank in the other half.
Rank half(const Plan& plan, Round j) { return plan.power >> (j + 1); }

Round halving_rounds(const Plan& plan) { return plan.log2 + folded(plan); }
Round doubling_rounds(const Plan& plan) { return plan.log2 + folded(plan); }

// The halving that round k of the all-gather undoes; k < log2.
Round undone(const Plan& plan, Round k) { return plan.log2 - 1 - k; }

Step step_halving(const Plan& plan, Rank self, Round k) {
  if (folded(plan) && k == 0) return fold_in(plan, self);
  const uint32_t swaps = self < plan.power;
  return {swaps, swaps, true};
}
Send send_halving(const Plan& plan, Rank self, Round k, uint32_t) {
  if (folded(plan) && k == 0) return {fold_partner(plan, self), plan.whole()};
  const Rank size = half(plan, k - folded(plan)), to = self ^ size;
  return {to, block(plan, to, size)};
}
Rank from_halving(const Plan& plan, Rank self, Round k, uint32_t) {
  return folded(plan) && k == 0 ? fold_partner(plan, self) : self ^ half(plan, k - folded(plan));
}

Step step_doubling(const Plan& plan, Rank self, Round k) {
  if (k == plan.log2) return fold_out(plan, self);
  const uint32_t swaps = self < plan.power;
  return {swaps, swaps, false};
}
Send send_doubling(const Plan& plan, Rank self, Round k, uint32_t) {
  if (k == plan.log2) return {fold_partner(plan, self), plan.whole()};
  const Rank size = half(plan, undone(plan, k));
  return {self ^ size, block(plan, self, size)};
}
Rank from_doubling(const Plan& plan, Rank self, Round k, uint32_t) {
  return k == plan.log2 ? fold_partner(plan, self) : self ^ half(plan, undone(plan, k));
}

Round rounds(const Plan& plan) { return halving_rounds(plan) + doubling_rounds(plan); }
Step step(const Plan& plan, Rank self, Round k) {
  const Round h = halving_rounds(plan);
  return k < h ? step_halving(plan, self, k) : step_doubling(plan, self, k - h);
}
Send send(const Plan& plan, Rank self, Round k, uint32_t i) {
  const Round h = halving_rounds(plan);
  return k < h ? send_halving(plan, self, k, i) : send_doubling(plan, self, k - h, i);
}
Rank from(const Plan& plan, Rank self, Round k, uint32_t i) {
  const Round h = halving_rounds(plan);
  return k < h ? from_halving(plan, self, k, i) : from_doubling(plan, self, k - h, i);
}

// One way. The first half of the first block is the largest message of its round.
std::optional<Duration> time_one_way(const Plan& plan, const Cost& cost, const Cost&) {
  Duration sum = fold_time(plan, cost);
  for (Round j = 0; j < plan.log2; ++j) sum += cost.message(plan.bytes(plan.part_run(0, half(plan, j))));
  return sum;
}
std::optional<Duration> closed_form(const Plan& plan, const Cost& cost, const Cost& outer) {
  return 2 * *time_one_way(plan, cost, outer);
}

// r xor u unit for every r: the same pairs, and blocks of as many parts.
bool alike(const Plan& plan, Rank) { return !folded(plan) && plan.part_rest == 0; }

std::string cut_into_power_of_two(const PlanRequest&, Plan& plan) {
  plan.shares = plan.power;
  return "";
}

}  // namespace

const Algorithm kHalvingDoublingAllReduce = {
    .name = "halving_doubling",
    .collective = Collective::kAllReduce,
    .summary = "recursive halving, then recursive doubling (Rabenseifner 2004)",
    .rounds = rounds,
    .step = step,
    .send = send,
    .from = from,
    .closed_form = closed_form,
    .alike = alike,
    .prepare = cut_into_power_of_two};

const Algorithm kHalvingReduceScatter = {.name = "halving_doubling",
                                         .collective = Collective::kReduceScatter,
                                         .summary = "recursive halving (Rabenseifner 2004)",
                                         .rounds = halving_rounds,
                                         .step = step_halving,
                                         .send = send_halving,
                                         .from = from_halving,
                                         .closed_form = time_one_way,
                                         .prepare = cut_into_power_of_two};

const Algorithm kDoublingAllGather = {.name = "halving_doubling",
                                      .collective = Collective::kAllGather,
                                      .summary = "recursive doubling (Rabenseifner 2004)",
                                      .rounds = doubling_rounds,
                                      .step = step_doubling,
                                      .send = send_doubling,
                                      .from = from_doubling,
                                      .closed_form = time_one_way,
                                      .prepare = cut_into_power_of_two};

}  // namespace brigade
