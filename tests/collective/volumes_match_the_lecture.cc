// Bytes, rounds and the busiest device of the lecture's table (section 4.6, exercises 1 and 4), N = 8 and 16;
// the rows for halving-doubling, hierarchical and N = 16 follow from its formulas.
#include "tests/catch.h"
#include "tests/oracle/contributions.h"

namespace brigade {
namespace {

struct Row {
  Rank ranks;
  const char* algorithm;
  Rank group;
  double total;  // in M
  Round rounds;
  double busiest;  // in M
};

TEST_CASE("total, rounds and busiest device match the lecture") {
  constexpr int64_t kElements = 16 * 45;
  for (const Row& row :
       {Row{8, "naive", 0, 56, 1, 7}, Row{8, "ring", 0, 14, 14, 1.75}, Row{8, "tree", 0, 14, 6, 3},
        Row{8, "butterfly", 0, 24, 3, 3}, Row{8, "halving_doubling", 0, 14, 6, 1.75},
        Row{16, "naive", 0, 240, 1, 15}, Row{16, "ring", 0, 30, 30, 1.875}, Row{16, "tree", 0, 30, 8, 4},
        Row{16, "butterfly", 0, 64, 4, 4}, Row{16, "halving_doubling", 0, 30, 8, 1.875},
        Row{16, "hierarchical", 8, 30, 16, 1.875}}) {
    PlanRequest request;
    request.algorithm = find_algorithm(Collective::kAllReduce, row.algorithm);
    request.ranks = row.ranks;
    request.elements = kElements;
    request.group = row.group;
    const oracle::Volume volume = oracle::volume_of(request);
    INFO(row.algorithm << " on " << row.ranks);
    CHECK(volume.elements_total == row.total * kElements);
    CHECK(volume.rounds == row.rounds);
    CHECK(volume.elements_busiest == row.busiest * kElements);
  }
}

TEST_CASE("what each GPU sends across nodes matches the lecture") {
  constexpr int64_t kElements = 32 * 16;
  struct Across {
    const char* algorithm;
    Rank ranks, group;
    double in_m;
  };
  for (const Across& row : {Across{"hierarchical", 16, 8, 0.125}, Across{"hierarchical", 32, 8, 0.1875},
                            Across{"ring", 32, 8, 1.9375}}) {
    PlanRequest request;
    request.algorithm = find_algorithm(Collective::kAllReduce, row.algorithm);
    request.ranks = row.ranks;
    request.elements = kElements;
    request.group = row.group;
    INFO(row.algorithm << " on " << row.ranks);
    CHECK(oracle::volume_of(request, row.group).elements_across_busiest == row.in_m * kElements);
  }
}

TEST_CASE("ring and direct move the least that an all-reduce can, at every N") {
  for (Rank ranks = 1; ranks <= 64; ++ranks) {
    for (const char* algorithm : {"ring", "direct"}) {
      PlanRequest request;
      request.algorithm = find_algorithm(Collective::kAllReduce, algorithm);
      request.ranks = ranks;
      request.elements = 1009;
      INFO(algorithm << " on " << ranks);
      CHECK(oracle::volume_of(request).elements_total == 2 * (ranks - 1) * request.elements);
    }
  }
}

}  // namespace
}  // namespace brigade
