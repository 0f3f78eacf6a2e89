// Large traces are read in pieces: cuts fall between events, whatever is in their strings, and what is wrong
// anywhere is said as if the trace had been read in one go.
#include "sim/replay/json_pieces.h"
#include "tests/replay/synthetic_trace.h"
#include "tests/replay/traces.h"

using namespace brigade;

namespace {

// Elements of all pieces, joined, and the outline; "-" where the text is not cut.
std::string cut(const std::string& text, size_t piece) {
  const auto pieces = cut_trace(text, piece);
  if (!pieces) return "-";
  std::string all;
  for (const auto& [begin, end] : pieces->pieces)
    absl::StrAppend(&all, all.empty() ? "" : " | ", text.substr(begin, end - begin));
  return absl::StrCat(pieces->outline, " ", all, " ", pieces->elements);
}

std::string errors_of(std::string text) {
  const size_t size = text.size();
  text.resize(size + kTracePadding);
  Diagnostics errors;
  read_events({"t.json", std::string_view(text).substr(0, size), true}, errors);
  return errors.text();
}

}  // namespace

TEST_CASE("a trace is cut between its events") {
  struct Row {
    const char* text;
    size_t piece;
    const char* expected;
  };
  for (const Row& row : {
           Row{"[1,2,3]", 1, "[] 1 | 2 | 3 3"},
           Row{"[1,2,3]", 3, "[] 1,2 | 3 3"},
           Row{" [ ] ", 1, " []   0"},
           Row{R"([{"a":"]},{"},{"b":[1,{}]}])", 1, R"([] {"a":"]},{"} | {"b":[1,{}]} 2)"},
           Row{R"([{"a":"\\"},{"b":"\""}])", 1, R"([] {"a":"\\"} | {"b":"\""} 2)"},
           Row{R"({"x":[1,2],"traceEvents":[{},{}],"y":"z"})", 1,
               R"({"x":[1,2],"traceEvents":[],"y":"z"} {} | {} 2)"},
           Row{R"({"traceEvents" : [ {} ] })", 9, R"({"traceEvents" : [] } {}  1)"},
           // Left to be read as a whole, and said what is wrong.
           Row{R"({"traceEvents":[],"traceEvents":[]})", 1, "-"},
           Row{R"({"nodes":[]})", 1, "-"},
           Row{R"({"traceEvents":{}})", 1, "-"},
           Row{"[1,]", 1, "-"},
           Row{"[1", 1, "-"},
           Row{"[1}", 1, "-"},
           Row{"[1]2", 1, "-"},
           Row{R"(["a)", 1, "-"},
           Row{R"({"traceEvents":[])", 1, "-"},
           Row{"", 1, "-"},
       }) {
    INFO(row.text);
    CHECK(cut(row.text, row.piece) == row.expected);
  }
}

TEST_CASE("a large trace gives the same events in pieces as it does after its brackets no longer match") {
  std::string text;
  SyntheticTrace(TraceShape::kUsual, [&](std::string_view piece) { text += piece; }).write(3'000'000);
  REQUIRE(errors_of(text).empty());
  const auto pieces = cut_trace(text, 1 << 20);
  REQUIRE(pieces);
  CHECK(pieces->pieces.size() == 3);
  // Events with a second, empty array of them are read as a whole.
  std::string whole = text;
  whole.insert(1, R"("traceEvents":[],)");
  REQUIRE(!cut_trace(whole, 1 << 20));
  const auto events_of = [](std::string t) {
    const size_t size = t.size();
    t.resize(size + kTracePadding);
    Diagnostics errors;
    return read_events({"t.json", std::string_view(t).substr(0, size), true}, errors);
  };
  const TraceEvents a = events_of(text), b = events_of(whole);
  CHECK(a.rank == b.rank);
  CHECK(a.names == b.names);
  CHECK(a.threads == b.threads);
  CHECK(a.ignored == b.ignored);
  REQUIRE(a.events.size() == b.events.size());
  bool same = true;
  for (size_t i = 0; i < a.events.size(); ++i)
    same = same && a.events[i].begin_ns == b.events[i].begin_ns && a.events[i].name == b.events[i].name &&
           a.events[i].correlation == b.events[i].correlation && a.events[i].detail == b.events[i].detail;
  CHECK(same);
}

TEST_CASE("what is wrong far into a large trace is said at its place") {
  std::string text;
  SyntheticTrace(TraceShape::kUsual, [&](std::string_view piece) { text += piece; }).write(2'500'000);
  const size_t line = text.find("\n", 2'000'000) + 1;
  const auto lines = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(line), '\n');
  std::string no_time = text, no_colon = text;
  no_time.insert(line, R"({"ph":"X","cat":"kernel","name":"k"},)");
  CHECK(errors_of(no_time).starts_with(absl::StrCat("t.json:", lines, ":")));
  CHECK(errors_of(no_time).find("an event without a sound ts") != std::string::npos);
  no_colon.insert(line, R"({"ph" "X"},)");
  CHECK(errors_of(no_colon).starts_with(absl::StrCat("t.json:", lines, ":")));
  CHECK(errors_of(text.substr(0, 2'000'000)).find("is cut short") != std::string::npos);
  INFO(errors_of(text + "{}"));
  CHECK(errors_of(text + "{}").find("more follows behind its end") != std::string::npos);
}
