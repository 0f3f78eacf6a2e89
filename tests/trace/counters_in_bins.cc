// Counters of links: use in % and queues in KB, over bins that grow with the run.
#include <algorithm>
#include <cmath>

#include "sim/base/random.h"
#include "sim/trace/counters.h"
#include "tests/catch.h"

namespace brigade {
namespace {

constexpr Time us(int64_t n) { return Time{} + microseconds(n); }
constexpr Time kStart{};

using Values = std::vector<std::pair<int64_t, double>>;  // time in ps, value
Values values_of(const Recorder& recorder) {
  Values values;
  for (const auto& counter : recorder.counters()) values.push_back({counter.at.ps, counter.value});
  return values;
}

TEST_CASE("use of four bins of 2^18 ps") {
  Recorder recorder;
  UtilizationCounter counter(kStart, kNever, 4);
  const int64_t bin = 1 << 18;
  counter.busy(Time{bin}, Time{2 * bin});
  counter.busy(Time{2 * bin}, Time{2 * bin + bin / 4});
  counter.write(recorder, recorder.process("network"), recorder.name("up use"), Time{4 * bin});
  CHECK(values_of(recorder) == Values{{bin, 100}, {2 * bin, 25}, {3 * bin, 0}});
  CHECK(recorder.text(recorder.counters()[0].key) == "%");
}

TEST_CASE("the last bin counts as long as it lasts, and then the counter is 0") {
  Recorder recorder;
  UtilizationCounter counter(kStart, kNever, 2);
  counter.busy(Time{512}, Time{768});
  counter.write(recorder, recorder.process("network"), recorder.name("use"), Time{768});
  CHECK(values_of(recorder) == Values{{512, 100}, {768, 0}});
}

TEST_CASE("use is rounded to 3 decimals, and what was never busy writes nothing") {
  Recorder recorder;
  UtilizationCounter busy(kStart, kNever, 2), idle(kStart, kNever, 2);
  busy.busy(Time{0}, Time{1});
  busy.write(recorder, recorder.process("network"), recorder.name("use"), Time{3});
  idle.write(recorder, 0, recorder.name("idle"), Time{3});
  CHECK(values_of(recorder) == Values{{0, 50}, {2, 0}});
  CHECK(recorder.counters().size() == 2);
}

TEST_CASE("a window cuts intervals off at its ends") {
  Recorder recorder({.window_begin = us(10), .window_end = us(20)});
  UtilizationCounter counter(us(10), us(20), 2);
  counter.busy(us(0), us(12));
  counter.busy(us(18), us(40));
  counter.write(recorder, recorder.process("network"), recorder.name("use"), us(50));
  REQUIRE(recorder.counters().size() == 2);
  CHECK(recorder.counters()[0].at == us(10));
}

// Busy time is the sum of value x length over the bins, whatever the intervals and their order.
TEST_CASE("no busy time is lost or made up, and the order of intervals does not matter") {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    std::vector<std::pair<Time, Time>> intervals;
    Time at{};
    Duration busy{};
    while (intervals.size() < 50) {
      const Time begin = at + picoseconds(random.between(0, 5'000'000));
      at = begin + picoseconds(random.between(0, 3'000'000));
      intervals.push_back({begin, at});
      busy += at - begin;
    }
    const Time end = at + picoseconds(random.between(0, 4'000'000));
    UtilizationCounter forwards(kStart, kNever, 16), backwards(kStart, kNever, 16);
    for (const auto& [from, to] : intervals) forwards.busy(from, to);
    std::reverse(intervals.begin(), intervals.end());
    for (const auto& [from, to] : intervals) backwards.busy(from, to);
    Recorder a, b;
    forwards.write(a, a.process("network"), a.name("use"), end);
    backwards.write(b, b.process("network"), b.name("use"), end);
    CHECK(values_of(a) == values_of(b));
    CHECK(a.counters().size() <= 17);
    double seen_ps = 0;
    for (size_t i = 0; i + 1 < a.counters().size(); ++i) {
      seen_ps += a.counters()[i].value / 100 * double((a.counters()[i + 1].at - a.counters()[i].at).ps);
    }
    CHECK(std::abs(seen_ps - double(busy.ps)) <= 1e-4 * double(busy.ps));
  }
}

TEST_CASE("a queue shows the most that waits in each bin, and holds its depth between changes") {
  Recorder recorder;
  QueueCounter queue(kStart, kNever, 4);
  const int64_t bin = 1 << 18;
  queue.set(Time{10}, kilobytes(64));
  queue.set(Time{20}, kilobytes(128));
  queue.set(Time{20}, kilobytes(192));  // 128 KB waited for no time
  queue.set(Time{30}, kilobytes(64));
  queue.set(Time{3 * bin}, Bytes{0});
  queue.write(recorder, recorder.process("network"), recorder.name("queue"), Time{4 * bin});
  CHECK(values_of(recorder) == Values{{0, 192}, {bin, 64}, {3 * bin, 0}});
  CHECK(recorder.text(recorder.counters()[0].key) == "KB");
}

TEST_CASE("units of counters") {
  for (const char* unit : {"%", "KB", "GB/s", "us", "messages"}) CHECK(is_counter_unit(unit));
  for (const char* other : {"", "use", "kb", "Kb", " KB"}) CHECK(!is_counter_unit(other));
}

}  // namespace
}  // namespace brigade
