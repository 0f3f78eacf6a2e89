// Closed forms against the round by round evaluator, to the picosecond: N from 1 to 64; no bytes, one,
// primes, 1 MB.
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/oracle/collective_cases.h"
#include "tests/oracle/lockstep.h"

namespace brigade {
namespace {

using oracle::CollectiveCase;

const Cost kNvlink{microseconds(5), Bandwidth::gb_per_s(450)};
const Cost kInfiniband{microseconds(10), Bandwidth::gb_per_s(50)};
const Cost kOdd{picoseconds(1'234'567), Bandwidth::per_second({12'345'678'901})};

oracle::Level level(const Cost& c) { return {c.latency.ps, c.bandwidth.bytes_per_s().count}; }

void check(const PlanRequest& request, const Cost& inside, const Cost& across) {
  const auto plan = make_plan(request).plan;
  const bool nodes = request.group > 0;
  const auto closed = plan->closed_form(inside, across);
  const int64_t slow =
      lockstep_time_ps(*plan, nodes ? request.group : 1, level(inside), level(nodes ? across : inside));
  if (closed && closed->ps == slow) return;
  FAIL(name_of(request.algorithm->collective)
       << " " << request.algorithm->name << ", " << request.ranks << " ranks, " << request.elements
       << " bytes, nodes of " << request.group << " (" << request.inner << ", " << request.outer
       << "): closed form " << (closed ? closed->ps : -1) << " ps, rounds " << slow << " ps");
}

TEST_CASE("closed forms equal lockstep rounds") {
  for (const CollectiveCase& row : oracle::kCollectiveCases) {
    if (find_algorithm(row.collective, row.algorithm)->executions > 1) continue;
    for (Rank ranks = 1; ranks <= 64; ranks = next_ranks(ranks)) {
      for (int64_t bytes : {0, 1, 61, 1009, 1'000'000}) {
        for (const PlanRequest& request : oracle::requests(row, ranks, bytes)) {
          if (row.varied == oracle::Varied::kNodes) {
            check(request, kNvlink, kInfiniband);
          } else {
            check(request, kInfiniband, kInfiniband);
            check(request, kOdd, kOdd);
          }
        }
      }
    }
  }
}

TEST_CASE("the double binary tree has no closed form") {
  const auto plan =
      make_plan({.algorithm = find_algorithm(Collective::kAllReduce, "double_binary_tree"), .ranks = 8}).plan;
  CHECK(!plan->closed_form(kNvlink, kNvlink));
}

}  // namespace
}  // namespace brigade
