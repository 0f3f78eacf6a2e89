// Sanders, Speck and Traeff's condition: a rank with children in one tree has none in the other, whatever N
// is.
#include <set>

#include "sim/collective/algorithm.h"
#include "tests/catch.h"

namespace brigade {
namespace {

// Ranks that receive sums, and the most children that one of them has.
std::set<Rank> inner_ranks(const Plan& plan, uint32_t& children_max) {
  std::set<Rank> inner;
  for (Rank r = 0; r < plan.ranks; ++r) {
    uint32_t children = 0;
    for (Round k = 0; k < plan.rounds() / 2; ++k) children += plan.step(r, k).expects;
    if (children > 0) inner.insert(r);
    children_max = std::max(children_max, children);
  }
  return inner;
}

TEST_CASE("no rank passes sums on in both trees, and none has more than two children") {
  for (Rank ranks = 2; ranks <= 300; ++ranks) {
    PlanRequest request;
    request.algorithm = find_algorithm(Collective::kAllReduce, "double_binary_tree");
    request.ranks = ranks;
    request.elements = 10;
    uint32_t children_max = 0;
    const auto one = make_plan(request, 0).plan, two = make_plan(request, 1).plan;
    const std::set<Rank> first = inner_ranks(*one, children_max), second = inner_ranks(*two, children_max);
    INFO(ranks << " ranks");
    CHECK(children_max <= 2);
    CHECK(one->elements == 5);
    CHECK(two->slice_first == 5);
    for (Rank r : first) CHECK(second.count(r) == 0);
  }
}

}  // namespace
}  // namespace brigade
