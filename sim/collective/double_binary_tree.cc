// Double binary tree (Sanders, Speck, Traeff 2009; NCCL since 2.4): two executions, each over half of the
// buffer and a tree of its own. A rank that passes sums on in one tree is a leaf of the other, so no rank
// sends or receives more than about 2 M / 2 each way, in about 2 log2 N rounds a tree.
//
// Both trees are the in-order binary tree over places 1..N: a place with lowest set bit b lies b / 2 from its
// children, so odd places are leaves and even ones pass sums on. (NCCL hangs that tree under rank 0 in
// addition, which for odd N makes rank 0 pass on in both.) The second tree is mirrored if N is even and
// shifted by one if N is odd: either way even places fall on ranks that were odd.
//
// Level of a place: the number of its lowest set bit. Sums of level j go up in round j; results come down in
// the mirrored round. What it leaves out: NCCL pipelines slices through the tree; here channels do.
#include <algorithm>
#include <bit>

#include "sim/collective/catalogue.h"

namespace brigade {
namespace {

Rank place_of(const Plan& plan, Rank self) {
  if (plan.execution == 0) return self + 1;
  if (plan.ranks % 2 == 0) return plan.ranks - self;
  return self == 0 ? plan.ranks : self;
}
Rank rank_at(const Plan& plan, Rank place) {
  if (plan.execution == 0) return place - 1;
  if (plan.ranks % 2 == 0) return plan.ranks - place;
  return place == plan.ranks ? 0 : place;
}

Round level(Rank place) { return static_cast<Round>(std::countr_zero(place)); }

// The root is the highest power of two. Where the regular parent lies beyond N, its whole right side is
// missing, and the place hangs under the next ancestor to the left.
Rank parent(const Plan& plan, Rank place) {
  const Rank bit = place & -place, up = (place ^ bit) | (bit << 1);
  return up <= plan.ranks ? up : place ^ bit;
}

// Children of `place` at level j: none, one or two.
struct Children {
  uint32_t count = 0;
  Rank place[2] = {0, 0};
};
Children children(const Plan& plan, Rank place, Round j) {
  Children found;
  const Rank reach = (place & -place) >> 1, step = Rank{1} << j;
  if (step == reach) found.place[found.count++] = place - step;
  // The right child is as far away as N allows.
  if (step == std::min(reach, std::bit_floor(plan.ranks - place))) found.place[found.count++] = place + step;
  return found;
}

Round rounds(const Plan& plan) { return 2 * plan.log2; }

bool goes_up(const Plan& plan, Round k) { return k < plan.log2; }
// The level of the children that talk to their parents in round k.
Round level_of(const Plan& plan, Round k) { return goes_up(plan, k) ? k : 2 * plan.log2 - 1 - k; }

Step step(const Plan& plan, Rank self, Round k) {
  const Rank place = place_of(plan, self);
  const Round j = level_of(plan, k);
  const uint32_t as_child = level(place) == j && place != plan.power,
                 as_parent = children(plan, place, j).count;
  return goes_up(plan, k) ? Step{as_child, as_parent, true} : Step{as_parent, as_child, false};
}

// The i-th that a rank talks to in round k: child of a parent, or parent of a child. No place is both at one
// level.
Rank partner(const Plan& plan, Rank self, Round k, uint32_t i) {
  const Rank place = place_of(plan, self);
  const Round j = level_of(plan, k);
  return rank_at(plan, level(place) == j ? parent(plan, place) : children(plan, place, j).place[i]);
}

Send send(const Plan& plan, Rank self, Round k, uint32_t i) {
  return {partner(plan, self, k, i), plan.whole()};
}

}  // namespace

const Algorithm kDoubleBinaryTreeAllReduce = {
    .name = "double_binary_tree",
    .collective = Collective::kAllReduce,
    .summary = "two trees, half of the buffer each (Sanders, Speck, Traeff 2009; NCCL)",
    .executions = 2,
    .rounds = rounds,
    .step = step,
    .send = send,
    .from = partner};

}  // namespace brigade
