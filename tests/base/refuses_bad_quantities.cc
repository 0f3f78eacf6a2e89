// What is wrong with a quantity is said in words that follow the text: `"25 Mb" has an unknown unit "Mb";
// ...`.
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "tests/catch.h"

using namespace brigade;

namespace {

struct Row {
  std::string text, error;
};

const std::string kByteUnits = "B, KB, MB, GB, TB, PB, KiB, MiB, GiB, TiB";

template <class Parse>
void check_rows(const std::vector<Row>& rows, Parse parse) {
  for (const auto& [text, error] : rows) {
    CAPTURE(text);
    const auto parsed = parse(text);
    CHECK_FALSE(parsed.value);
    CHECK(parsed.error == error);
  }
}

}  // namespace

TEST_CASE("bad amounts of bytes are refused") {
  check_rows(
      {
          {"", "is empty"},
          {"   ", "is empty"},
          {"25", "needs a unit: " + kByteUnits},
          {"0", "needs a unit: " + kByteUnits},
          {"MB", "is not a number"},
          {".", "is not a number"},
          {". MB", "is not a number"},
          {"many MB", "is not a number"},
          {"+5 MB", "is not a number"},
          {"inf B", "is not a number"},
          {"-", "is not a number"},
          {"-5 MB", "is negative"},
          {"-0 B", "is negative"},
          {"25 Mb", "has an unknown unit \"Mb\"; allowed: " + kByteUnits},
          {"25 kB", "has an unknown unit \"kB\"; allowed: " + kByteUnits},
          {"25 MB/s", "has an unknown unit \"MB/s\"; allowed: " + kByteUnits},
          {"0x10 B", "has an unknown unit \"x10 B\"; allowed: " + kByteUnits},
          {"1,000 B", "has an unknown unit \",000 B\"; allowed: " + kByteUnits},
          {"1 000 B", "has an unknown unit \"000 B\"; allowed: " + kByteUnits},
          {"1.2.3 B", "has an unknown unit \".3 B\"; allowed: " + kByteUnits},
          {"1e B", "has an unknown unit \"e B\"; allowed: " + kByteUnits},
          {"1e+ B", "has an unknown unit \"e+ B\"; allowed: " + kByteUnits},
          {"0.5 B", "is not a whole number of bytes"},
          {"0.3 KiB", "is not a whole number of bytes"},
          {"1.0001 KB", "is not a whole number of bytes"},
          {"1e-40 B", "is not a whole number of bytes"},
          {"1152921504606846977 B", "is beyond the limit of 2^60 bytes"},
          {"1152921504606846976.5 B", "is beyond the limit of 2^60 bytes"},
          {"1153 PB", "is beyond the limit of 2^60 bytes"},
          {"1048576.5 TiB", "is beyond the limit of 2^60 bytes"},
          {"9223372036854775808 B", "is beyond the limit of 2^60 bytes"},
          {"18446744073709551617 B", "is beyond the limit of 2^60 bytes"},
          {"1e30 PB", "is beyond the limit of 2^60 bytes"},
          {"1e99999999999 B", "is beyond the limit of 2^60 bytes"},
          {"99999999999999999999 PB", "is beyond the limit of 2^60 bytes"},
          {"100000000000000000000000000000000000000000 B", "is beyond the limit of 2^60 bytes"},
          {"123456789012345678901 B", "has more than 20 significant digits"},
      },
      parse_bytes);
}

TEST_CASE("bad bandwidths are refused") {
  const std::string units =
      "B/s, KB/s, MB/s, GB/s, TB/s, PB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, Kb/s, Mb/s, Gb/s, Tb/s";
  check_rows({{"0 GB/s", "is zero; a bandwidth is above zero"},
              {"50", "needs a unit: " + units},
              {"50 GB", "has an unknown unit \"GB\"; allowed: " + units},
              {"50 Gbps", "has an unknown unit \"Gbps\"; allowed: " + units},
              {"-1 GB/s", "is negative"},
              {"1 b/s", "is not a whole number of bytes per second"},
              {"1.0000000001 GB/s", "is not a whole number of bytes per second"},
              {"1153 PB/s", "is beyond the limit of 2^60 B/s"}},
             parse_bandwidth);
}

TEST_CASE("bad durations are refused") {
  const std::string units = "ps, ns, us, ms, s, min, h";
  check_rows({{"5", "needs a unit: " + units},
              {"5 sec", "has an unknown unit \"sec\"; allowed: " + units},
              {"5 Ms", "has an unknown unit \"Ms\"; allowed: " + units},
              {"-5 us", "is negative"},
              {"0.5 ps", "is not a whole number of picoseconds"},
              {"2.5004 ns", "is not a whole number of picoseconds"},
              {"720.1 h", "is beyond the limit of 30 days"},
              {"2592000.000000000001 s", "is beyond the limit of 30 days"}},
             parse_duration);
}

TEST_CASE("bad rates, percentages and counts are refused") {
  const std::string units = "FLOP/s, KFLOP/s, MFLOP/s, GFLOP/s, TFLOP/s, PFLOP/s";
  check_rows({{"989", "needs a unit: " + units},
              {"989 TFLOPS", "has an unknown unit \"TFLOPS\"; allowed: " + units},
              {"1.5 FLOP/s", "is not a whole number of FLOP/s"},
              {"1e10 PFLOP/s", "is beyond the limit of 10^21 FLOP/s"}},
             parse_flop_per_s);
  check_rows({{"45", "needs a unit: %"},
              {"0.45", "needs a unit: %"},
              {"45 percent", "has an unknown unit \"percent\"; allowed: %"},
              {"-1 %", "is negative"},
              {"1000001 %", "is beyond the limit of 1000000 %"},
              {"1e7 %", "is beyond the limit of 1000000 %"},
              {"1e-99 %", "has too many decimals"}},
             parse_percent);
  check_rows({{"8", "needs a unit: samples"},
              {"8 tokens", "has an unknown unit \"tokens\"; allowed: samples"},
              {"1.5 samples", "is not a whole number of samples"},
              {"-8 samples", "is negative"},
              {"2e18 samples", "is beyond the limit of 2^60"}},
             [](const std::string& text) { return parse_count(text, "samples"); });
}
