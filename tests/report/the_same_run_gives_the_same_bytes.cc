// Every format, twice; and a timeline on the side changes none of them.

#include "sim/trace/check_trace.h"
#include "tests/report/small_scenarios.h"

using namespace brigade;

TEST_CASE("two runs print the same") {
  for (const Format& format : formats()) {
    const std::string once = format.print(finish(kTwoGpus + kBench + kTrain).report());
    CHECK(once == format.print(finish(kTwoGpus + kBench + kTrain).report()));
  }
}

TEST_CASE("a timeline changes no figure") {
  const Scratch scratch;
  const std::string file = scratch.write("tiny.yaml", kTwoGpus + kBench + kTrain);
  const auto json = [&](const TraceOptions& trace) {
    Diagnostics errors;
    const auto session = Session::open({.file = file, .trace = trace}, errors);
    REQUIRE(session != nullptr);
    const RunResult result = session->run();
    if (session->trace()) REQUIRE_FALSE(session->write_trace().has_value());
    return print_json({.scenario = session->scenario(), .topology = session->topology(), .result = result});
  };
  const std::string without = json({});
  for (const char* level : {"job", "collective", "message", "segment"}) {
    const std::string trace = scratch.path("t.json");
    CHECK(json({.file = trace, .level = level}) == without);
    CHECK(check_trace_file(trace).violations == std::vector<std::string>{});
  }
}

TEST_CASE("every format has a name of its own and prints something") {
  const Finished run = finish(kTwoGpus + kBench);
  std::vector<std::string> names;
  for (const Format& format : formats()) {
    CHECK(std::find(names.begin(), names.end(), format.name) == names.end());
    names.push_back(format.name);
    const std::string text = format.print(run.report());
    CHECK(text.ends_with("\n"));
    CHECK(text.find("bench") != std::string::npos);
  }
}
