// A plan of two units of ranks in place of many that are alike: what folding simulates (sim/workload/fold.h).
//
// Where a plan sends alike from every unit of `unit` ranks (Algorithm::alike), unit 0 and its peers tell all.
// The plan of representatives has two units; each does in every round what unit 0 does in the whole plan,
// with the same sizes, and what goes to any other unit goes to the one other. On links that are alike too
// every link of the two then sees the same messages at the same instants as each of its likenesses: the two
// units and the N units cover the same graph of one unit, whose peers are itself (a covering, Boldi and Vigna
// 2002, "Fibrations of graphs").
//
// Left out: data. Ranges name unit 0's elements, of which only the sizes mean anything.
#pragma once
#include <memory>

#include "sim/collective/algorithm.h"

namespace brigade {

// Null where the units are not alike, or there are fewer than three.
std::shared_ptr<const Plan> plan_of_representatives(std::shared_ptr<const Plan> whole, Rank unit);

// The plan that a plan of representatives stands for; any other plan itself.
const Plan& whole_of(const Plan& plan);

}  // namespace brigade
