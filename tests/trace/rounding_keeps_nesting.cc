// Random nested timelines at the grain of picoseconds, where rounding to nanoseconds matters most: every file
// is valid, holds what was recorded, and no begin or end has moved by more than half a nanosecond.

#include "sim/base/random.h"
#include "sim/trace/check_trace.h"
#include "sim/trace/chrome_trace.h"
#include "tests/trace/scratch.h"

namespace brigade {
namespace {

// Cuts [begin, end) into pieces that touch or leave gaps, some of no length, and recurses into each.
void fill(Recorder& recorder, Random& random, TrackId track, Time begin, Time end, int depth) {
  const NameId name = recorder.name("depth " + std::to_string(depth));
  Time at = begin;
  while (at < end) {
    const Time until = std::min(end, at + picoseconds(random.between(0, (end - begin).ps / 2 + 1)));
    const bool leave_gap = random.below(3) == 0;
    if (!leave_gap) {
      recorder.slice(track, name, name, at, until);
      if (depth < 3) fill(recorder, random, track, at, until, depth + 1);
    }
    if (until == at && leave_gap) ++at.ps;
    at = until > at ? until : at;
  }
}

TEST_CASE("random timelines stay nested when they are rounded") {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Recorder recorder;
    const ProcessId process = recorder.process("rank 0");
    std::vector<TrackId> tracks;
    for (int i = 0; i < 3; ++i) {
      tracks.push_back(recorder.track(process, "track " + std::to_string(i)));
      const Time begin{random.between(0, 3'000)};
      fill(recorder, random, tracks.back(), begin, begin + picoseconds(random.between(1, 60'000)), 0);
    }
    const NameId arrow = recorder.name("arrow");
    const auto instant_in = [&](const Recorder::Slice& slice) {
      return Time{random.between(slice.begin.ps, slice.end.ps)};
    };
    for (int i = 0; i < 50 && !recorder.slices().empty(); ++i) {
      const auto& a = recorder.slices()[random.below(recorder.slices().size())];
      const auto& b = recorder.slices()[random.below(recorder.slices().size())];
      const Time from = instant_in(a), to = instant_in(b);
      if (from <= to) recorder.flow(arrow, a.track, from, b.track, to);
    }

    const Scratch scratch;
    const std::string path = scratch.path("t.json");
    REQUIRE(!write_chrome_trace(recorder, {"random", seed}, path));
    const TraceCheck check = check_trace_file(path);
    REQUIRE(check.violations == std::vector<std::string>{});
    REQUIRE(check.counts == Timeline(recorder).counts());
    REQUIRE(check.counts.flows == static_cast<int64_t>(recorder.flows().size()));
  }
}

TEST_CASE("begin and end are rounded to the nearest nanosecond, half up") {
  struct Row {
    int64_t begin_ps, end_ps;
    const char* written;
  };
  const Row row = GENERATE(values<Row>({
      {0, 0, R"("ts":0,"dur":0)"},
      {499, 500, R"("ts":0,"dur":0.001)"},
      {500, 1'499, R"("ts":0.001,"dur":0)"},
      {1'400, 2'600, R"("ts":0.001,"dur":0.002)"},  // the duration alone would round to 0.001
      {1'000'000, 1'010'000, R"("ts":1,"dur":0.01)"},
      {1'100'000, 3'000'000, R"("ts":1.1,"dur":1.9)"},
      {2'592'000'000'000'000'000, 2'592'000'000'000'001'000, R"("ts":2592000000000,"dur":0.001)"},
  }));
  Recorder recorder;
  const TrackId track = recorder.track(recorder.process("p"), "t");
  recorder.slice(track, recorder.name("x"), recorder.name("c"), Time{row.begin_ps}, Time{row.end_ps});
  const Scratch scratch;
  REQUIRE(!write_chrome_trace(recorder, {}, scratch.path("t.json")));
  INFO(read_file(scratch.path("t.json")));
  CHECK(read_file(scratch.path("t.json")).find(row.written) != std::string::npos);
  CHECK(check_trace_file(scratch.path("t.json")).violations.empty());
}

}  // namespace
}  // namespace brigade
