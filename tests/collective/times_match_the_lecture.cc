// The lecture's times in the alpha-beta model (sections 5 and 6), each to the digit that it prints.
#include <cmath>
#include <string>

#include "sim/collective/algorithm.h"
#include "tests/catch.h"

namespace brigade {
namespace {

const Cost kNvlink{microseconds(5), Bandwidth::gb_per_s(450)};
const Cost kInfiniband{microseconds(10), Bandwidth::gb_per_s(50)};

double time_us(const char* algorithm, Rank ranks, int64_t bytes, const Cost& inner, const Cost& outer,
               Rank group) {
  PlanRequest request;
  request.algorithm = find_algorithm(Collective::kAllReduce, algorithm);
  request.ranks = ranks;
  request.elements = bytes;
  request.group = group;
  return in_us(make_plan(request).plan->closed_form(inner, outer).value());
}
double flat_us(const char* algorithm, Rank ranks, int64_t bytes, const Cost& cost) {
  return time_us(algorithm, ranks, bytes, cost, cost, 0);
}
double hierarchical_us(Rank ranks, Rank group, int64_t bytes) {
  return time_us("hierarchical", ranks, bytes, kNvlink, kInfiniband, group);
}

// `printed` with so many digits after the point is what `value` rounds to.
bool prints_as(double value, double printed, int digits) {
  return std::abs(value - printed) <= 0.5 * std::pow(10, -digits) * (1 + 1e-9);
}

struct Row {
  const Cost& cost;
  Rank ranks;
  int64_t bytes;
  const char* algorithm;
  double printed_us;
  int digits;
};

TEST_CASE("flat times match the lecture") {
  constexpr int64_t kGb = 1'000'000'000;
  for (const Row& row :
       {Row{kNvlink, 8, 4096, "ring", 70.0, 1}, Row{kNvlink, 8, 4096, "butterfly", 15.0, 1},
        Row{kInfiniband, 64, 65536, "butterfly", 67.9, 1}, Row{kInfiniband, 64, 65536, "direct", 22.58, 2},
        Row{kInfiniband, 1024, kGb, "ring", 60'420, -1},
        Row{kInfiniband, 1024, kGb, "halving_doubling", 40'200, -2},
        Row{kInfiniband, 8, kGb, "ring", 35'140, 0}, Row{kInfiniband, 64, kGb, "ring", 40'635, 0},
        Row{kInfiniband, 256, kGb, "ring", 44'943.75, 2}, Row{kInfiniband, 64, kGb, "butterfly", 120'060, 0},
        Row{kInfiniband, 64, kGb, "tree", 240'120, 0}, Row{kInfiniband, 64, kGb, "naive", 1'260'010, 0}}) {
    const double us = flat_us(row.algorithm, row.ranks, row.bytes, row.cost);
    INFO(row.algorithm << ", " << row.ranks << " ranks, " << row.bytes << " bytes: " << us << " us");
    CHECK(prints_as(us, row.printed_us, row.digits));
  }
}

TEST_CASE("latency is a third of the ring's time at 1,024 ranks") {
  CHECK(prints_as(flat_us("ring", 1024, 0, kInfiniband), 20'500, -2));
}

std::string fastest(Rank ranks, int64_t bytes, const Cost& cost) {
  std::string best = "naive";
  for (const char* name : {"ring", "tree", "butterfly", "halving_doubling"}) {
    if (flat_us(name, ranks, bytes, cost) < flat_us(best.c_str(), ranks, bytes, cost)) best = name;
  }
  return best;
}

TEST_CASE("the fastest algorithm for small messages matches the lecture") {
  CHECK(fastest(8, 4096, kNvlink) == "naive");
  CHECK(fastest(64, 65536, kInfiniband) == "butterfly");
}

// Bytes from which the ring is faster than the butterfly.
int64_t crossover(Rank ranks, const Cost& cost) {
  int64_t low = 0, high = 1'000'000'000;
  while (high - low > 1) {
    const int64_t middle = (low + high) / 2;
    (flat_us("ring", ranks, middle, cost) < flat_us("butterfly", ranks, middle, cost) ? high : low) = middle;
  }
  return high;
}

TEST_CASE("ring and butterfly cross where the lecture says") {
  CHECK(prints_as(crossover(8, kNvlink) * 1e-6, 19.8, 1));
  CHECK(prints_as(crossover(64, kInfiniband) * 1e-6, 14.9, 1));
}

TEST_CASE("hierarchical against the flat ring, 4 nodes of 8, matches the lecture") {
  struct Size {
    int64_t mb;
    double hierarchical_us, flat_us, speedup;
  };
  for (const Size& size : {Size{1, 137.639, 658.75, 4.79}, Size{10, 206.389, 1007.5, 4.88},
                           Size{100, 893.889, 4495.0, 5.03}, Size{1000, 7768.889, 39370.0, 5.07}}) {
    const int64_t bytes = size.mb * 1'000'000;
    const double hierarchical = hierarchical_us(32, 8, bytes), flat = flat_us("ring", 32, bytes, kInfiniband);
    INFO(size.mb << " MB: " << hierarchical << " us, flat ring " << flat << " us");
    CHECK(prints_as(hierarchical, size.hierarchical_us, 3));
    CHECK(prints_as(flat, size.flat_us, 2));
    CHECK(prints_as(flat / hierarchical, size.speedup, 2));
  }
}

TEST_CASE("hierarchical on 4 nodes of 8 takes 20 rounds, the flat ring 62") {
  PlanRequest request;
  request.ranks = 32;
  request.group = 8;
  request.algorithm = find_algorithm(Collective::kAllReduce, "hierarchical");
  CHECK(make_plan(request).plan->rounds() == 20);
  request.algorithm = find_algorithm(Collective::kAllReduce, "ring");
  CHECK(make_plan(request).plan->rounds() == 62);
}

TEST_CASE("the gradient of 1.3e9 parameters takes as long as in the lecture's scaling table") {
  CHECK(prints_as(hierarchical_us(8, 8, 2'600'000'000), 10'180, -1));
  CHECK(prints_as(hierarchical_us(64, 8, 2'600'000'000), 21'700, -1));
}

}  // namespace
}  // namespace brigade
