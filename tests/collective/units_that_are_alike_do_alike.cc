// What Algorithm::alike promises, looked at send by send: the units can be turned (u to u + d) or flipped
// (u to u xor d) so that every unit sends as unit 0 does.
#include <set>
#include <string>

#include "sim/collective/representatives.h"
#include "tests/catch.h"
#include "tests/oracle/collective_cases.h"

using namespace brigade;

namespace {

enum class Move { kTurn, kFlip };
// The rank in r's place of the unit that is `by` units on, or whose number differs in the bits of `by`.
Rank moved(Move move, Rank r, Rank by, Rank unit, Rank ranks) {
  if (move == Move::kTurn) return (r + by * unit) % ranks;
  return ((r / unit) ^ by) * unit + r % unit;
}

bool keeps(const Plan& plan, Move move, Rank unit) {
  for (Rank by = 1; by < plan.ranks / unit; ++by)
    for (Rank r = 0; r < unit; ++r)
      for (Round k = 0; k < plan.rounds(); ++k) {
        const Rank other = moved(move, r, by, unit, plan.ranks);
        if (other >= plan.ranks) return false;
        const Step a = plan.step(r, k), b = plan.step(other, k);
        if (a.sends != b.sends || a.expects != b.expects || a.reduce != b.reduce) return false;
        for (uint32_t i = 0; i < a.sends; ++i) {
          const Send x = plan.send(r, k, i), y = plan.send(other, k, i);
          if (x.range.count != y.range.count || moved(move, x.to, by, unit, plan.ranks) != y.to) return false;
        }
      }
  return true;
}

}  // namespace

TEST_CASE("units that are said to be alike are, for every algorithm and every N up to 40") {
  std::set<std::string> seen;
  int64_t alike = 0;
  for (const oracle::CollectiveCase& row : oracle::kCollectiveCases)
    for (Rank ranks = 1; ranks <= 40; ++ranks)
      for (const int64_t elements : {int64_t{ranks}, int64_t{4} * ranks, int64_t{37}})
        for (const PlanRequest& request : oracle::requests(row, ranks, elements)) {
          const auto plan = make_plan(request).plan;
          if (plan->algorithm->alike == nullptr) continue;
          for (Rank unit = 1; unit < ranks; ++unit) {
            if (ranks % unit != 0 || !plan->algorithm->alike(*plan, unit)) continue;
            INFO(row.algorithm << " on " << ranks << " ranks, units of " << unit << ", " << elements
                               << " elements");
            REQUIRE((keeps(*plan, Move::kTurn, unit) || keeps(*plan, Move::kFlip, unit)));
            seen.insert(row.algorithm);
            ++alike;
          }
        }
  CHECK(alike > 1000);
  CHECK(seen == std::set<std::string>{"butterfly", "direct", "dissemination", "halving_doubling",
                                      "hierarchical", "ring"});
}

TEST_CASE("what must be alike is found to be") {
  struct Row {
    Collective collective;
    const char* algorithm;
    Rank ranks;
    int64_t elements;
    Rank group, unit;
    bool alike;
  };
  for (const Row& row : {Row{Collective::kAllReduce, "ring", 97, 97 * 5, 0, 1, true},
                         Row{Collective::kAllReduce, "ring", 97, 97 * 5 + 1, 0, 1, false},  // unequal chunks
                         Row{Collective::kAllReduce, "butterfly", 64, 7, 0, 8, true},
                         Row{Collective::kAllReduce, "butterfly", 48, 7, 0, 8, false},  // extra ranks
                         Row{Collective::kAllReduce, "halving_doubling", 64, 128, 0, 4, true},
                         Row{Collective::kAllReduce, "halving_doubling", 64, 100, 0, 4, false},
                         Row{Collective::kAllReduce, "hierarchical", 40, 8 * 5 * 3, 8, 8, true},
                         Row{Collective::kAllReduce, "hierarchical", 40, 8 * 5 * 3 + 1, 8, 8, false},
                         Row{Collective::kAllReduce, "hierarchical", 40, 8 * 5 * 3, 8, 4, false},
                         Row{Collective::kAllReduce, "tree", 64, 64, 0, 8, false},
                         Row{Collective::kBroadcast, "tree", 64, 64, 0, 8, false}}) {
    const auto plan = make_plan({.algorithm = find_algorithm(row.collective, row.algorithm),
                                 .ranks = row.ranks,
                                 .elements = row.elements,
                                 .group = row.group})
                          .plan;
    INFO(row.algorithm << " on " << row.ranks << " ranks, " << row.elements << " elements, units of "
                       << row.unit);
    CHECK((plan_of_representatives(plan, row.unit) != nullptr) == row.alike);
  }
}
