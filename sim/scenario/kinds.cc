#include "sim/scenario/kinds.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace brigade {
namespace {

// The exact value in the largest unit that divides it: what a user would write.
std::string exact(Bytes b) {
  static constexpr std::pair<const char*, int64_t> kUnits[] = {
      {"GiB", int64_t{1} << 30}, {"MiB", int64_t{1} << 20}, {"GB", 1'000'000'000},
      {"MB", 1'000'000},         {"KiB", 1 << 10},          {"KB", 1'000}};
  for (const auto& [name, factor] : kUnits) {
    if (b.count > 0 && b.count % factor == 0) return absl::StrCat(b.count / factor, " ", name);
  }
  return absl::StrCat(b.count, " B");
}

std::string exact(Duration d) {
  static constexpr std::pair<const char*, int64_t> kUnits[] = {
      {"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}};
  for (const auto& [name, factor] : kUnits) {
    if (d.ps % factor == 0) return absl::StrCat(d.ps / factor, " ", name);
  }
  return absl::StrCat(d.ps, " ps");
}

std::string percent(double share) { return absl::StrCat(share * 100, " %"); }

Parsed<int64_t> parse_whole(const std::string& text, int64_t min, int64_t max) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  const std::string allowed = absl::StrCat("; allowed: ", min, " to ", max);
  if (error == std::errc::invalid_argument || stopped != end) {
    return {{}, absl::StrCat("is not a whole number", allowed)};
  }
  if (error == std::errc::result_out_of_range || value < min || value > max) {
    return {{}, absl::StrCat("is out of range", allowed)};
  }
  return {value, ""};
}

Kind<DType> dtypes_up_to(DType last) {
  std::vector<std::pair<std::string, DType>> values;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    values.push_back({name_of(static_cast<DType>(i)), static_cast<DType>(i)});
  }
  return choice<DType>(std::move(values));
}

}  // namespace

Kind<Bytes> size_or_zero() {
  return {"size (25 MB)", {}, parse_bytes, [](const Bytes& b) { return exact(b); }};
}

Kind<Bytes> size() {
  Kind<Bytes> kind = size_or_zero();
  kind.parse = [](const std::string& text) -> Parsed<Bytes> {
    Parsed<Bytes> parsed = parse_bytes(text);
    if (parsed.value && parsed.value->count == 0) return {{}, "is zero; allowed: 1 B or more"};
    return parsed;
  };
  return kind;
}

Kind<Bandwidth> bandwidth() {
  return {"bandwidth (50 GB/s)", {}, parse_bandwidth, [](const Bandwidth& b) {
            return absl::StrCat(exact(b.bytes_per_s()), "/s");
          }};
}

Kind<Duration> duration() {
  return {"time (2.5 us)", {}, parse_duration, [](const Duration& d) { return exact(d); }};
}

Kind<double> flop_per_s() {
  return {"rate (989 TFLOP/s)",
          {},
          [](const std::string& text) -> Parsed<double> {
            Parsed<double> parsed = parse_flop_per_s(text);
            if (parsed.value && *parsed.value == 0) return {{}, "is zero; allowed: 1 FLOP/s or more"};
            return parsed;
          },
          [](const double& rate) { return absl::StrCat(rate, " FLOP/s"); }};
}

Kind<double> flop() {
  return {"work (8.2 GFLOP)",
          {},
          [](const std::string& text) -> Parsed<double> {
            if (text.ends_with("/s"))
              return {{}, "is a rate; needs a unit: FLOP, KFLOP, MFLOP, GFLOP, TFLOP, PFLOP"};
            // Work is read as the rate that does it in a second: the same numbers and prefixes.
            Parsed<double> parsed = parse_flop_per_s(absl::StrCat(text, "/s"));
            if (parsed.value) return parsed;
            if (text.find_first_not_of("0123456789.") == std::string::npos ||
                text.find("FLOP") == std::string::npos) {
              return {{}, "needs a unit: FLOP, KFLOP, MFLOP, GFLOP, TFLOP, PFLOP"};
            }
            return parsed;
          },
          [](const double& work) { return absl::StrCat(work, " FLOP"); }};
}

Kind<double> amount_of_bytes() {
  return {"size (96 MB)",
          {},
          [](const std::string& text) -> Parsed<double> {
            Parsed<Bytes> parsed = parse_bytes(text);
            if (!parsed.value) return {{}, std::move(parsed.error)};
            return {static_cast<double>(parsed.value->count), ""};
          },
          [](const double& bytes) { return exact(Bytes{static_cast<int64_t>(bytes)}); }};
}

Kind<double> share(bool above_zero, int percent_max) {
  return {"share (45 %)",
          {},
          [=](const std::string& text) -> Parsed<double> {
            Parsed<double> parsed = parse_percent(text);
            if (!parsed.value) return parsed;
            if ((above_zero && *parsed.value <= 0) || *parsed.value > percent_max * 0.01) {
              return {{},
                      absl::StrCat("is out of range; allowed: ", above_zero ? "above 0 %" : "0 %", " up to ",
                                   percent_max, " %")};
            }
            return parsed;
          },
          percent};
}

Kind<int64_t> count(const char* unit) {
  return {absl::StrCat("number of ", unit, " (8 ", unit, ")"),
          {},
          [unit](const std::string& text) -> Parsed<int64_t> {
            constexpr int64_t kMax = 1'000'000'000;
            Parsed<int64_t> parsed = parse_count(text, unit);
            if (parsed.value && (*parsed.value < 1 || *parsed.value > kMax)) {
              return {{}, absl::StrCat("is out of range; allowed: 1 to ", kMax, " ", unit)};
            }
            return parsed;
          },
          [unit](const int64_t& n) { return absl::StrCat(n, " ", unit); }};
}

Kind<double> number(double min) {
  return {"number",
          {},
          [min](const std::string& text) -> Parsed<double> {
            constexpr double kMax = 1e9;
            double value = 0;
            if (!absl::SimpleAtod(text, &value) || !std::isfinite(value)) return {{}, "is not a number"};
            if (value < min || value > kMax) {
              return {{}, absl::StrCat("is out of range; allowed: ", min, " to ", kMax)};
            }
            return {value, ""};
          },
          [](const double& value) { return absl::StrCat(value); }};
}

Kind<bool> flag() { return choice<bool>({{"true", true}, {"false", false}}); }

Kind<std::string> text() {
  return {"text",
          {},
          [](const std::string& text) -> Parsed<std::string> {
            if (text.empty()) return {{}, "is empty"};
            return {text, ""};
          },
          [](const std::string& text) { return text; }};
}

Kind<std::vector<RankRange>> rank_ranges() {
  Kind<std::vector<RankRange>> kind;
  kind.type = "ranks (0-7,12)";
  kind.parse = [](const std::string& text) -> Parsed<std::vector<RankRange>> {
    std::vector<RankRange> ranges;
    for (const absl::string_view piece : absl::StrSplit(text, ',')) {
      const std::pair<absl::string_view, absl::string_view> ends =
          absl::StrSplit(piece, absl::MaxSplits('-', 1));
      const bool single = piece.find('-') == absl::string_view::npos;
      RankRange range;
      const bool ok = absl::SimpleAtoi(ends.first, &range.first) &&
                      absl::SimpleAtoi(single ? ends.first : ends.second, &range.last) &&
                      range.first <= range.last && range.last < kNone;
      if (!ok) return {{}, "is not a list of ranks; allowed: 3, or 0-7, or 1,5-6"};
      ranges.push_back(range);
    }
    return {ranges, ""};
  };
  kind.print = [](const std::vector<RankRange>& ranges) {
    std::string text;
    for (const RankRange& range : ranges) {
      absl::StrAppend(&text, text.empty() ? "" : ",", range.first);
      if (range.last != range.first) absl::StrAppend(&text, "-", range.last);
    }
    return text;
  };
  return kind;
}

Kind<int64_t> whole_number(int64_t min, int64_t max) {
  return {absl::StrCat("whole number from ", min),
          {},
          [=](const std::string& text) { return parse_whole(text, min, max); },
          [](const int64_t& n) { return absl::StrCat(n); }};
}

Kind<std::string> name_among(std::vector<std::string> names, const char* noun) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const std::string& name : names) values.push_back({name, name});
  Kind<std::string> kind = choice<std::string>(std::move(values));
  kind.noun = noun;
  return kind;
}

Kind<DType> dtype() { return dtypes_up_to(DType::kInt64); }

Kind<DType> compute_dtype() { return dtypes_up_to(DType::kTf32); }

Kind<Collective> collective() {
  std::vector<std::pair<std::string, Collective>> values;
  for (int i = 0; i <= static_cast<int>(Collective::kBarrier); ++i) {
    values.push_back({name_of(static_cast<Collective>(i)), static_cast<Collective>(i)});
  }
  return choice<Collective>(std::move(values));
}

}  // namespace brigade
