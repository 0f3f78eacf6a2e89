// T(x) = ceil(x p / q) is exact, and the pieces of any cut last exactly as long as the whole.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/base/bandwidth.h"
#include "sim/base/random.h"
#include "tests/catch.h"

using namespace brigade;

namespace {

using Wide = unsigned __int128;

// The definition, without a division: the first picosecond at which `bandwidth` has carried x bytes.
bool is_first_picosecond(int64_t ps, Bytes x, Bandwidth bandwidth) {
  constexpr Wide kPicosecondsPerSecond = 1'000'000'000'000;
  const Wide needed = static_cast<Wide>(x.count) * kPicosecondsPerSecond;
  const Wide rate = static_cast<Wide>(bandwidth.bytes_per_s().count);
  if (static_cast<Wide>(ps) * rate < needed) return false;
  return ps == 0 || static_cast<Wide>(ps - 1) * rate < needed;
}

}  // namespace

TEST_CASE("times of whole messages") {
  struct Row {
    int64_t bytes_per_s, bytes, ps;
  };
  const std::vector<Row> rows = {
      {450'000'000'000, 0, 0},
      {450'000'000'000, 1, 3},  // 20/9 ps
      {450'000'000'000, 9, 20},
      {50'000'000'000, 1, 20},
      {100'000'000'000, 1, 10},  // a byte at 800 Gb/s
      {50'000'000'000, 1'000'000'000, 20'000'000'000},
      {450'000'000'000, int64_t{1} << 30, 2'386'092'943},
      {450'000'000'000, int64_t{1} << 60, 2'562'047'788'015'215'503},  // x p needs 65 bits
      {1'000'000'000'000, int64_t{1} << 60, int64_t{1} << 60},
      {3'000'000'000'000, 1, 1},
      {1, 1, 1'000'000'000'000},
      {7, 3, 428'571'428'572},
  };
  for (const auto& [bytes_per_s, bytes, ps] : rows) {
    CAPTURE(bytes_per_s, bytes);
    CHECK(Bandwidth::per_second({bytes_per_s}).time({bytes}).ps == ps);
  }
}

TEST_CASE("rounding each segment by itself would drift by 113 ps on 1 GiB at 450 GB/s") {
  const Bandwidth nvlink = Bandwidth::gb_per_s(450);
  const Bytes segment = mebibytes(1);
  CHECK((1024 * nvlink.time(segment) - nvlink.time(1024 * segment)).ps == 113);
}

TEST_CASE("T(x) is the first picosecond at which x bytes have passed, over the whole range") {
  const uint64_t seed = 77;
  CAPTURE(seed);
  Random random(seed);
  for (int i = 0; i < 20'000; ++i) {
    const Bandwidth bandwidth =
        Bandwidth::per_second({random.between(1, int64_t{1} << (1 + random.below(59)))});
    Bytes x{random.between(0, int64_t{1} << random.below(61))};
    // Keep the time itself within 63 bits.
    constexpr Wide kLongest = Wide{INT64_MAX} / 1'000'000'000'000;
    const Wide most = kLongest * static_cast<Wide>(bandwidth.bytes_per_s().count);
    if (static_cast<Wide>(x.count) > most) x.count = static_cast<int64_t>(most);
    CAPTURE(bandwidth.bytes_per_s().count, x.count);
    CHECK(is_first_picosecond(bandwidth.time(x).ps, x, bandwidth));
  }
}

TEST_CASE("the pieces of any cut add up to the whole and none lasts less than nothing") {
  const uint64_t seed = 4711;
  CAPTURE(seed);
  Random random(seed);
  for (int i = 0; i < 500; ++i) {
    const Bandwidth bandwidth = Bandwidth::per_second({random.between(1'000'000, 1'800'000'000'000)});
    const Bytes message{random.between(0, 1 << 24)};
    Bytes begin;
    Duration sum;
    while (begin < message) {
      const Bytes end{std::min(message.count, begin.count + random.between(1, 1 << 20))};
      const Duration piece = bandwidth.time(end) - bandwidth.time(begin);
      REQUIRE(piece.ps >= 0);
      sum += piece;
      begin = end;
    }
    CAPTURE(bandwidth.bytes_per_s().count, message.count);
    CHECK(sum == bandwidth.time(message));
  }
}

TEST_CASE("equal bandwidths compare equal however they are written") {
  CHECK(Bandwidth::gb_per_s(50) == Bandwidth::per_second(megabytes(50'000)));
  CHECK(Bandwidth::gb_per_s(50) < Bandwidth::gb_per_s(450));
}
