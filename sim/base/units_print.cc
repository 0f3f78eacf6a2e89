#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"

namespace brigade {
namespace {

using Wide = unsigned __int128;

constexpr unsigned kPowersOfTen[] = {1, 10, 100, 1'000};

struct Scale {
  const char* name;
  uint64_t factor;
};

// Four significant digits in the largest unit that keeps at least 1. A number that rounds up to 1000 of a
// unit is 1 of the next. `scales` ascend.
template <std::size_t kCount>
std::string four_digits(uint64_t value, const Scale (&scales)[kCount]) {
  std::size_t at = 0;
  while (at + 1 < kCount && value >= scales[at + 1].factor) ++at;
  for (;; ++at) {
    const Wide factor = scales[at].factor;
    int decimals = 3;
    for (uint64_t rest = value / scales[at].factor; rest >= 10 && decimals > 0; rest /= 10) --decimals;
    const Wide ten = kPowersOfTen[decimals];
    const Wide rounded = (Wide{value} * ten + factor / 2) / factor;
    if (at + 1 < kCount && rounded * factor >= ten * scales[at + 1].factor) continue;
    std::string text = absl::StrCat(static_cast<uint64_t>(rounded / ten));
    if (rounded % ten != 0) {
      std::string fraction = absl::StrCat(static_cast<uint64_t>(rounded % ten));
      fraction.insert(0, decimals - fraction.size(), '0');
      fraction.erase(fraction.find_last_not_of('0') + 1);
      absl::StrAppend(&text, ".", fraction);
    }
    return absl::StrCat(text, " ", scales[at].name);
  }
}

// "26214400" as "25 MiB"; empty where the amount is no whole number below 1024 of a binary unit.
std::string whole_binary(uint64_t bytes) {
  constexpr const char* kNames[] = {"KiB", "MiB", "GiB", "TiB"};
  for (int i = 0; i < 4; ++i) {
    const int shift = 10 * (i + 1);
    const uint64_t count = bytes >> shift;
    if (count >= 1 && count < 1024 && count << shift == bytes) return absl::StrCat(count, " ", kNames[i]);
  }
  return "";
}

std::string with_sign(bool negative, std::string text) { return negative ? "-" + text : text; }

uint64_t magnitude(int64_t n) { return n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n); }

}  // namespace

std::string to_string(Duration d) {
  static constexpr Scale kScales[] = {
      {"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}};
  if (d.ps == 0) return "0 s";
  return with_sign(d.ps < 0, four_digits(magnitude(d.ps), kScales));
}

std::string to_string(Bytes b) {
  static constexpr Scale kScales[] = {{"B", 1},
                                      {"KB", 1'000},
                                      {"MB", 1'000'000},
                                      {"GB", 1'000'000'000},
                                      {"TB", 1'000'000'000'000},
                                      {"PB", 1'000'000'000'000'000}};
  const uint64_t count = magnitude(b.count);
  const std::string decimal = four_digits(count, kScales), binary = whole_binary(count);
  const bool shorter = !binary.empty() && binary.size() < decimal.size();
  return with_sign(b.count < 0, shorter ? binary : decimal);
}

std::string to_string(Bandwidth b) {
  static constexpr Scale kScales[] = {{"B/s", 1},
                                      {"KB/s", 1'000},
                                      {"MB/s", 1'000'000},
                                      {"GB/s", 1'000'000'000},
                                      {"TB/s", 1'000'000'000'000},
                                      {"PB/s", 1'000'000'000'000'000}};
  return four_digits(static_cast<uint64_t>(b.bytes_per_s().count), kScales);
}

}  // namespace brigade
