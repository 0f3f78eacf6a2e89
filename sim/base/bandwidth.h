// Exact bandwidth: whole bytes per second, and the one place that divides.
//
// A byte lasts p/q picoseconds, the reduced fraction 10^12 / bandwidth (450 GB/s: 20/9). T(x) = ceil(x p / q)
// is the time of the first x bytes of a message. A piece that holds bytes [b, e) lasts T(e) - T(b), so that
// any cut of a message adds up to the whole: rounding each piece by itself would drift (113 ps on 1 GiB at
// 450 GB/s).
#pragma once
#include <compare>
#include <cstdint>

#include "sim/base/bytes.h"
#include "sim/base/time.h"

namespace brigade {

class Bandwidth {
 public:
  // Needs bytes_per_s > 0 (a dead link has no bandwidth: it is absent).
  static Bandwidth per_second(Bytes bytes_per_s);
  static Bandwidth gb_per_s(int64_t n) { return per_second(gigabytes(n)); }

  Bytes bytes_per_s() const { return bytes_per_s_; }
  // T(x). Exact for every x whose time fits 63 bits.
  Duration time(Bytes x) const {
    const uint64_t bytes = static_cast<uint64_t>(x.count);
    if (q_ == 1) return {static_cast<int64_t>(bytes * p_)};
    if (bytes <= narrow_) return {static_cast<int64_t>((bytes * p_ + q_ - 1) / q_)};
    return {static_cast<int64_t>((static_cast<unsigned __int128>(bytes) * p_ + q_ - 1) / q_)};
  }

  bool operator==(const Bandwidth& o) const { return bytes_per_s_ == o.bytes_per_s_; }
  auto operator<=>(const Bandwidth& o) const { return bytes_per_s_ <=> o.bytes_per_s_; }

 private:
  Bandwidth(Bytes bytes_per_s, uint64_t p, uint64_t q)
      : bytes_per_s_(bytes_per_s), p_(p), q_(q), narrow_((UINT64_MAX - q) / p) {}
  Bytes bytes_per_s_;
  uint64_t p_, q_;
  uint64_t narrow_;  // up to here bytes x p + q fits 64 bits, whose division is several times faster
};

}  // namespace brigade
