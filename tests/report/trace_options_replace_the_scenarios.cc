// The timeline as scenario and command line ask for it together; mistakes name the option.
#include "sim/report/trace_options.h"

#include "tests/report/small_scenarios.h"

using namespace brigade;

namespace {

Scenario traced() {
  Scenario scenario;
  scenario.trace = TraceSpec{.file = "a.json",
                             .level = TraceLevel::kJob,
                             .ranks = {{0, 1}},
                             .window_begin = {},
                             .window_end = Time{5},
                             .at = {}};
  return scenario;
}

}  // namespace

TEST_CASE("without options the scenario decides") {
  Diagnostics errors;
  CHECK_FALSE(trace_of(Scenario{}, {}, errors).has_value());
  const auto trace = trace_of(traced(), {}, errors);
  REQUIRE(trace.has_value());
  CHECK(trace->file == "a.json");
  CHECK(trace->level == TraceLevel::kJob);
  CHECK_FALSE(trace_of(traced(), {.off = true}, errors).has_value());
  CHECK(errors.ok());
}

TEST_CASE("each option replaces one thing") {
  Diagnostics errors;
  const auto trace = trace_of(
      traced(), {.file = "b.json", .level = "segment", .ranks = "1,3-4", .window = "1us:2.5 us"}, errors);
  REQUIRE(trace.has_value());
  CHECK(trace->file == "b.json");
  CHECK(trace->level == TraceLevel::kSegment);
  REQUIRE(trace->ranks.size() == 2);
  CHECK(trace->ranks[1].first == 3);
  CHECK(trace->ranks[1].last == 4);
  CHECK(trace->window_begin == Time{1'000'000});
  CHECK(trace->window_end == Time{2'500'000});
  const auto level_only = trace_of(traced(), {.level = "message"}, errors);
  CHECK(level_only->file == "a.json");
  CHECK(level_only->window_end == Time{5});
  CHECK(errors.ok());
}

TEST_CASE("the chosen ranks are those of the recorder") {
  TraceSpec trace;
  trace.ranks = {{1, 2}, {5, 5}};
  CHECK(recorder_options(trace, 6).ranks == std::vector<bool>{false, true, true, false, false, true});
  Diagnostics errors;
  check_trace_ranks(trace, 6, errors);
  CHECK(errors.ok());
  check_trace_ranks(trace, 5, errors);
  CHECK(errors.text() == "error: rank 5 of the timeline is out of range; allowed: 0 to 4\n");
}

TEST_CASE("mistakes name the option") {
  const auto [options, message] = GENERATE(table<TraceOptions, std::string>({
      {{.level = "mesage"}, "--trace-level: error: unknown level \"mesage\"; did you mean \"message\"?\n"},
      {{.ranks = "0-"}, "--ranks: error: \"0-\" is not a list of ranks; allowed: 3, or 0-7, or 1,5-6\n"},
      {{.window = "5ms"}, "--window: error: \"5ms\" is no window; allowed: BEGIN:END, such as 0us:5ms\n"},
      {{.window = "5ms:5ms"},
       "--window: error: \"5ms:5ms\" does not end after it begins; allowed: BEGIN:END\n"},
      {{.window = "0us:5"}, "--window: error: \"5\" needs a unit: ps, ns, us, ms, s, min, h\n"},
      {{.off = true, .file = "b"}, "--trace: error: contradicts --no-trace; allowed: one of them\n"},
  }));
  Diagnostics errors;
  trace_of(traced(), options, errors);
  CHECK(errors.text() == message);
}

TEST_CASE("options of no timeline are refused") {
  Diagnostics errors;
  CHECK_FALSE(trace_of(Scenario{}, {.level = "job", .window = "0us:1us"}, errors).has_value());
  CHECK(errors.text() ==
        "--trace-level: error: no timeline is written; add --trace FILE\n"
        "--window: error: no timeline is written; add --trace FILE\n");
}
