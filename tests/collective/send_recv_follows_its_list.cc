#include "tests/catch.h"
#include "tests/oracle/contributions.h"
#include "tests/oracle/lockstep.h"

namespace brigade {
namespace {

const Cost kCost{microseconds(2), Bandwidth::gb_per_s(1)};

PlanRequest listed(Rank ranks, std::vector<Pair> pairs) {
  PlanRequest request;
  request.algorithm = find_algorithm(Collective::kSendRecv, "listed");
  request.ranks = ranks;
  request.elements = 1000;
  request.pairs = std::move(pairs);
  return request;
}

TEST_CASE("without a list each rank sends to the next, as nccl-tests' sendrecv does") {
  for (Rank ranks = 2; ranks <= 64; ++ranks) {
    const auto plan = make_plan(listed(ranks, {})).plan;
    REQUIRE(plan->rounds() == 1);
    for (Rank r = 0; r < ranks; ++r) {
      REQUIRE(plan->step(r, 0).sends == 1);
      REQUIRE(plan->send(r, 0, 0).to == (r + 1) % ranks);
      REQUIRE(plan->from(r, 0, 0) == (r + ranks - 1) % ranks);
    }
  }
}

TEST_CASE("a rank's sends go out in the order of the list, and arrive") {
  const PlanRequest request = listed(4, {{3, 0}, {1, 2}, {3, 1}, {3, 0}, {2, 2}});
  CHECK(oracle::fault_of(request, 7) == "");
  const auto plan = make_plan(request).plan;
  REQUIRE(plan->step(3, 0).sends == 3);
  CHECK(plan->send(3, 0, 0).to == 0);
  CHECK(plan->send(3, 0, 1).to == 1);
  CHECK(plan->send(3, 0, 2).range == Range{3000, 1000});
  CHECK(plan->step(0, 0).expects == 2);
}

TEST_CASE("whoever waits for what nobody sends waits for ever") {
  PlanRequest request = listed(3, {{0, 1}});
  request.receives = std::vector<Pair>{{0, 1}, {2, 1}};
  CHECK(oracle::fault_of(request, 7) == "deadlock: rank 1 in round 0");
  request.receives = std::vector<Pair>{{2, 1}};
  CHECK(oracle::fault_of(request, 7) == "round 0: rank 1 expects 1 messages, from others than come");
  request.receives = std::vector<Pair>{};
  CHECK(oracle::fault_of(request, 7) == "round 0: rank 1 expects 0 messages, from others than come");
  CHECK(!make_plan(request).plan->closed_form(kCost, kCost));
}

TEST_CASE("the closed form counts the messages of the busiest rank") {
  struct Row {
    std::vector<Pair> pairs;
    std::optional<Duration> time;
  };
  const Row rows[] = {{{{0, 1}}, microseconds(3)},
                      {{{0, 0}}, microseconds(0)},
                      {{{0, 1}, {1, 0}, {2, 3}}, microseconds(3)},
                      {{{0, 1}, {0, 2}, {0, 3}}, microseconds(5)},
                      {{{0, 3}, {1, 3}, {2, 3}}, microseconds(5)},
                      {{{0, 1}, {0, 2}, {1, 2}}, std::nullopt}};
  for (const Row& row : rows) {
    const auto plan = make_plan(listed(4, row.pairs)).plan;
    CHECK((plan->closed_form(kCost, kCost) == row.time));
  }
}

}  // namespace
}  // namespace brigade
