// fp16 and bf16 as IEEE 754 and bfloat16 define them: ties to even, subnormals, overflow of fp16. The values
// are those of the formats' definitions.
#include <cmath>

#include "sim/base/random.h"
#include "sim/workload/compression.h"
#include "tests/catch.h"

using namespace brigade;

TEST_CASE("known values") {
  struct Row {
    double given, fp16, bf16;
  };
  for (const Row& row :
       {Row{0, 0, 0}, Row{1, 1, 1}, Row{-2.5, -2.5, -2.5}, Row{1 + 0x1p-11, 1, 1},  // a tie of fp16, to even
        Row{1 + 3 * 0x1p-11, 1 + 0x1p-9, 1},                                        // a tie, to even above
        Row{1 + 0x1p-8, 1 + 0x1p-8, 1},                                             // a tie of bf16
        Row{1 + 3 * 0x1p-8, 1 + 3 * 0x1p-8, 1 + 0x1p-6},                            // to even above
        Row{65504, 65504, 65536},                                                   // fp16's largest
        Row{65519, 65504, 65536}, Row{65520, INFINITY, 65536},
        Row{0x1p-24, 0x1p-24, 0x1p-24},  // fp16's smallest
        Row{0x1p-25, 0, 0x1p-25}, Row{3 * 0x1p-26, 0x1p-24, 3 * 0x1p-26}}) {
    INFO(row.given);
    CHECK(round_to_fp16(row.given) == row.fp16);
    CHECK(round_to_bf16(row.given) == row.bf16);
    CHECK(round_to_fp16(-row.given) == -row.fp16);
  }
  CHECK(std::isnan(round_to_fp16(NAN)));
}

TEST_CASE("what is rounded stays, and is at most half a step away") {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const double x = std::ldexp(random.unit() - 0.5, static_cast<int>(random.between(-10, 10)));
    for (const auto& [round, digits] : {std::pair{&round_to_fp16, 11}, std::pair{&round_to_bf16, 8}}) {
      CHECK(round(round(x)) == round(x));
      CHECK(std::fabs(round(x) - x) <=
            std::max(std::ldexp(std::fabs(x), -digits), digits == 11 ? 0x1p-25 : 0));
    }
  }
}
