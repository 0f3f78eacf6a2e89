// Dissemination barrier (Hensgen, Finkel, Manber 1988): in round j rank r tells rank r + 2^j that it has
// come, with a message of zero bytes. After ceil(log2 N) rounds everybody has heard of everybody.
#include <bit>

#include "sim/collective/catalogue.h"
#include "sim/collective/fold.h"

namespace brigade {
namespace {

Round rounds(const Plan& plan) { return static_cast<Round>(std::bit_width(plan.ranks - 1)); }
Step step(const Plan&, Rank, Round) { return {1, 1, false}; }
Send send(const Plan& plan, Rank self, Round k, uint32_t) {
  return {rank_after(plan, self, Rank{1} << k), {}};
}
Rank from(const Plan& plan, Rank self, Round k, uint32_t) { return rank_before(plan, self, Rank{1} << k); }

bool always(const Plan&, Rank) { return true; }

std::optional<Duration> closed_form(const Plan& plan, const Cost& cost, const Cost&) {
  return int64_t{rounds(plan)} * cost.message({});
}

}  // namespace

const Algorithm kDisseminationBarrier = {
    .name = "dissemination",
    .collective = Collective::kBarrier,
    .summary = "empty messages to r + 2^j (Hensgen, Finkel, Manber 1988)",
    .in_step_at_any_ranks = true,
    .rounds = rounds,
    .step = step,
    .send = send,
    .from = from,
    .closed_form = closed_form,
    .alike = always};

}  // namespace brigade
