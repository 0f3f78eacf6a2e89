// Where choices change places, and how much worse than the best one each row is.
#include "sim/scenario/value_range.h"
#include "tests/study/small_study.h"

using namespace brigade;

namespace {

// A ring of N ranks takes 2 (N-1) (a + M / (N B)), naive a + (N-1) M / B. Eight ranks on a switch, a = 10 us
// and B = 50 GB/s: equal where 13 a = (7 - 14/8) M / B, at 1238095.24 bytes.
const std::string kEight =
    "brigade: 1\n"
    "base:\n"
    "  cluster:\n"
    "    node_types: {n: {gpus: 8, nvlink: {family: switched, bandwidth: 50 GB/s, latency: 5 us}}}\n"
    "    nodes: [{type: n, count: 1}]\n"
    "  network: {segment: whole}\n"
    "  jobs: {a: {kind: collective, ranks: \"node[*].gpu[*]\", size: 1 KB}}\n";
constexpr double kEqualBytes = 13 * 10e-6 * 50e9 / (7 - 14.0 / 8);

}  // namespace

TEST_CASE("a coarse and a fine range find the same crossover") {
  for (const char* range : {"from: 1 KB, to: 1 GB, step: x2", "from: 1 MB, to: 2 MB, step: +10 KB",
                            "from: 1000 B, to: 10 MB, step: x10"}) {
    const Swept swept = sweep(kEight + "axes:\n  - {path: jobs.a.size, " + range +
                              "}\n  - {path: jobs.a.algorithm, values: [naive, ring]}\n"
                              "crossovers: [{of: time_us, along: size, between: algorithm}]\n");
    const Crossovers found = crossovers_of(swept.prepared, swept.result.rows);
    CAPTURE(range);
    REQUIRE(found.found.size() == 1);
    const Crossover& crossover = found.found.front();
    CHECK(crossover.before == "naive");
    CHECK(crossover.after == "ring");
    CHECK(crossover.at * *units_ratio(crossover.unit, "B") == Approx(kEqualBytes).epsilon(1e-6));
    CHECK(sentence_of(crossover).starts_with("ring overtakes naive at 1.238 MB, between "));
  }
}

TEST_CASE("high values may be better, several crossovers and equal ones are told apart, none is said") {
  const std::string axes =
      "axes:\n"
      "  - {name: steps, path: jobs.a.size, values: [1 MB, 2 MB, 3 MB]}\n"
      "  - {path: jobs.a.algorithm, values: [naive, ring, direct]}\n"
      "columns: [\"jobs.a.rows[0].busbw_gb_per_s\"]\n"
      "crossovers: [{of: busbw_gb_per_s, along: steps, between: algorithm}]\n";
  Swept swept = sweep(kEight + axes);
  // By steps: naive, ring, direct.
  const double values[3][3] = {{1, 2, 0}, {2, 2, 0}, {3, 1, 0}};
  for (Row& row : swept.result.rows) row.cells[0] = values[row.point / 3][row.point % 3];
  const Crossovers equal = crossovers_of(swept.prepared, swept.result.rows);
  REQUIRE(equal.found.size() == 1);
  CHECK(sentence_of(equal.found[0]) == "naive overtakes ring at 2 MB, where both are equal");
  const double again[3][3] = {{1, 2, 0}, {2, 1, 0}, {1, 4, 0}};
  for (Row& row : swept.result.rows) row.cells[0] = again[row.point / 3][row.point % 3];
  const Crossovers twice = crossovers_of(swept.prepared, swept.result.rows);
  REQUIRE(twice.found.size() == 2);
  CHECK(sentence_of(twice.found[0]) == "naive overtakes ring at 1.5 MB, between 1 MB and 2 MB");
  CHECK(sentence_of(twice.found[1]) == "ring overtakes naive at 2.25 MB, between 2 MB and 3 MB");
  for (Row& row : swept.result.rows) row.cells[0] = static_cast<double>(row.point % 3);
  CHECK(crossovers_of(swept.prepared, swept.result.rows).found.empty());
  CHECK(swept.print(print_sweep_text).find("crossovers\n  none\n") != std::string::npos);
}

TEST_CASE("relative is 1 for the best row of its group") {
  Swept swept = sweep(kEight +
                      "axes:\n"
                      "  - {path: jobs.a.size, values: [1 MB, 2 MB]}\n"
                      "  - {path: jobs.a.algorithm, values: [naive, ring, direct]}\n"
                      "relative: {of: time_us, within: size}\n");
  const double times[] = {3, 1, 2, 10, 40, 0};
  for (Row& row : swept.result.rows) row.cells[0] = times[row.point];
  swept.result.rows[5].cells[0] = nullptr;
  const auto lowest = relative_of(swept.prepared, swept.result.rows);
  CHECK(lowest == std::vector<std::optional<double>>{3, 1, 2, 1, 4, std::nullopt});
  swept.prepared.study.relative.better = Better::kHighest;
  const auto highest = relative_of(swept.prepared, swept.result.rows);
  CHECK(highest == std::vector<std::optional<double>>{1, 3, 1.5, 4, 1, std::nullopt});
  swept.prepared.study.relative.within.clear();
  CHECK(relative_of(swept.prepared, swept.result.rows)[3] == 4);
}
