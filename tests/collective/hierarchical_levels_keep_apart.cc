// Inner rounds stay within a node and outer rounds within one local rank, also where ranks are too many to
// list: nodes are found by a multiplication instead of a division.
#include "sim/base/random.h"
#include "sim/collective/algorithm.h"
#include "tests/catch.h"

namespace brigade {
namespace {

TEST_CASE("inner rounds stay inside a node, outer rounds on one local rank") {
  const uint64_t seed = GENERATE(1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u);
  Random random(seed);
  for (int i = 0; i < 200; ++i) {
    PlanRequest request;
    request.algorithm = find_algorithm(Collective::kAllReduce, "hierarchical");
    request.group = static_cast<Rank>(random.between(1, i % 2 ? 16 : 5000));
    request.ranks = request.group * static_cast<Rank>(random.between(1, 100'000));
    request.elements = random.between(0, 1'000'000);
    request.inner = i % 3 ? "ring" : "halving_doubling";
    const auto plan = make_plan(request).plan;
    const Rank group = request.group;
    for (int j = 0; j < 200; ++j) {
      if (plan->rounds() == 0) break;
      const Rank self = static_cast<Rank>(random.below(request.ranks));
      const Round k = static_cast<Round>(random.below(plan->rounds()));
      const bool across = k >= plan->outer_begin && k < plan->outer_end;
      const Step step = plan->step(self, k);
      INFO("seed " << seed << ": rank " << self << " of " << request.ranks << ", nodes of " << group
                   << ", round " << k);
      for (uint32_t m = 0; m < step.sends; ++m) {
        const Rank to = plan->send(self, k, m).to;
        REQUIRE(to < request.ranks);
        REQUIRE((across ? to % group == self % group : to / group == self / group));
      }
      for (uint32_t m = 0; m < step.expects; ++m) {
        const Rank from = plan->from(self, k, m);
        REQUIRE((across ? from % group == self % group : from / group == self / group));
      }
    }
  }
}

}  // namespace
}  // namespace brigade
