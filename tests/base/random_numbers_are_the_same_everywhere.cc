// SplitMix64 against its published sequence, and our distributions against what they promise.
#include <cmath>
#include <cstdint>
#include <vector>

#include "sim/base/random.h"
#include "tests/catch.h"

using namespace brigade;

TEST_CASE("the sequence of seed 1234567 is the published one") {
  Random random(1234567);
  // Rosetta Code, "Pseudo-random numbers/Splitmix64".
  const std::vector<uint64_t> published = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                           4593380528125082431u, 16408922859458223821u};
  for (const uint64_t value : published) CHECK(random.next() == value);
}

TEST_CASE("draws stay within their bounds and reach them") {
  Random random(1);
  std::vector<int> count(7);
  double sum = 0;
  for (int i = 0; i < 7'000; ++i) {
    const int64_t value = random.between(-3, 3);
    REQUIRE(value >= -3);
    REQUIRE(value <= 3);
    ++count[static_cast<std::size_t>(value + 3)];
    const double unit = random.unit();
    REQUIRE(unit >= 0);
    REQUIRE(unit < 1);
    sum += unit;
  }
  // 1000 expected, standard deviation 29; the mean of 7000 uniform draws deviates by 0.0035.
  for (const int times : count) CHECK(std::abs(times - 1'000) < 150);
  CHECK(std::abs(sum / 7'000 - 0.5) < 0.02);
  CHECK(random.below(1) == 0);
  CHECK(random.between(5, 5) == 5);
}
