// Decimals become whole base units without passing through floating point.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/units.h"
#include "tests/catch.h"

using namespace brigade;

template <class T>
using Rows = std::vector<std::pair<std::string, T>>;

TEST_CASE("bytes are read exactly") {
  const Rows<int64_t> rows = {
      {"0 B", 0},
      {"7 B", 7},
      {"7B", 7},
      {"  7\t B ", 7},
      {"4 KiB", 4096},
      {"1 KB", 1000},
      {"25 MB", 25'000'000},
      {"25MiB", 26'214'400},
      {"1.5 GB", 1'500'000'000},
      {"0.5 KiB", 512},
      {".5 KiB", 512},
      {"5. KB", 5000},
      {"1.250000000000000000000000 KB", 1250},
      {"0.001 KB", 1},
      {"0.0009765625 KiB", 1},
      {"00012 B", 12},
      {"1e9 B", 1'000'000'000},
      {"1.0e9 B", 1'000'000'000},
      {"2.5E+3 B", 2500},
      {"2500e-2 B", 25},
      {"0e9999 B", 0},
      {"1 TiB", int64_t{1} << 40},
      {"3 TB", 3'000'000'000'000},
      {"1.125 PB", 1'125'000'000'000'000},
      {"1152921504606846976 B", int64_t{1} << 60},  // the limit itself
      {"1152921504606846975 B", (int64_t{1} << 60) - 1},
      {"1152.921504606846976 PB", int64_t{1} << 60},
      {"1048576 TiB", int64_t{1} << 60},
  };
  for (const auto& [text, bytes] : rows) {
    CAPTURE(text);
    const Parsed<Bytes> parsed = parse_bytes(text);
    CHECK(parsed.error == "");
    REQUIRE(parsed.value);
    CHECK(parsed.value->count == bytes);
  }
}

TEST_CASE("bandwidths are read exactly, in bytes and in bits") {
  const Rows<int64_t> rows = {
      {"450 GB/s", 450'000'000'000},
      {"20.6 GB/s", 20'600'000'000},
      {"400 Gb/s", 50'000'000'000},
      {"8 b/s", 1},
      {"100Mb/s", 12'500'000},
      {"1.6 Tb/s", 200'000'000'000},
      {"1 KB/s", 1000},
      {"1 KiB/s", 1024},
      {"3.35 TB/s", 3'350'000'000'000},
      {"2.5 GiB/s", 2'684'354'560},
      {"0.000000001 GB/s", 1},
  };
  for (const auto& [text, bytes_per_s] : rows) {
    CAPTURE(text);
    const Parsed<Bandwidth> parsed = parse_bandwidth(text);
    CHECK(parsed.error == "");
    REQUIRE(parsed.value);
    CHECK(parsed.value->bytes_per_s().count == bytes_per_s);
  }
}

TEST_CASE("durations are read exactly") {
  const Rows<int64_t> rows = {
      {"0 s", 0},
      {"1 ps", 1},
      {"2.5 us", 2'500'000},
      {"0.001 ns", 1},
      {"10 ms", 10'000'000'000},
      {"1 s", 1'000'000'000'000},
      {"1.000000000001 s", 1'000'000'000'001},
      {"1.5 min", 90'000'000'000'000},
      {"0.5 h", 1'800'000'000'000'000},
      {"720 h", 2'592'000'000'000'000'000},  // 30 days, the limit itself
      {"2592000 s", 2'592'000'000'000'000'000},
  };
  for (const auto& [text, ps] : rows) {
    CAPTURE(text);
    const Parsed<Duration> parsed = parse_duration(text);
    CHECK(parsed.error == "");
    REQUIRE(parsed.value);
    CHECK(parsed.value->ps == ps);
  }
}

TEST_CASE("rates of computation and percentages are the nearest doubles") {
  const Rows<double> rates = {{"989 TFLOP/s", 989e12},    {"989.4TFLOP/s", 989.4e12}, {"0 FLOP/s", 0.0},
                              {"1.979 PFLOP/s", 1979e12}, {"62.5 GFLOP/s", 62.5e9},   {"1 KFLOP/s", 1e3},
                              {"7 MFLOP/s", 7e6}};
  for (const auto& [text, rate] : rates) {
    CAPTURE(text);
    const Parsed<double> parsed = parse_flop_per_s(text);
    REQUIRE(parsed.value);
    CHECK(*parsed.value == rate);
  }
  const Rows<double> percents = {{"25 %", 0.25}, {"45%", 0.45},      {"0 %", 0.0},      {"12.5 %", 0.125},
                                 {"100 %", 1.0}, {"150 %", 1.5},     {"0.1 %", 0.001},  {"33.3 %", 0.333},
                                 {"1e2 %", 1.0}, {"1e-3 %", 0.1e-4}, {"1000000 %", 1e4}};
  for (const auto& [text, share] : percents) {
    CAPTURE(text);
    const Parsed<double> parsed = parse_percent(text);
    REQUIRE(parsed.value);
    CHECK(*parsed.value == share);
  }
}

TEST_CASE("counts name what they count, in the singular too") {
  CHECK(parse_count("8 samples", "samples").value == 8);
  CHECK(parse_count("1 sample", "samples").value == 1);
  CHECK(parse_count("1024tokens", "tokens").value == 1024);
  CHECK(parse_count("2e3 tokens", "tokens").value == 2000);
}
