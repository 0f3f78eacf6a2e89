// Which slice holds the end of an arrow, and at which instant it is written.
#include "sim/trace/timeline.h"
#include "tests/catch.h"

namespace brigade {
namespace {

constexpr Time us(int64_t n) { return Time{} + microseconds(n); }

struct Row {
  const char* what;
  Time from_at, to_at;
  int64_t from_us_ns, to_us_ns;  // as written, in ns
};

TEST_CASE("an end moves to the begin of its slice where that says the same") {
  // from: [0 10] [10 20 with [12 20] inside] [20 30 with [20 25] inside]; to: [0 40 with [5 40] inside] [40
  // 50]
  const Row row = GENERATE(values<Row>({
      {"leaves the slice that ends there, not the one that begins", us(10), us(45), 0, 40'000},
      {"leaves the innermost slice", us(20), us(45), 12'000, 40'000},
      {"leaves a slice whose child begins with it: stays, within the slice", us(30), us(45), 29'999, 40'000},
      {"leaves from the only slice that begins there", us(0), us(45), 0, 40'000},
      {"enters the slice that begins there, not the one that ends", us(5), us(40), 0, 40'000},
      {"enters the innermost slice", us(3), us(20), 0, 5'000},
      {"enters the end of the last slice", us(3), us(50), 0, 40'000},
      {"enters a slice that began before the other: stays", us(15), us(18), 12'000, 18'000},
      {"both at one instant", us(20), us(20), 12'000, 20'000},
  }));
  INFO(row.what);
  Recorder recorder;
  const ProcessId process = recorder.process("rank 0");
  const TrackId from = recorder.track(process, "from"), to = recorder.track(process, "to");
  const NameId name = recorder.name("x");
  const auto add = [&](TrackId track, int64_t begin, int64_t end) {
    recorder.slice(track, name, name, us(begin), us(end));
  };
  add(from, 0, 10), add(from, 10, 20), add(from, 12, 20), add(from, 20, 30), add(from, 20, 25);
  add(to, 0, 40), add(to, 5, 40), add(to, 40, 50);
  recorder.flow(name, from, row.from_at, to, row.to_at);
  const Timeline timeline(recorder);
  REQUIRE(timeline.arrows().size() == 1);
  CHECK(timeline.arrows()[0].from_ns == row.from_us_ns);
  CHECK(timeline.arrows()[0].to_ns == row.to_us_ns);
}

}  // namespace
}  // namespace brigade
