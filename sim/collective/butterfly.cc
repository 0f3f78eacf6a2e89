// Butterfly, or recursive doubling (Thakur, Rabenseifner, Gropp 2005): in round j rank r swaps its whole
// buffer with rank r xor 2^j, and both add. log2 N rounds: the fewest latencies, for log2 N M sent by each
// rank. Ranks beyond a power of two are folded in before and out after.
#include "sim/collective/catalogue.h"
#include "sim/collective/fold.h"

namespace brigade {
namespace {

Round rounds(const Plan& plan) { return plan.log2 + 2 * folded(plan); }

bool is_fold(const Plan& plan, Round k) { return folded(plan) && (k == 0 || k == plan.log2 + 1); }
Rank partner(const Plan& plan, Rank self, Round k) {
  return is_fold(plan, k) ? fold_partner(plan, self) : self ^ (Rank{1} << (k - folded(plan)));
}

Step step(const Plan& plan, Rank self, Round k) {
  if (is_fold(plan, k)) return k == 0 ? fold_in(plan, self) : fold_out(plan, self);
  const uint32_t swaps = self < plan.power;
  return {swaps, swaps, true};
}

Send send(const Plan& plan, Rank self, Round k, uint32_t) { return {partner(plan, self, k), plan.whole()}; }

Rank from(const Plan& plan, Rank self, Round k, uint32_t) { return partner(plan, self, k); }

// r xor u unit for every r: the same pairs.
bool alike(const Plan& plan, Rank) { return !folded(plan); }

std::optional<Duration> closed_form(const Plan& plan, const Cost& cost, const Cost&) {
  return int64_t{plan.log2} * cost.message(plan.bytes(plan.whole())) + 2 * fold_time(plan, cost);
}

}  // namespace

const Algorithm kButterflyAllReduce = {
    .name = "butterfly",
    .collective = Collective::kAllReduce,
    .summary = "recursive doubling of whole buffers (Thakur, Rabenseifner, Gropp 2005)",
    .rounds = rounds,
    .step = step,
    .send = send,
    .from = from,
    .closed_form = closed_form,
    .alike = alike};

}  // namespace brigade
