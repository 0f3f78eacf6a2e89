// Amounts of data. A count of bytes is its own type, so that it cannot be mistaken for elements or for a
// time.
#pragma once
#include <compare>
#include <cstdint>

namespace brigade {

struct Bytes {
  int64_t count = 0;
  constexpr auto operator<=>(const Bytes&) const = default;
};

constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
constexpr Bytes operator-(Bytes a, Bytes b) { return {a.count - b.count}; }
constexpr Bytes operator*(int64_t n, Bytes b) { return {n * b.count}; }
constexpr int64_t operator/(Bytes a, Bytes b) { return a.count / b.count; }
constexpr Bytes& operator+=(Bytes& a, Bytes b) { return a = a + b; }

constexpr Bytes kilobytes(int64_t n) { return {n * 1'000}; }
constexpr Bytes megabytes(int64_t n) { return {n * 1'000'000}; }
constexpr Bytes gigabytes(int64_t n) { return {n * 1'000'000'000}; }
constexpr Bytes kibibytes(int64_t n) { return {n << 10}; }
constexpr Bytes mebibytes(int64_t n) { return {n << 20}; }

}  // namespace brigade
