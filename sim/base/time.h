// Instants and durations of simulated time, in integer picoseconds.
//
// The two are different types: instant - instant = duration, instant + duration = instant. The range of int64
// is 106 days; scenario values are bounded well below it when they are read, so sums of a run do not
// overflow.
#pragma once
#include <compare>
#include <cstdint>

namespace brigade {

struct Duration {
  int64_t ps = 0;
  constexpr auto operator<=>(const Duration&) const = default;
};

// Since the start of the run.
struct Time {
  int64_t ps = 0;
  constexpr auto operator<=>(const Time&) const = default;
};

constexpr Time operator+(Time t, Duration d) { return {t.ps + d.ps}; }
constexpr Time operator-(Time t, Duration d) { return {t.ps - d.ps}; }
constexpr Duration operator-(Time a, Time b) { return {a.ps - b.ps}; }
constexpr Duration operator+(Duration a, Duration b) { return {a.ps + b.ps}; }
constexpr Duration operator-(Duration a, Duration b) { return {a.ps - b.ps}; }
constexpr Duration operator*(int64_t n, Duration d) { return {n * d.ps}; }
constexpr Duration& operator+=(Duration& a, Duration b) { return a = a + b; }
constexpr Time& operator+=(Time& t, Duration d) { return t = t + d; }

constexpr Duration picoseconds(int64_t n) { return {n}; }
constexpr Duration nanoseconds(int64_t n) { return {n * 1'000}; }
constexpr Duration microseconds(int64_t n) { return {n * 1'000'000}; }
constexpr Duration milliseconds(int64_t n) { return {n * 1'000'000'000}; }

constexpr double in_us(Duration d) { return double(d.ps) * 1e-6; }
constexpr double in_s(Duration d) { return double(d.ps) * 1e-12; }

// No instant: later than every event of a run.
constexpr Time kNever{INT64_MAX};

}  // namespace brigade
