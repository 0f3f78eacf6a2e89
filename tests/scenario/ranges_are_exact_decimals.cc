// Ranges of studies: the same text everywhere, no drift.
#include "absl/strings/str_join.h"
#include "sim/scenario/value_range.h"
#include "tests/catch.h"

using namespace brigade;

TEST_CASE("ranges") {
  struct Case {
    const char *from, *to, *step, *values;
  };
  for (const Case& c : {
           Case{"1 MB", "8 MB", "x2", "1 MB|2 MB|4 MB|8 MB"},
           Case{"1 KB", "5 KB", "x2", "1 KB|2 KB|4 KB"},
           Case{"1", "4", "+1", "1|2|3|4"},
           Case{"0", "1", "+0.25", "0|0.25|0.5|0.75|1"},
           Case{"0.1", "0.5", "+0.1", "0.1|0.2|0.3|0.4|0.5"},
           Case{"10 %", "30 %", "+10%", "10 %|20 %|30 %"},
           Case{"512 KB", "2 MB", "x2", "512 KB|1024 KB"},
           Case{"1 MiB", "2097152 B", "x2", "1 MiB|2 MiB"},
           Case{"1 MB", "1 GB", "+500 MB", "1 MB|501 MB"},
           Case{"1 MB", "1.2 MB", "+100 KB", "1 MB|1.1 MB|1.2 MB"},
           Case{"100 Gb/s", "400 Gb/s", "x2", "100 Gb/s|200 Gb/s|400 Gb/s"},
           Case{"8", "64", "x1.5", "8|12|18|27|41|61"},
           Case{"8 samples", "32 samples", "x2", "8 samples|16 samples|32 samples"},
           Case{"1 KB", "4 KB", "x1.5", "1 KB|1.5 KB|2.25 KB|3.375 KB"},
           Case{"1 B", "6 B", "x1.5", "1 B|2 B|3 B|5 B"},
           Case{"1 us", "1.7 us", "x1.3", "1 us|1.3 us|1.69 us"},
           Case{"3 MB", "3 MB", "+1 MB", "3 MB"},
       }) {
    const ValueRange range = range_of(c.from, c.to, c.step, 100);
    CAPTURE(c.from, c.to, c.step, range.error);
    CHECK(absl::StrJoin(range.values, "|") == c.values);
  }
  const ValueRange doubled = range_of("1 B", "1 TB", "x2", 100);
  CHECK(doubled.values.back() == "549755813888 B");
  CHECK(range_of("0", "100", "+0.001", 200'000).values.at(99'999) == "99.999");
}

TEST_CASE("what is no range says why") {
  struct Case {
    const char *from, *to, *step, *error;
  };
  for (const Case& c : {
           Case{"", "1", "+1", "from \"\" is no number"},
           Case{"1", "x", "+1", "to \"x\" is no number"},
           Case{"1", "2", "1", "step \"1\" is no step; allowed: x2, +1 MB"},
           Case{"1", "2", "x2 MB", "is no step"},
           Case{"1", "2", "-1", "is no step"},
           Case{"1 MB", "2", "+1 MB", "units of one kind"},
           Case{"1 MB", "2 MB", "+1 s", "units of one kind"},
           Case{"2", "1", "+1", "is below from"},
           Case{"1", "2", "+0", "does not lead"},
           Case{"1", "2", "x1", "does not lead"},
           Case{"0", "2", "x2", "does not lead"},
           Case{"1", "2", "x0.5", "does not lead"},
           Case{"0", "1000", "+1", "more than 100 values"},
           Case{"99999999999999999999", "1", "+1", "is no number"},
       }) {
    const ValueRange range = range_of(c.from, c.to, c.step, 100);
    CAPTURE(c.from, c.to, c.step, range.error);
    CHECK(range.values.empty());
    CHECK(range.error.find(c.error) != std::string::npos);
  }
}
