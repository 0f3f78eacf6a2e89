// Four significant digits, in the largest unit that keeps at least 1.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/random.h"
#include "sim/base/units.h"
#include "tests/catch.h"

using namespace brigade;

TEST_CASE("durations are printed with four digits") {
  const std::vector<std::pair<int64_t, std::string>> rows = {
      {0, "0 s"},
      {1, "1 ps"},
      {999, "999 ps"},
      {1'000, "1 ns"},
      {1'386'000'000, "1.386 ms"},
      {22'670'000'000, "22.67 ms"},
      {658'750'000, "658.8 us"},  // half a digit rounds up
      {70'000'000, "70 us"},
      {9'999'499, "9.999 us"},
      {9'999'500, "10 us"},
      {999'949'999, "999.9 us"},
      {999'950'000, "1 ms"},  // not "1000 us"
      {1'000'400'000'000, "1 s"},
      {1'001'000'000'000, "1.001 s"},
      {86'400'000'000'000'000, "86400 s"},
      {-2'500'000, "-2.5 us"},
      {INT64_MAX, "9223372 s"},
      {INT64_MIN, "-9223372 s"},
  };
  for (const auto& [ps, text] : rows) CHECK(to_string(Duration{ps}) == text);
}

TEST_CASE("bytes are printed in powers of 1024 where that is the shorter exact text") {
  const std::vector<std::pair<int64_t, std::string>> rows = {
      {0, "0 B"},
      {1, "1 B"},
      {512, "512 B"},
      {1'000, "1 KB"},
      {1'024, "1 KiB"},
      {4'096, "4 KiB"},
      {25'000'000, "25 MB"},
      {26'214'400, "25 MiB"},
      {1'048'576, "1 MiB"},
      {1'048'577, "1.049 MB"},
      {64 * 1'048'576, "64 MiB"},
      {128'000, "128 KB"},  // also 125 KiB
      {8'196'000, "8.196 MB"},
      {1'000'000'000, "1 GB"},
      {2'600'000'000, "2.6 GB"},
      {int64_t{1} << 40, "1 TiB"},
      {350'000'000'000, "350 GB"},
      {-4'096, "-4 KiB"},
  };
  for (const auto& [bytes, text] : rows) CHECK(to_string(Bytes{bytes}) == text);
}

TEST_CASE("bandwidths are printed in bytes per second") {
  const std::vector<std::pair<int64_t, std::string>> rows = {
      {450'000'000'000, "450 GB/s"},
      {50'000'000'000, "50 GB/s"},
      {12'500'000'000, "12.5 GB/s"},
      {3'350'000'000'000, "3.35 TB/s"},
      {1, "1 B/s"},
      {20'600'000'000, "20.6 GB/s"},
  };
  for (const auto& [bytes, text] : rows) CHECK(to_string(Bandwidth::per_second({bytes})) == text);
}

TEST_CASE("a printed amount reads back to within its four digits") {
  const uint64_t seed = 20240611;
  CAPTURE(seed);
  Random random(seed);
  for (int i = 0; i < 2'000; ++i) {
    const int64_t count = static_cast<int64_t>(random.next() >> (5 + random.below(58)));
    const std::string text = to_string(Bytes{count});
    CAPTURE(count, text);
    // A rounded text such as "1.049 MB" is a whole number of bytes as well, except below 1 KB, where it is
    // exact.
    const Parsed<Bytes> parsed = parse_bytes(text);
    REQUIRE(parsed.value);
    const int64_t off = parsed.value->count - count;
    CHECK(2'000 * (off < 0 ? -off : off) <= count);
  }
}
