// Whatever a user writes: a value or words about what is wrong, never both, never neither, never a crash.
#include <string>
#include <string_view>

#include "sim/base/random.h"
#include "sim/base/units.h"
#include "tests/catch.h"

using namespace brigade;

namespace {

// Pieces from which near misses of quantities arise.
constexpr std::string_view kPieces[] = {"0",  "1",   "9",  "00", "25", ".", "e",    "E3",  "e-2",   "+",
                                        "-",  " ",   "\t", "K",  "Ki", "M", "B",    "b",   "/s",    "s",
                                        "us", "min", "%",  "GB", "Gb", "",  "\xC3", "999", "FLOP/s"};

std::string random_text(Random& random) {
  std::string text;
  const uint64_t pieces = random.below(random.below(8) == 0 ? 60 : 7);
  for (uint64_t i = 0; i < pieces; ++i) text += kPieces[random.below(std::size(kPieces))];
  return text;
}

template <class T>
bool one_of_both(const Parsed<T>& parsed) {
  return parsed.value.has_value() == parsed.error.empty();
}

}  // namespace

TEST_CASE("any text is read or refused with words") {
  const uint64_t seed = 31337;
  CAPTURE(seed);
  Random random(seed);
  int read = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = random_text(random);
    CAPTURE(text);
    REQUIRE(one_of_both(parse_bytes(text)));
    REQUIRE(one_of_both(parse_bandwidth(text)));
    REQUIRE(one_of_both(parse_duration(text)));
    REQUIRE(one_of_both(parse_flop_per_s(text)));
    REQUIRE(one_of_both(parse_percent(text)));
    REQUIRE(one_of_both(parse_count(text, "samples")));
    read += parse_bytes(text).value.has_value();
  }
  CHECK(read > 50);  // the pieces do make quantities now and then
}
