// Figures print as the decimals that they are: no digits that only binary fractions have.
#include <nlohmann/json.hpp>

#include "sim/report/figures.h"
#include "tests/catch.h"

using namespace brigade;

TEST_CASE("a time prints as its picoseconds") {
  const auto [ps, text] = GENERATE(table<int64_t, std::string>({
      {0, "0.0"},
      {1, "1e-06"},
      {658'750'000, "658.75"},
      {658'750'001, "658.750001"},
      {137'638'892, "137.638892"},
      {3, "3e-06"},
      {100'000, "0.1"},
      {1'386'000'000, "1386.0"},
      {60'420'000'000'000, "60420000.0"},
      {2877, "0.002877"},
      {999'999'999'999'999, "999999999.999999"},
  }));
  CHECK(scalar_text(exact_us({ps})) == text);
}

TEST_CASE("ratios have six decimals at most") {
  const auto [value, text] = GENERATE(table<double, std::string>({
      {0.0, "0.0"},
      {2.0 / 3, "0.666667"},
      {1.0 / 3, "0.333333"},
      {0.1 + 0.2, "0.3"},
      {4.4e-7, "0.0"},
      {-0.25, "-0.25"},
      {1332445.0366422386, "1332445.036642"},
      {1e20, "1e+20"},
  }));
  CHECK(scalar_text(rounded(value)) == text);
}

TEST_CASE("every picosecond up to a microsecond and beyond reads back") {
  for (int64_t ps = 0; ps < 3'000'000; ps += 7) {
    const std::string text = scalar_text(exact_us({ps}));
    const size_t point = text.find('.');
    if (text.find('e') == std::string::npos && text.size() - point > 7) FAIL(ps << " ps print as " << text);
  }
}
