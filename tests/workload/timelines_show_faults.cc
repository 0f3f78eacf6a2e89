// Timed changes leave marks in the timeline: a slice for as long as a link is slow or dead, a rank slow or
// stopped.
#include <tuple>

#include "tests/trace/checked_trace.h"
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

using Mark = std::tuple<std::string, std::string, int64_t, int64_t>;  // track, name, begin and end in us

std::vector<Mark> marks_of(const Recorder& recorder) {
  std::vector<Mark> marks;
  for (const Recorder::Slice& s : recorder.slices())
    if (recorder.text(s.category) == "change")
      marks.emplace_back(recorder.tracks()[s.track].name, recorder.text(s.name), s.begin.ps / 1'000'000,
                         s.end.ps / 1'000'000);
  return marks;
}

LinkChange slow(const std::string& links, double share, int64_t begins_us, int64_t ends_us) {
  LinkChange c;
  c.links = links;
  c.bandwidth_share = share;
  c.begins = Time{} + microseconds(begins_us);
  if (ends_us > 0) c.ends = Time{} + microseconds(ends_us);
  return c;
}

RankChange of_rank(double share, bool stops, int64_t begins_us, int64_t ends_us) {
  RankChange c = change("1", share);
  c.stops = stops;
  c.begins = Time{} + microseconds(begins_us);
  c.ends = Time{} + microseconds(ends_us);
  return c;
}

void record(Recorder& recorder, const std::vector<LinkChange>& links, const std::vector<RankChange>& ranks) {
  run_jobs(*small_cluster(2), {job_on("gpu[*]", small_ddp())}, {}, ranks, {.recorder = &recorder}, links);
}

}  // namespace

TEST_CASE("a link that changes has a slice for each of its states") {
  LinkChange dead = slow("gpu[0] -> switch[0]", 1, 30, 40);
  dead.bandwidth_share.reset();
  dead.down = true;
  Recorder recorder;
  record(recorder,
         {slow("gpu[0] -> switch[0]", 0.5, 10, 20), slow("gpu[0] -> switch[0]", 0.5, 15, 25), dead,
          slow("gpu[1] -> switch[0]", 0.125, 60, 0), slow("gpu[1] -> switch[0]", 0.5, 5000, 6000)},
         {});
  const std::string first = "changes of gpu[0] -> switch[0]", second = "changes of gpu[1] -> switch[0]";
  const std::vector<Mark> marks = marks_of(recorder);
  REQUIRE(marks.size() == 5);
  CHECK(marks[0] == Mark{first, "50 %", 10, 15});
  CHECK(marks[1] == Mark{first, "25 %", 15, 20});
  CHECK(marks[2] == Mark{first, "50 %", 20, 25});
  CHECK(marks[3] == Mark{first, "dead", 30, 40});
  // Until the run ends; what comes later does not show.
  CHECK(std::get<0>(marks[4]) == second);
  CHECK(std::get<1>(marks[4]) == "12.5 %");
  CHECK(std::get<2>(marks[4]) == 60);
  CHECK(std::get<3>(marks[4]) >= 96);
  checked_trace(recorder);
}

TEST_CASE("a rank that changes has them in its own process") {
  Recorder recorder;
  record(recorder, {}, {of_rank(0.5, false, 10, 30), of_rank(1, true, 40, 45)});
  CHECK(marks_of(recorder) == std::vector<Mark>{{"changes", "50 %", 10, 30}, {"changes", "stopped", 40, 45}});
  for (const Recorder::Track& t : recorder.tracks())
    if (t.name == "changes") CHECK(holds(recorder.processes()[t.process].name, "rank 1"));
}

TEST_CASE("without changes there is no track of them") {
  Recorder recorder;
  record(recorder, {}, {});
  for (const Recorder::Track& t : recorder.tracks()) CHECK_FALSE(holds(t.name, "changes"));
}
