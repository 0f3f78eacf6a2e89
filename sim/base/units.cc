#include "sim/base/units.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace brigade {
namespace {

using Wide = unsigned __int128;

constexpr Wide kMaxCount = Wide{1} << 60;
constexpr Wide kMaxPicoseconds = Wide{30} * 24 * 3600 * 1'000'000'000'000;
constexpr Wide kMaxFlopPerSecond = Wide{1'000'000'000'000} * 1'000'000'000;
constexpr Wide kMaxPercent = 1'000'000;

// 20 digits hold 2^60 and leave room to multiply by the largest unit.
constexpr int kDigitsMax = 20;
constexpr int kExponentMax = 30;

// A number of this unit is `factor` / `divisor` of the base unit.
struct Unit {
  std::string_view name;
  Wide factor;
  unsigned divisor = 1;
};

constexpr Unit kByteUnits[] = {
    {"B", 1},
    {"KB", 1'000},
    {"MB", 1'000'000},
    {"GB", 1'000'000'000},
    {"TB", 1'000'000'000'000},
    {"PB", 1'000'000'000'000'000},
    {"KiB", Wide{1} << 10},
    {"MiB", Wide{1} << 20},
    {"GiB", Wide{1} << 30},
    {"TiB", Wide{1} << 40},
};

constexpr Unit kBandwidthUnits[] = {
    {"B/s", 1},
    {"KB/s", 1'000},
    {"MB/s", 1'000'000},
    {"GB/s", 1'000'000'000},
    {"TB/s", 1'000'000'000'000},
    {"PB/s", 1'000'000'000'000'000},
    {"KiB/s", Wide{1} << 10},
    {"MiB/s", Wide{1} << 20},
    {"GiB/s", Wide{1} << 30},
    {"TiB/s", Wide{1} << 40},
    {"b/s", 1, 8},
    {"Kb/s", 1'000, 8},
    {"Mb/s", 1'000'000, 8},
    {"Gb/s", 1'000'000'000, 8},
    {"Tb/s", 1'000'000'000'000, 8},
};

constexpr Unit kTimeUnits[] = {
    {"ps", 1},
    {"ns", 1'000},
    {"us", 1'000'000},
    {"ms", 1'000'000'000},
    {"s", 1'000'000'000'000},
    {"min", Wide{60} * 1'000'000'000'000},
    {"h", Wide{3600} * 1'000'000'000'000},
};

constexpr Unit kFlopUnits[] = {
    {"FLOP/s", 1},
    {"KFLOP/s", 1'000},
    {"MFLOP/s", 1'000'000},
    {"GFLOP/s", 1'000'000'000},
    {"TFLOP/s", 1'000'000'000'000},
    {"PFLOP/s", 1'000'000'000'000'000},
};

bool is_digit(char c) { return '0' <= c && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

Wide power_of_ten(int n) {
  Wide result = 1;
  while (n-- > 0) result *= 10;
  return result;
}

std::string quoted(std::string_view text) {
  return absl::StrCat("\"", absl::string_view(text.data(), text.size()), "\"");
}

// mantissa x 10^exponent, and the text that follows it. The mantissa does not end in 0.
struct Decimal {
  Wide mantissa = 0;
  int exponent = 0;
  std::string_view unit;
};

// Takes the digits off the front of `text`, with an optional point among them. False where there are none.
bool take_mantissa(std::string_view& text, Decimal& decimal, int& digits) {
  bool any = false, point = false;
  int pending_zeros = 0;
  for (; !text.empty(); text.remove_prefix(1)) {
    const char c = text.front();
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_digit(c)) break;
    any = true;
    if (point) --decimal.exponent;
    if (c == '0') {
      ++pending_zeros;
      continue;
    }
    // Zeros count as digits only once another digit follows them: "1000...0 B" has one.
    digits = decimal.mantissa == 0 ? 1 : digits + pending_zeros + 1;
    if (digits > kDigitsMax) return true;
    decimal.mantissa =
        decimal.mantissa * power_of_ten(std::min(pending_zeros, digits) + 1) + static_cast<unsigned>(c - '0');
    pending_zeros = 0;
  }
  decimal.exponent += pending_zeros;
  return any;
}

// Takes "e9" or "E-3" off the front, if it is there ("e" alone is left as the unit, which will be unknown).
void take_exponent(std::string_view& text, int& exponent) {
  if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return;
  std::size_t at = 1;
  const bool negative = at < text.size() && text[at] == '-';
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  if (at == text.size() || !is_digit(text[at])) return;
  int value = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) value = std::min(10 * value + (text[at] - '0'), 9'999);
  exponent += negative ? -value : value;
  text.remove_prefix(at);
}

// Empty where the text is a number with something or nothing behind it, else what is wrong.
std::string read_decimal(std::string_view text, Decimal& decimal) {
  text = trimmed(text);
  if (text.empty()) return "is empty";
  const bool negative = text[0] == '-';
  if (negative) text.remove_prefix(1);
  int digits = 0;
  if (!take_mantissa(text, decimal, digits)) return "is not a number";
  if (negative) return "is negative";
  if (digits > kDigitsMax) return absl::StrCat("has more than ", kDigitsMax, " significant digits");
  take_exponent(text, decimal.exponent);
  decimal.unit = trimmed(text);
  return "";
}

std::string names(const Unit* begin, const Unit* end) {
  std::string all;
  for (const Unit* unit = begin; unit != end; ++unit) {
    absl::StrAppend(&all, all.empty() ? "" : ", ", std::string(unit->name));
  }
  return all;
}

// The exact value in base units, or why there is none. `thing` is the base unit's plural, `limit` the words
// for max.
Parsed<Wide> whole(const Decimal& decimal, const Unit& unit, Wide max, const char* thing, const char* limit) {
  if (decimal.mantissa == 0) return {Wide{0}, ""};
  Wide value = decimal.mantissa * unit.factor;
  const std::string too_big = absl::StrCat("is beyond the limit of ", limit);
  const std::string broken = absl::StrCat("is not a whole number of ", thing);
  if (decimal.exponent > kExponentMax) return {{}, too_big};
  if (decimal.exponent < -kExponentMax) return {{}, broken};
  for (int i = 0; i < decimal.exponent; ++i) {
    if (value > max * unit.divisor) return {{}, too_big};
    value *= 10;
  }
  const Wide divisor = power_of_ten(std::max(-decimal.exponent, 0)) * unit.divisor;
  if (value / divisor > max || (value / divisor == max && value % divisor != 0)) return {{}, too_big};
  if (value % divisor != 0) return {{}, broken};
  return {value / divisor, ""};
}

template <std::size_t kCount>
Parsed<Wide> parse_whole(std::string_view text, const Unit (&units)[kCount], Wide max, const char* thing,
                         const char* limit) {
  Decimal decimal;
  if (std::string error = read_decimal(text, decimal); !error.empty()) return {{}, std::move(error)};
  const Unit* const end = units + kCount;
  if (decimal.unit.empty()) return {{}, absl::StrCat("needs a unit: ", names(units, end))};
  const Unit* unit = std::find_if(units, end, [&](const Unit& u) { return u.name == decimal.unit; });
  if (unit == end) {
    return {{}, absl::StrCat("has an unknown unit ", quoted(decimal.unit), "; allowed: ", names(units, end))};
  }
  return whole(decimal, *unit, max, thing, limit);
}

}  // namespace

Parsed<Bytes> parse_bytes(std::string_view text) {
  auto [value, error] = parse_whole(text, kByteUnits, kMaxCount, "bytes", "2^60 bytes");
  if (!value) return {{}, std::move(error)};
  return {Bytes{static_cast<int64_t>(*value)}, ""};
}

Parsed<Bandwidth> parse_bandwidth(std::string_view text) {
  auto [value, error] = parse_whole(text, kBandwidthUnits, kMaxCount, "bytes per second", "2^60 B/s");
  if (!value) return {{}, std::move(error)};
  if (*value == 0) return {{}, "is zero; a bandwidth is above zero"};
  return {Bandwidth::per_second({static_cast<int64_t>(*value)}), ""};
}

Parsed<Duration> parse_duration(std::string_view text) {
  auto [value, error] = parse_whole(text, kTimeUnits, kMaxPicoseconds, "picoseconds", "30 days");
  if (!value) return {{}, std::move(error)};
  return {Duration{static_cast<int64_t>(*value)}, ""};
}

Parsed<double> parse_flop_per_s(std::string_view text) {
  auto [value, error] = parse_whole(text, kFlopUnits, kMaxFlopPerSecond, "FLOP/s", "10^21 FLOP/s");
  if (!value) return {{}, std::move(error)};
  return {static_cast<double>(*value), ""};
}

Parsed<double> parse_percent(std::string_view text) {
  Decimal decimal;
  if (std::string error = read_decimal(text, decimal); !error.empty()) return {{}, std::move(error)};
  if (decimal.unit.empty()) return {{}, "needs a unit: %"};
  if (decimal.unit != "%")
    return {{}, absl::StrCat("has an unknown unit ", quoted(decimal.unit), "; allowed: %")};
  if (decimal.mantissa == 0) return {0.0, ""};
  if (decimal.exponent < -kExponentMax) return {{}, "has too many decimals"};
  if (decimal.exponent > 6) return {{}, "is beyond the limit of 1000000 %"};
  const Wide numerator = decimal.mantissa * power_of_ten(std::max(decimal.exponent, 0));
  const Wide denominator = power_of_ten(std::max(-decimal.exponent, 0));
  if (numerator > kMaxPercent * denominator) return {{}, "is beyond the limit of 1000000 %"};
  return {static_cast<double>(numerator) / static_cast<double>(denominator * 100), ""};
}

Parsed<int64_t> parse_count(std::string_view text, std::string_view unit) {
  Decimal decimal;
  if (std::string error = read_decimal(text, decimal); !error.empty()) return {{}, std::move(error)};
  // "1 sample" of "samples".
  const bool singular =
      unit.ends_with('s') && decimal.unit == unit.substr(0, unit.size() - 1) && !decimal.unit.empty();
  if (decimal.unit.empty()) return {{}, absl::StrCat("needs a unit: ", std::string(unit))};
  if (decimal.unit != unit && !singular) {
    return {{}, absl::StrCat("has an unknown unit ", quoted(decimal.unit), "; allowed: ", std::string(unit))};
  }
  auto [value, error] = whole(decimal, {unit, 1}, kMaxCount, std::string(unit).c_str(), "2^60");
  if (!value) return {{}, std::move(error)};
  return {static_cast<int64_t>(*value), ""};
}

}  // namespace brigade
