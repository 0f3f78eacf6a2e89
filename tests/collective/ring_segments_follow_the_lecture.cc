// Section 4.2: in round k rank r sends segment r - k to its right; after the reduce-scatter rank r holds the
// full sum in segment r + 1. The reduce-scatter collective leaves segment r at rank r.
#include "sim/collective/algorithm.h"
#include "tests/catch.h"

namespace brigade {
namespace {

std::shared_ptr<const Plan> ring(Collective collective, Rank ranks) {
  PlanRequest request;
  request.algorithm = find_algorithm(collective, "ring");
  request.ranks = ranks;
  request.elements = ranks;
  return make_plan(request).plan;
}

TEST_CASE("in round k rank r sends segment r - k to its right") {
  for (Rank ranks = 2; ranks <= 64; ++ranks) {
    const auto plan = ring(Collective::kAllReduce, ranks);
    for (Round k = 0; k < plan->rounds(); ++k) {
      for (Rank r = 0; r < ranks; ++r) {
        const Send send = plan->send(r, k, 0);
        INFO("rank " << r << " of " << ranks << ", round " << k);
        REQUIRE(send.to == (r + 1) % ranks);
        REQUIRE(send.range == Range{(r + 2 * ranks - k) % ranks, 1});
        REQUIRE(plan->step(r, k).reduce == (k < ranks - 1));
        REQUIRE(plan->from(r, k, 0) == (r + ranks - 1) % ranks);
      }
    }
  }
}

TEST_CASE("the reduce-scatter's last round completes the segment that the lecture says") {
  for (Rank ranks = 2; ranks <= 64; ++ranks) {
    for (Rank r = 0; r < ranks; ++r) {
      const Rank left = (r + ranks - 1) % ranks;
      CHECK(ring(Collective::kAllReduce, ranks)->send(left, ranks - 2, 0).range.first == (r + 1) % ranks);
      CHECK(ring(Collective::kReduceScatter, ranks)->send(left, ranks - 2, 0).range.first == r);
    }
  }
}

}  // namespace
}  // namespace brigade
