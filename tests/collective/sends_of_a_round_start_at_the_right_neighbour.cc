// Several sends of one round go out to r+1, r+2, ...: all to rank 0 first would be an incast.
#include "sim/collective/algorithm.h"
#include "tests/catch.h"
#include "tests/effort.h"

namespace brigade {
namespace {

TEST_CASE("several sends of a round go out to r+1, r+2, ...") {
  for (const Algorithm* algorithm : algorithms()) {
    const std::string name = algorithm->name;
    if (name != "naive" && name != "direct") continue;
    for (Rank ranks = 1; ranks <= 64; ranks = next_ranks(ranks)) {
      PlanRequest request;
      request.algorithm = algorithm;
      request.ranks = ranks;
      request.elements = 100;
      const auto plan = make_plan(request).plan;
      for (Round k = 0; k < plan->rounds(); ++k) {
        for (Rank r = 0; r < ranks; ++r) {
          REQUIRE(plan->step(r, k).sends == ranks - 1);
          for (uint32_t i = 0; i < ranks - 1; ++i) REQUIRE(plan->send(r, k, i).to == (r + 1 + i) % ranks);
        }
      }
    }
  }
}

}  // namespace
}  // namespace brigade
