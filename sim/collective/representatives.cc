#include "sim/collective/representatives.h"

#include <utility>

namespace brigade {
namespace {

// Of a plan of representatives: parts[0] is the whole plan, `group` the unit.
const Plan& whole(const Plan& plan) { return *plan.parts[0]; }
Rank in_unit(const Plan& plan, Rank r) { return r < plan.group ? r : r - plan.group; }

// A peer of unit 0 as the peer of `self`: in its own unit, or in the other one.
Rank peer(const Plan& plan, Rank self, Rank of_unit_0) {
  const Rank base = self < plan.group ? 0 : plan.group;
  if (of_unit_0 < plan.group) return base + of_unit_0;
  // of_unit_0 / group by multiplication, as in hierarchical.cc.
  const Rank unit =
      plan.group_inverse == 0
          ? of_unit_0
          : static_cast<Rank>((static_cast<unsigned __int128>(plan.group_inverse) * of_unit_0) >> 64);
  return plan.group - base + (of_unit_0 - unit * plan.group);
}

Round rounds(const Plan& plan) { return whole(plan).rounds(); }
Step step(const Plan& plan, Rank self, Round k) { return whole(plan).step(in_unit(plan, self), k); }
Send send(const Plan& plan, Rank self, Round k, uint32_t i) {
  Send send = whole(plan).send(in_unit(plan, self), k, i);
  send.to = peer(plan, self, send.to);
  return send;
}
Rank from(const Plan& plan, Rank self, Round k, uint32_t i) {
  return peer(plan, self, whole(plan).from(in_unit(plan, self), k, i));
}

constexpr Algorithm algorithm_for(Collective c) {
  return {.name = "representatives",
          .collective = c,
          .summary = "two units of many alike",
          .rounds = rounds,
          .step = step,
          .send = send,
          .from = from};
}
constexpr Algorithm kRows[] = {
    algorithm_for(Collective::kAllReduce), algorithm_for(Collective::kReduceScatter),
    algorithm_for(Collective::kAllGather), algorithm_for(Collective::kBroadcast),
    algorithm_for(Collective::kReduce),    algorithm_for(Collective::kAllToAll),
    algorithm_for(Collective::kSendRecv),  algorithm_for(Collective::kBarrier)};

}  // namespace

std::shared_ptr<const Plan> plan_of_representatives(std::shared_ptr<const Plan> whole, Rank unit) {
  const Algorithm& a = *whole->algorithm;
  if (unit == 0 || whole->ranks % unit != 0 || whole->ranks / unit < 3) return nullptr;
  if (a.alike == nullptr || !a.alike(*whole, unit)) return nullptr;
  auto plan = std::make_shared<Plan>(*whole);
  plan->algorithm = &kRows[static_cast<size_t>(a.collective)];
  plan->ranks = 2 * unit;
  plan->group = unit;
  plan->group_inverse = unit == 1 ? 0 : UINT64_MAX / unit + 1;
  plan->parts = {std::move(whole)};
  return plan;
}

const Plan& whole_of(const Plan& plan) {
  const bool represents = kRows <= plan.algorithm && plan.algorithm < kRows + std::size(kRows);
  return represents ? whole(plan) : plan;
}

}  // namespace brigade
