#include "sim/base/bandwidth.h"

#include <numeric>

#include "sim/base/check.h"

namespace brigade {

Bandwidth Bandwidth::per_second(Bytes bytes_per_s) {
  constexpr int64_t kPicosecondsPerSecond = 1'000'000'000'000;
  BRIGADE_CHECK(bytes_per_s.count > 0, "bandwidth of ", bytes_per_s.count, " B/s");
  const int64_t g = std::gcd(bytes_per_s.count, kPicosecondsPerSecond);
  return {bytes_per_s, static_cast<uint64_t>(kPicosecondsPerSecond / g),
          static_cast<uint64_t>(bytes_per_s.count / g)};
}

}  // namespace brigade
