#include "sim/collective/algorithm.h"
#include "tests/catch.h"

namespace brigade {
namespace {

PlanRequest request(Collective collective, const char* algorithm, Rank ranks) {
  PlanRequest request;
  request.algorithm = find_algorithm(collective, algorithm);
  request.ranks = ranks;
  request.elements = 8;
  return request;
}

TEST_CASE("a request that cannot be is refused in a sentence") {
  PlanRequest r = request(Collective::kAllReduce, "ring", 0);
  CHECK(make_plan(r).error == "a collective needs at least one rank");
  r = request(Collective::kAllReduce, "ring", 2'000'000'000);
  CHECK(make_plan(r).error == "2000000000 ranks are more than 1073741824");
  r = request(Collective::kAllReduce, "ring", 4);
  r.elements = -1;
  CHECK(make_plan(r).error == "a buffer of -1 elements");
  r = request(Collective::kAllToAll, "direct", 1024);
  r.elements = int64_t{1} << 58;
  CHECK(make_plan(r).error ==
        "288230376151711744 elements of 1 bytes on 1024 ranks are more than 2^62 bytes");
  r = request(Collective::kBroadcast, "tree", 4);
  r.root = 4;
  CHECK(make_plan(r).error == "root 4 is out of range; ranks are 0 to 3");
  r = request(Collective::kSendRecv, "listed", 4);
  r.pairs = {{0, 1}, {1, 7}};
  CHECK(make_plan(r).error == "pair 1 -> 7 is out of range; ranks are 0 to 3");
  CHECK(!make_plan(r).plan);
}

TEST_CASE("hierarchical refuses unequal nodes and algorithms that it cannot be made of") {
  PlanRequest r = request(Collective::kAllReduce, "hierarchical", 20);
  CHECK(make_plan(r).error == "hierarchical needs nodes: the number of ranks in each");
  r.group = 8;
  CHECK(make_plan(r).error == "hierarchical needs equal nodes: 20 ranks are not whole nodes of 8");
  r.group = 5;
  r.inner = "rng";
  CHECK(make_plan(r).error == "unknown inner algorithm \"rng\"; did you mean \"ring\"?");
  r.inner = "tree";
  CHECK(make_plan(r).error == "unknown inner algorithm \"tree\"; allowed: ring, halving_doubling, direct");
  r.inner = "ring";
  r.outer = "hierarchical";
  CHECK(make_plan(r).error ==
        "unknown outer algorithm \"hierarchical\"; allowed: naive, ring, tree, butterfly, halving_doubling, "
        "direct");
  r.outer = "double_binary_tree";
  CHECK(!make_plan(r).plan);
}

TEST_CASE("a single rank has nothing to do") {
  for (const Algorithm* algorithm : algorithms()) {
    PlanRequest r = request(algorithm->collective, algorithm->name, 1);
    r.group = 1;
    for (int x = 0; x < algorithm->executions; ++x) {
      const auto plan = make_plan(r, x).plan;
      INFO(algorithm->name);
      REQUIRE(plan);
      CHECK(plan->rounds() == 0);
      const Cost cost{microseconds(1), Bandwidth::gb_per_s(1)};
      CHECK(plan->closed_form(cost, cost).value_or(Duration{}) == Duration{});
    }
  }
}

TEST_CASE("names are found again, and only under their collective") {
  for (const Algorithm* algorithm : algorithms()) {
    CHECK(find_algorithm(algorithm->collective, algorithm->name) == algorithm);
  }
  CHECK(!find_algorithm(Collective::kAllToAll, "ring"));
  CHECK(!find_algorithm(Collective::kReduceScatter, "halving_doubling"));
  CHECK(algorithm_names(Collective::kReduce) == std::vector<std::string>{"tree", "chain"});
}

TEST_CASE("busbw factors are those of nccl-tests") {
  struct Row {
    Collective collective;
    Rank ranks;
    double factor;
  };
  for (const Row& row : {Row{Collective::kAllReduce, 8, 1.75}, Row{Collective::kAllReduce, 2, 1},
                         Row{Collective::kAllReduce, 1, 0}, Row{Collective::kReduceScatter, 8, 0.875},
                         Row{Collective::kAllGather, 16, 0.9375}, Row{Collective::kAllToAll, 4, 0.75},
                         Row{Collective::kBroadcast, 8, 1}, Row{Collective::kReduce, 8, 1},
                         Row{Collective::kSendRecv, 8, 1}}) {
    INFO(name_of(row.collective) << " on " << row.ranks);
    CHECK(busbw_factor(row.collective, row.ranks) == row.factor);
  }
}

}  // namespace
}  // namespace brigade
