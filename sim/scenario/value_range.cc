#include "sim/scenario/value_range.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/base/units.h"
#include "sim/scenario/fields.h"

namespace brigade {
namespace {

// Decimals in billionths: 9 places after the point.
using Wide = __int128;
constexpr Wide kOne = 1'000'000'000;
constexpr int kPlaces = 9;
constexpr Wide kNumberMax = Wide{1'000'000'000'000'000} * kOne;

struct Quantity {
  Wide number = 0;
  bool has_point = false;
  std::string unit;
};

bool is_digit(char c) { return '0' <= c && c <= '9'; }

bool parse(const std::string& text, Quantity& out) {
  size_t i = 0;
  int places = -1;
  bool digits = false;
  for (; i < text.size() && (is_digit(text[i]) || text[i] == '.'); ++i) {
    if (text[i] == '.') {
      if (places >= 0) return false;
      places = 0;
      continue;
    }
    if (places >= 0 && ++places > kPlaces) return false;
    out.number = out.number * 10 + (text[i] - '0');
    if (out.number > kNumberMax) return false;
    digits = true;
  }
  out.has_point = places > 0;
  for (int p = places < 0 ? 0 : places; p < kPlaces; ++p) out.number *= 10;
  while (i < text.size() && text[i] == ' ') ++i;
  out.unit = text.substr(i);
  return digits && out.number <= kNumberMax;
}

// What one of `unit` is in base units of its kind: bytes, B/s, ps.
struct Scale {
  int kind = 0;  // 0: a unit of which only the name is known
  int64_t of_base = 1;
};

Scale scale_of(const std::string& unit) {
  const std::string one = "1 " + unit;
  if (const auto bytes = parse_bytes(one).value) return {1, bytes->count};
  if (const auto time = parse_duration(one).value) return {2, time->ps};
  if (const auto rate = parse_bandwidth(one).value) return {3, rate->bytes_per_s().count};
  return {};
}

// `q` in the unit of `wanted`; false where they are of different kinds.
bool convert(Quantity& q, const Quantity& wanted) {
  if (q.unit == wanted.unit) return true;
  const Scale from = scale_of(q.unit), to = scale_of(wanted.unit);
  if (from.kind == 0 || from.kind != to.kind) return false;
  // Whole steps first, so that the product stays within 128 bits.
  const Wide whole = q.number / kOne, rest = q.number % kOne;
  q.number = whole * from.of_base / to.of_base * kOne +
             whole * from.of_base % to.of_base * kOne / to.of_base + rest * from.of_base / to.of_base;
  return true;
}

// Places after the point at which a value of this unit is still whole in base units.
int places_of(const Quantity& q) {
  const Scale scale = scale_of(q.unit);
  if (scale.kind == 0) return q.has_point || q.unit == "%" ? kPlaces : 0;
  int places = 0;
  int64_t base = scale.of_base;
  for (; base % 10 == 0 && places < kPlaces; base /= 10) ++places;
  return base == 1 ? places : 0;
}

std::string print(Wide number, int places, const std::string& unit) {
  Wide grid = 1;
  for (int p = places; p < kPlaces; ++p) grid *= 10;
  const Wide rounded = (number + grid / 2) / grid * grid;
  std::string text = absl::StrCat(static_cast<int64_t>(rounded / kOne));
  std::string fraction = absl::StrCat(static_cast<int64_t>(rounded % kOne + kOne)).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  if (!fraction.empty()) absl::StrAppend(&text, ".", fraction);
  return unit.empty() ? text : absl::StrCat(text, " ", unit);
}

ValueRange refuse(std::string why) { return {{}, std::move(why)}; }

}  // namespace

ValueRange range_of(const std::string& from, const std::string& to, const std::string& step,
                    size_t values_max) {
  Quantity first, last, by;
  if (!parse(from, first)) return refuse(absl::StrCat("from ", quote(from), " is no number with a unit"));
  if (!parse(to, last)) return refuse(absl::StrCat("to ", quote(to), " is no number with a unit"));
  const bool factor = step.starts_with('x');
  if ((!factor && !step.starts_with('+')) || !parse(step.substr(1), by) || (factor && !by.unit.empty()))
    return refuse(absl::StrCat("step ", quote(step), " is no step; allowed: x2, +1 MB"));
  if (!convert(last, first) || (!factor && !convert(by, first)))
    return refuse(absl::StrCat("from ", quote(from), ", to ", quote(to), ", step ", quote(step),
                               " need units of one kind"));
  if (last.number < first.number)
    return refuse(absl::StrCat("a range grows; to ", quote(to), " is below from ", quote(from)));
  if (factor ? by.number <= kOne || first.number == 0 : by.number <= 0)
    return refuse(absl::StrCat("step ", quote(step), " does not lead from ", quote(from), " upwards"));
  const bool grid_is_exact = !factor || by.number % kOne == 0;
  const int places = grid_is_exact ? kPlaces : places_of(first);
  ValueRange range;
  for (Wide v = first.number; v <= last.number;) {
    if (range.values.size() == values_max)
      return refuse(absl::StrCat("the range has more than ", values_max, " values"));
    std::string text = print(v, places, first.unit);
    if (range.values.empty() || range.values.back() != text) range.values.push_back(std::move(text));
    v = factor ? v / kOne * by.number + v % kOne * by.number / kOne : v + by.number;
  }
  return range;
}

bool split_number(const std::string& text, double& number, std::string& unit) {
  Quantity q;
  if (!parse(text, q)) return false;
  number =
      static_cast<double>(q.number / kOne) + static_cast<double>(q.number % kOne) / static_cast<double>(kOne);
  unit = q.unit;
  return true;
}

std::string print_quantity(double number, const std::string& unit) {
  const Scale scale = scale_of(unit);
  const int64_t base = std::llround(number * static_cast<double>(scale.of_base));
  if (scale.kind == 1) return to_string(Bytes{base});
  if (scale.kind == 2) return to_string(Duration{base});
  if (scale.kind == 3 && base > 0) return to_string(Bandwidth::per_second(Bytes{base}));
  return absl::StrCat(absl::StrFormat("%.4g", number), unit.empty() ? "" : " ", unit);
}

std::optional<double> units_ratio(const std::string& unit, const std::string& wanted) {
  if (unit == wanted) return 1;
  const Scale from = scale_of(unit), to = scale_of(wanted);
  if (from.kind == 0 || from.kind != to.kind) return {};
  return static_cast<double>(from.of_base) / static_cast<double>(to.of_base);
}

}  // namespace brigade
