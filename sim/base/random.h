// Seeded random numbers that are the same on every machine: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
//
// The standard library's distributions differ between implementations, so ours stand here. `mix` is also the
// hash for ECMP choices and event hashes: named and fixed, never salted.
#pragma once
#include <cstdint>

namespace brigade {

constexpr uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit constexpr Random(uint64_t seed) : state_(seed) {}
  constexpr uint64_t next() {
    const uint64_t x = mix(state_);
    state_ += 0x9e3779b97f4a7c15u;
    return x;
  }
  // Uniform in [0, n); n > 0. The bias of the multiplication method is below 2^-32 for every n that we draw.
  constexpr uint64_t below(uint64_t n) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64);
  }
  constexpr int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
  }
  // Uniform in [0, 1), 53 bits.
  constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

}  // namespace brigade
