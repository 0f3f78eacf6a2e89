// The writer's output, line by line, for a timeline small enough to read.
#include "sim/trace/check_trace.h"
#include "sim/trace/chrome_trace.h"
#include "tests/trace/sample.h"
#include "tests/trace/scratch.h"

namespace brigade {
namespace {

TEST_CASE("a hand-made timeline gives these lines") {
  Recorder recorder;
  const ProcessId rank = recorder.rank_process(0, "rank 0");
  const ProcessId network = recorder.process("network");
  const TrackId compute = recorder.track(rank, "compute");
  recorder.track(rank, "never used");
  const TrackId comm = recorder.track(rank, "comm \"nccl\"\n");
  const NameId work = recorder.name("work");
  recorder.slice(compute, recorder.name("layer"), work, Time{2'000'000}, Time{3'500'000});
  recorder.slice(compute, recorder.name("backward"), work, Time{2'000'000}, Time{9'123'456});
  recorder.slice(comm, recorder.name("all_reduce"), work, Time{4'000'000}, Time{9'000'400},
                 {{"bytes", 1e6, ""}, {"ratio", 0.1, ""}, {"algorithm", 7, "ring"}});
  recorder.flow(recorder.name("bucket"), compute, Time{3'500'000}, comm, Time{4'000'000});
  recorder.counter(network, recorder.name("up use"), recorder.name("%"), Time{1'500}, 12.5);

  const Scratch scratch;
  const std::string path = scratch.path("t.json");
  REQUIRE(write_chrome_trace(recorder, {.name = "hello", .seed = 7}, path) == IoError{});
  CHECK(
      read_file(path) ==
      R"({"schema":"brigade.chrome_trace","schema_version":1,"name":"hello","seed":7,"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","pid":1,"name":"process_name","args":{"name":"rank 0"}},
{"ph":"M","pid":1,"name":"process_sort_index","args":{"sort_index":0}},
{"ph":"M","pid":2,"name":"process_name","args":{"name":"network"}},
{"ph":"M","pid":2,"name":"process_sort_index","args":{"sort_index":1}},
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"compute"}},
{"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":0}},
{"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"comm \"nccl\"\u000a"}},
{"ph":"M","pid":1,"tid":3,"name":"thread_sort_index","args":{"sort_index":2}},
{"ph":"X","pid":1,"tid":1,"ts":2,"dur":7.123,"name":"backward","cat":"work"},
{"ph":"X","pid":1,"tid":1,"ts":2,"dur":1.5,"name":"layer","cat":"work"},
{"ph":"X","pid":1,"tid":3,"ts":4,"dur":5,"name":"all_reduce","cat":"work","args":{"bytes":1000000,"ratio":0.1,"algorithm":"ring"}},
{"ph":"s","pid":1,"tid":1,"ts":2,"name":"bucket","cat":"flow","id":1},
{"ph":"f","pid":1,"tid":3,"ts":4,"name":"bucket","cat":"flow","id":1,"bp":"e"},
{"ph":"C","pid":2,"ts":0.002,"name":"up use","args":{"%":12.5}}
]}
)");
  const TraceCheck check = check_trace_file(path);
  CHECK(check.violations == std::vector<std::string>{});
  CHECK(check.counts == Timeline(recorder).counts());
}

TEST_CASE("the sample of all kinds of records passes the checker, twice with the same bytes") {
  Recorder recorder, again;
  record_sample(recorder);
  record_sample(again);
  const Scratch scratch;
  REQUIRE(!write_chrome_trace(recorder, {"sample", 1}, scratch.path("a.json")));
  REQUIRE(!write_chrome_trace(again, {"sample", 1}, scratch.path("b.json")));
  CHECK(read_file(scratch.path("a.json")) == read_file(scratch.path("b.json")));
  const TraceCheck check = check_trace_file(scratch.path("a.json"));
  CHECK(check.violations == std::vector<std::string>{});
  CHECK(check.counts == Timeline(recorder).counts());
  CHECK(check.counts.flows == 5);
  CHECK(check.counts.slices_by_track.at("rank 1 / comm") == 6);
}

TEST_CASE("an empty timeline is a valid file") {
  const Scratch scratch;
  REQUIRE(!write_chrome_trace(Recorder{}, {}, scratch.path("t.json")));
  const TraceCheck check = check_trace_file(scratch.path("t.json"));
  CHECK(check.violations == std::vector<std::string>{});
  CHECK(check.counts == TraceCounts{});
}

}  // namespace
}  // namespace brigade
