// Ranks in a circle, and the fold that brings any N to the power of two below: for algorithms that need one.
//
// Folding (Thakur, Rabenseifner, Gropp 2005, section 4.5, in its plain form): in a round before, each extra
// rank p + i sends its whole buffer to rank i; in a round after, it gets the whole result back.
#pragma once
#include "sim/collective/algorithm.h"

namespace brigade {

// The rank `ahead` places on, and back; ahead <= N.
inline Rank rank_after(const Plan& plan, Rank r, Rank ahead) {
  const Rank to = r + ahead;
  return to >= plan.ranks ? to - plan.ranks : to;
}
inline Rank rank_before(const Plan& plan, Rank r, Rank back) {
  return r >= back ? r - back : r + plan.ranks - back;
}

// Turned by any number of places, a circle of ranks does the same, if all shares are of one size.
inline bool equal_shares(const Plan& plan, Rank) { return plan.part_rest == 0; }

inline bool folded(const Plan& plan) { return plan.ranks != plan.power; }
// An extra rank's partner, and the other way about.
inline Rank fold_partner(const Plan& plan, Rank self) {
  return self >= plan.power ? self - plan.power : self + plan.power;
}
inline Step fold_in(const Plan& plan, Rank self) {
  return {self >= plan.power, self < plan.ranks - plan.power, true};
}
inline Step fold_out(const Plan& plan, Rank self) {
  return {self < plan.ranks - plan.power, self >= plan.power, false};
}
inline Duration fold_time(const Plan& plan, const Cost& cost) {
  return int64_t{folded(plan)} * cost.message(plan.bytes(plan.whole()));
}

}  // namespace brigade
