// Every algorithm, every N from 1 to 64, on sets of contributors.
#include <set>

#include "sim/base/random.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/oracle/collective_cases.h"
#include "tests/oracle/contributions.h"

namespace brigade {
namespace {

using oracle::CollectiveCase;
using oracle::Varied;

std::set<int64_t> element_counts(const CollectiveCase& row, Rank ranks) {
  const int64_t n = ranks;
  if (row.varied == Varied::kNodes && ranks > 16) return {61};  // thousands of combinations
  return {0, 1, n - 1, n, n + 1, 13, 67};
}

TEST_CASE("every contribution arrives exactly once") {
  uint64_t seed = 2021;
  for (const CollectiveCase& row : oracle::kCollectiveCases) {
    for (Rank ranks = 1; ranks <= 64; ranks = next_ranks(ranks)) {
      for (int64_t elements : element_counts(row, ranks)) {
        for (const PlanRequest& request : oracle::requests(row, ranks, elements)) {
          seed = mix(seed);
          const std::string fault = oracle::fault_of(request, seed);
          if (fault.empty()) continue;
          FAIL(name_of(row.collective)
               << " " << row.algorithm << ", " << ranks << " ranks, " << elements << " elements, root "
               << request.root << ", nodes of " << request.group << " (" << request.inner << ", "
               << request.outer << "), seed " << seed << ": " << fault);
        }
      }
    }
  }
}

TEST_CASE("the oracle's table has every algorithm of the catalogue") {
  std::set<const Algorithm*> listed;
  for (const CollectiveCase& row : oracle::kCollectiveCases) {
    const Algorithm* algorithm = find_algorithm(row.collective, row.algorithm);
    REQUIRE(algorithm);
    listed.insert(algorithm);
  }
  for (const Algorithm* algorithm : algorithms()) {
    INFO(name_of(algorithm->collective) << " " << algorithm->name);
    CHECK(listed.count(algorithm) == 1);
  }
}

}  // namespace
}  // namespace brigade
