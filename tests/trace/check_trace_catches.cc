// The checker finds each kind of violation, and finds nothing in the trace that they were made from.
#include "absl/strings/match.h"
#include "sim/trace/check_trace.h"
#include "tests/catch.h"

namespace brigade {
namespace {

const std::string kNames =
    R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"rank 0"}},
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"compute"}},
{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"comm"}},)";
const std::string kFirst =
    R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"a","cat":"k","args":{"bytes":1}})";
const std::string kChild = R"({"ph":"X","pid":1,"tid":1,"ts":2,"dur":8,"name":"b","cat":"k"})";
const std::string kOther = R"({"ph":"X","pid":1,"tid":2,"ts":10,"dur":0.125,"name":"c","cat":"k"})";
const std::string kStart = R"({"ph":"s","pid":1,"tid":1,"ts":2,"name":"go","cat":"flow","id":1})";
const std::string kEnd = R"({"ph":"f","pid":1,"tid":2,"ts":10,"name":"go","cat":"flow","id":1,"bp":"e"})";
const std::string kUse = R"({"ph":"C","pid":1,"ts":0,"name":"use","args":{"%":1}})";

std::string trace(const std::string& events) { return "{\"seed\":1,\"traceEvents\":[" + events + "]}"; }
std::string all() {
  return kNames + kFirst + "," + kChild + "," + kOther + "," + kStart + "," + kEnd + "," + kUse;
}

TEST_CASE("the good trace has no violation") {
  const TraceCheck check = check_trace_text(trace(all()));
  CHECK(check.violations == std::vector<std::string>{});
  CHECK(check.counts == TraceCounts{{{"rank 0 / compute", 2}, {"rank 0 / comm", 1}}, 1, 1});
}

// A piece of the good trace, and what stands there instead.
struct Change {
  std::string from, to;
};

TEST_CASE("one change, the violation it makes") {
  const auto without = [](const std::string& event) { return Change{"," + event, ""}; };
  const auto changed = [](const std::string& event, const std::string& from, const std::string& to) {
    std::string copy = event;
    return Change{event, copy.replace(copy.find(from), from.size(), to)};
  };
  const std::vector<std::pair<Change, std::string>> rows = {
      {changed(kFirst, R"(,"dur":10)", ""), "no dur"},
      {changed(kFirst, R"("dur":10)", R"("dur":-1)"), "dur -1 is not a number from 0 on"},
      {changed(kFirst, R"("dur":10)", R"("dur":"10")"), "dur \"10\" is not a number from 0 on"},
      {changed(kFirst, R"("ts":0)", R"("ts":0.0001)"), "ts 0.0001 has more than 3 decimals"},
      {changed(kFirst, R"("ts":0)", R"("ts":1e999)"), "not JSON"},
      {changed(kFirst, R"("ts":0)", R"("ts":NaN)"), "not JSON"},
      {changed(kFirst, R"("pid":1)", R"("pid":"1")"), "pid \"1\" is not an integer from 1 on"},
      {changed(kFirst, R"("pid":1)", R"("pid":0)"), "pid 0 is not an integer from 1 on"},
      {changed(kFirst, R"("tid":1)", R"("tid":1.5)"), "tid 1.5 is not an integer from 1 on"},
      {changed(kFirst, R"("tid":1,)", ""), "no tid"},
      {changed(kFirst, R"("tid":1)", R"("tid":3)"), "pid 1 tid 3 has no thread_name"},
      {changed(kFirst, R"("pid":1)", R"("pid":2)"), "pid 2 has no process_name"},
      {changed(kFirst, R"("name":"a")", R"("name":"")"), "name is missing, empty or no string"},
      {changed(kFirst, R"("cat":"k",)", ""), "cat is missing, empty or no string"},
      {changed(kFirst, R"("bytes":1)", R"("bytes":[1])"), "args.bytes is neither number nor text"},
      {changed(kFirst, R"("ph":"X")", R"("ph":"B")"), "phase B is none of M, X, s, f, C"},
      {changed(kFirst, R"("ph":"X",)", ""), "ph is missing, empty or no string"},
      {changed(kChild, R"("dur":8)", R"("dur":8.001)"), "b overlaps the slice around it without nesting"},
      {{kFirst + "," + kChild, kChild + "," + kFirst}, "a begins before the slice ahead of it"},
      {without(kOther), "pid 1 tid 2 is named but holds nothing"},
      {without(kOther), "end of flow 1 lies in no slice"},
      {without(kStart), "flow 1 has 0 s and 1 f"},
      {without(kEnd), "flow 1 has 1 s and 0 f"},
      {{kStart, kStart + "," + kStart}, "flow 1 has 2 s and 1 f"},
      {{kStart + "," + kEnd, kEnd + "," + kStart}, "f of flow 1 stands before its s"},
      {changed(kStart, R"("ts":2)", R"("ts":10.001)"), "end of flow 1 lies in no slice"},
      {changed(kEnd, R"("ts":10)", R"("ts":1)"), "flow 1 points back in time"},
      {changed(kEnd, R"(,"bp":"e")", ""), "f without bp e"},
      {changed(kEnd, R"("id":1)", R"("id":"1")"), "flow id is missing or no integer"},
      {changed(kEnd, R"("name":"go")", R"("name":"come")"), "flow id 1 has two names or categories"},
      {changed(kUse, R"("%")", R"("use")"), "counter key use is not a unit"},
      {changed(kUse, R"(:1})", R"(:"1"})"), "counter value \"1\" is not a number from 0 on"},
      {changed(kUse, R"(:1})", R"(:-1})"), "counter value -1 is not a number from 0 on"},
      {changed(kUse, R"("%":1)", ""), "counter without values"},
      {{kUse, R"({"ph":"C","pid":1,"ts":5,"name":"use","args":{"%":1}},)" + kUse},
       "counter use goes back in time"},
      {{kNames, kNames + kNames}, "named twice"},
      {{R"("name":"thread_name")", R"("name":"process_labels")"}, "metadata process_labels is not known"},
      {{kUse, kUse + R"(,{"ph":"M","pid":1,"name":"process_sort_index","args":{"sort_index":3000000000}})"},

       "sort_index is not a 32-bit integer"},
      {{kUse, kUse + ",3"}, "not an object"},
      {{kUse, kUse + ","}, "not JSON"},
      {{kUse, kUse + ",[]"}, "no object with an array traceEvents"},
  };
  for (const auto& [change, violation] : rows) {
    std::string text = all();
    const size_t at = text.find(change.from);
    REQUIRE(at != std::string::npos);
    text.replace(at, change.from.size(), change.to);
    std::string found;
    for (const auto& line : check_trace_text(trace(text)).violations) found += line + "\n";
    INFO(text << "\nfound: " << found << "expected: " << violation);
    CHECK(absl::StrContains(found, violation));
  }
}

TEST_CASE("what is no trace") {
  for (const char* text : {"", "{}", "[]", R"({"traceEvents":3})", R"({"traceEvents":[)"}) {
    INFO(text);
    CHECK(check_trace_text(text).violations.size() == 1);
  }
  CHECK(check_trace_file("/nowhere/t.json").violations ==
        std::vector<std::string>{"cannot read /nowhere/t.json"});
}

}  // namespace
}  // namespace brigade
