#include <sstream>

#include "sim/collective/schedule.h"
#include "tests/catch.h"
#include "tests/oracle/collective_cases.h"

namespace brigade {
namespace {

PlanRequest request(Collective collective, const char* algorithm, Rank ranks, int64_t elements) {
  PlanRequest request;
  request.algorithm = find_algorithm(collective, algorithm);
  request.ranks = ranks;
  request.elements = elements;
  return request;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a ring of 4: after the reduce-scatter device i holds 0+1+2+3 in segment i + 1") {
  const ScheduleText printed = print_schedule(request(Collective::kAllReduce, "ring", 4, 4));
  CHECK(printed.error.empty());
  CHECK(contains(printed.text, R"(
round 2: what arrives is added
  rank 0 -> rank 1: segment 2 (element 2)
  rank 1 -> rank 2: segment 3 (element 3)
  rank 2 -> rank 3: segment 0 (element 0)
  rank 3 -> rank 0: segment 1 (element 1)
           segment 0  segment 1  segment 2  segment 3
  rank 0   0          0+1+2+3*   0+2+3      0+3
  rank 1   0+1        1          0+1+2+3*   0+1+3
  rank 2   0+1+2      1+2        2          0+1+2+3*
  rank 3   0+1+2+3*   1+2+3      2+3        3

round 3: what arrives is copied
)"));
  CHECK(contains(printed.text,
                 "\nsent in all: 24 messages, 24 elements = 6 M; at most 6 elements = 1.5 M by one rank\n"));
}

TEST_CASE("values 1, 10, 100, 1000 end as 1111 everywhere, by every all-reduce") {
  for (const oracle::CollectiveCase& row : oracle::kCollectiveCases) {
    if (row.collective != Collective::kAllReduce) continue;
    for (PlanRequest r : oracle::requests(row, 4, 4)) {
      const std::string text = print_schedule(r, {1, 10, 100, 1000}).text;
      std::istringstream last(text.substr(text.rfind("  rank 0")));
      int cells = 0;
      for (std::string word; last >> word && word != "sent";) {
        if (word == "rank") {
          last >> word;
          continue;
        }
        ++cells;
        INFO(text);
        CHECK((word == "1111" || word == "1111*"));
      }
      CHECK(cells >= 4);
    }
  }
}

TEST_CASE("a barrier shows of whom each rank has heard") {
  CHECK(print_schedule(request(Collective::kBarrier, "dissemination", 3, 0)).text ==
        R"(dissemination barrier: 3 ranks, 2 rounds
empty messages to r + 2^j (Hensgen, Finkel, Manber 1988)
cells: the ranks of whom a rank has heard; * came in this round; . nothing

at the start
           heard of
  rank 0   0
  rank 1   1
  rank 2   2

round 0
  rank 0 -> rank 1: an empty message
  rank 1 -> rank 2: an empty message
  rank 2 -> rank 0: an empty message
           heard of
  rank 0   0+2*
  rank 1   0+1*
  rank 2   1+2*

round 1
  rank 0 -> rank 2: an empty message
  rank 1 -> rank 0: an empty message
  rank 2 -> rank 1: an empty message
           heard of
  rank 0   0+1+2*
  rank 1   0+1+2*
  rank 2   0+1+2*

sent in all: 6 messages
)");
}

TEST_CASE("messages of one rank with the same content share a line") {
  const std::string text = print_schedule(request(Collective::kAllReduce, "naive", 4, 6)).text;
  CHECK(contains(text, "\n  rank 2 -> ranks 3, 0-1: segment 0 (elements 0-5)\n"));
}

TEST_CASE("both trees of the double binary tree are shown at once") {
  const std::string text = print_schedule(request(Collective::kAllReduce, "double_binary_tree", 5, 5)).text;
  CHECK(contains(text, "\n2 executions at once, over elements 0-2 and over elements 3-4\n"));
  CHECK(contains(
      text, "  rank 0 -> rank 1: segment 0 (elements 0-2)\n  rank 0 -> rank 4: segment 1 (elements 3-4)\n"));
}

TEST_CASE("tables that are too wide become lists") {
  const std::string text = print_schedule(request(Collective::kAllToAll, "direct", 8, 8)).text;
  CHECK(contains(text, "\n  rank 2   s2:0*  s10:1*  s16-23:2  s26:3*  s34:4*  s42:5*  s50:6*  s58:7*\n"));
}

TEST_CASE("every collective prints, in at most 100 columns") {
  for (const oracle::CollectiveCase& row : oracle::kCollectiveCases) {
    for (Rank ranks : {1, 2, 3, 8, 17}) {
      for (const PlanRequest& r : oracle::requests(row, ranks, ranks)) {
        const ScheduleText printed = print_schedule(r);
        REQUIRE(printed.error.empty());
        std::istringstream lines(printed.text);
        for (std::string line; std::getline(lines, line);) {
          INFO(line);
          REQUIRE(line.size() <= 100);
        }
      }
    }
  }
}

TEST_CASE("what cannot be printed is refused in a sentence") {
  CHECK(print_schedule(request(Collective::kAllReduce, "ring", 65, 65)).error ==
        "a schedule is printed for up to 64 ranks, not 65");
  CHECK(print_schedule(request(Collective::kAllReduce, "ring", 4, 4), {1, 10, 100}).error ==
        "3 values for 4 ranks; give one a rank");
  CHECK(print_schedule(request(Collective::kBarrier, "dissemination", 2, 0), {1, 2}).error ==
        "a barrier has no values");
  CHECK(print_schedule(request(Collective::kAllReduce, "hierarchical", 4, 4)).error ==
        "hierarchical needs nodes: the number of ranks in each");
}

}  // namespace
}  // namespace brigade
