// Level, ranks and window: what is left out, and that no arrow is left half.
#include "sim/trace/timeline.h"
#include "tests/catch.h"

namespace brigade {
namespace {

constexpr Time us(int64_t n) { return Time{} + microseconds(n); }

TEST_CASE("a level wants itself and the ones before it") {
  const auto all = {TraceLevel::kJob, TraceLevel::kCollective, TraceLevel::kMessage, TraceLevel::kSegment};
  for (const TraceLevel level : all) {
    const Recorder recorder({.level = level});
    for (const TraceLevel asked : all) CHECK(recorder.wants(asked) == (asked <= level));
  }
}

TEST_CASE("ranks that are not chosen drop their records, and the others keep their process numbers") {
  Recorder recorder({.ranks = {false, true, false, true}});
  const NameId name = recorder.name("x");
  std::vector<TrackId> tracks;
  for (Rank rank = 0; rank < 6; ++rank) {
    const ProcessId process = recorder.rank_process(rank, "rank " + std::to_string(rank));
    CHECK(process == rank);
    tracks.push_back(recorder.track(process, "comm"));
    CHECK((tracks.back() == kNoTrack) == !recorder.wants_rank(rank));
    recorder.slice(tracks.back(), name, name, us(0), us(10), {{"bytes", 1, ""}});
    recorder.counter(process, name, recorder.name("%"), us(1), 50);
  }
  const ProcessId network = recorder.process("network");
  const TrackId link = recorder.track(network, "link");
  recorder.slice(link, name, name, us(0), us(10));
  for (const TrackId track : tracks) {
    recorder.flow(name, link, us(1), track, us(2));
    recorder.flow(name, track, us(1), link, us(2));
    recorder.flow(name, tracks[1], us(1), track, us(2));
  }
  CHECK(Timeline(recorder).counts() ==
        TraceCounts{{{"rank 1 / comm", 1}, {"rank 3 / comm", 1}, {"network / link", 1}}, 6, 2});
}

TEST_CASE("every rank is wanted where none is named") {
  const Recorder recorder;
  CHECK((recorder.wants_rank(0) && recorder.wants_rank(65'535)));
}

struct Row {
  int64_t begin_us, end_us;
  bool kept;
};

TEST_CASE("a window [10, 20) keeps the slices that reach into it, whole") {
  const Row row = GENERATE(values<Row>({
      {0, 9, false},
      {0, 10, true},
      {5, 15, true},
      {0, 30, true},
      {10, 10, true},
      {12, 18, true},
      {19, 30, true},
      {20, 20, false},
      {20, 30, false},
  }));
  Recorder recorder({.window_begin = us(10), .window_end = us(20)});
  const TrackId track = recorder.track(recorder.process("p"), "t");
  const NameId name = recorder.name("x");
  recorder.slice(track, name, name, us(row.begin_us), us(row.end_us));
  INFO(row.begin_us << " to " << row.end_us);
  REQUIRE(recorder.slices().size() == (row.kept ? 1 : 0));
  if (!row.kept) return;
  CHECK(recorder.slices()[0].begin == us(row.begin_us));
  CHECK(recorder.slices()[0].end == us(row.end_us));
}

TEST_CASE("counters and arrows stay where they lie in the window, arrows with both ends") {
  Recorder recorder({.window_begin = us(10), .window_end = us(20)});
  const ProcessId process = recorder.process("p");
  const TrackId track = recorder.track(process, "t");
  const NameId name = recorder.name("x");
  for (int64_t at = 0; at < 30; at += 5) recorder.slice(track, name, name, us(at), us(at + 5));
  for (int64_t from = 0; from <= 30; ++from) {
    recorder.counter(process, name, recorder.name("%"), us(from), 1);
    for (int64_t to = from; to <= 30; ++to) recorder.flow(name, track, us(from), track, us(to));
  }
  CHECK(recorder.counters().size() == 10);
  CHECK(Timeline(recorder).arrows().size() == 55);
}

}  // namespace
}  // namespace brigade
