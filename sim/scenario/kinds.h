// What a scalar of a scenario may be: how its text is read, what `brigade schema` calls it, how it is printed
// back.
//
// A kind's error is what follows the quoted value in a message: `bandwidth "450" needs a unit: B/s, ...`.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/bandwidth.h"
#include "sim/base/bytes.h"
#include "sim/base/time.h"
#include "sim/base/units.h"
#include "sim/scenario/scenario.h"
#include "sim/workload/spec.h"

namespace brigade {

template <class T>
struct Kind {
  std::string type;                  // "bandwidth (50 GB/s)": with an example
  std::vector<std::string> allowed;  // of a choice; else empty
  std::function<Parsed<T>(const std::string&)> parse;
  std::function<std::string(const T&)> print;
  std::string noun =
      {};  // what an unknown one is called, where the key does not say it: `unknown model "gtp2"`
};

Kind<Bytes> size();  // at least one byte
Kind<Bytes> size_or_zero();
Kind<Bandwidth> bandwidth();
Kind<Duration> duration();
Kind<double> flop_per_s();
Kind<double> flop();             // "8.2 GFLOP"
Kind<double> amount_of_bytes();  // "96 MB", for counts that later become rates
// In percent; `above_zero` refuses 0 %, values beyond `percent_max` are refused.
Kind<double> share(bool above_zero, int percent_max);
// "8 samples", at least 1.
Kind<int64_t> count(const char* unit);
// A plain number of at least `min`, such as a ratio.
Kind<double> number(double min);
Kind<bool> flag();
Kind<std::string> text();
// Ranks, with ranges: "3", "0-7", "1,5-6".
Kind<std::vector<RankRange>> rank_ranges();

Kind<int64_t> whole_number(int64_t min, int64_t max);
// A whole number as the type of the field that holds it.
template <class T>
Kind<T> whole(int64_t min, int64_t max) {
  const Kind<int64_t> wide = whole_number(min, max);
  return {wide.type,
          {},
          [wide](const std::string& text) -> Parsed<T> {
            Parsed<int64_t> parsed = wide.parse(text);
            if (!parsed.value) return {{}, std::move(parsed.error)};
            return {static_cast<T>(*parsed.value), ""};
          },
          [](const T& value) { return std::to_string(value); }};
}

// One of the named values. An empty error of a choice means: unknown, suggest from `allowed`.
template <class T>
Kind<T> choice(std::vector<std::pair<std::string, T>> values) {
  Kind<T> kind;
  kind.type = "choice";
  for (const auto& [name, value] : values) kind.allowed.push_back(name);
  kind.parse = [values](const std::string& text) -> Parsed<T> {
    for (const auto& [name, value] : values) {
      if (name == text) return {value, ""};
    }
    return {};
  };
  kind.print = [values](const T& wanted) -> std::string {
    for (const auto& [name, value] : values) {
      if (value == wanted) return name;
    }
    return "";
  };
  return kind;
}
Kind<std::string> name_among(std::vector<std::string> names, const char* noun = "");
Kind<DType> dtype();          // of what is stored
Kind<DType> compute_dtype();  // also tf32, which is only a rate
Kind<Collective> collective();
// Of jobs that replay a trace.
Kind<CollectiveDurations> collective_durations();
Kind<UnnamedGroups> unnamed_groups();

}  // namespace brigade
