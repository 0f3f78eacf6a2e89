// What cannot be read, built or run is a row with its reason; the rest goes on. A value that no point can
// have is a mistake in the study.
#include "tests/study/small_study.h"

using namespace brigade;

TEST_CASE("combinations that make no scenario, and simulations that cannot end") {
  const Swept swept =
      sweep(kBase +
            "    b: {kind: collective, ranks: \"node[*].gpu[*]\", size: 1 KB, start: 1 s}\n"
            "axes:\n"
            "  - {name: collective, path: jobs.b.collective, values: [all_reduce, broadcast]}\n"
            "  - {name: algorithm, path: jobs.b.algorithm, values: [ring, chain]}\n"
            "columns: [{path: \"jobs.b.rows[0].time_us\"}]\n");
  REQUIRE(swept.result.rows.size() == 4);
  CHECK(swept.result.failed == 2);
  std::vector<bool> failed;
  for (const Row& row : swept.result.rows) failed.push_back(row.failed());
  CHECK(failed == std::vector<bool>{false, true, true, false});
  CHECK(swept.result.rows[1].error.find("unknown algorithm \"chain\"") != std::string::npos);
  const std::string text = swept.print(print_sweep_text);
  CAPTURE(text);
  CHECK(text.find("4 points, 2 failed") != std::string::npos);
  CHECK(text.find("collective all_reduce, algorithm chain: ") != std::string::npos);

  const Swept cut =
      sweep(kBase +
            "  changes: [{links: \"node[0].gpu[1]\", bandwidth: 50 %}]\n"
            "axes: [{name: change, path: \"changes[0]\", values: {slow: {links: \"node[0].gpu[1]\", "
            "bandwidth: 50 %}, dead: {links: \"node[0].gpu[1]\", state: down}}}]\n");
  REQUIRE(cut.result.rows.size() == 2);
  CHECK_FALSE(cut.result.rows[0].failed());
  CHECK(cut.result.rows[1].error.find("node[0].gpu[1]") != std::string::npos);
}

TEST_CASE("a value is sound if any point can have it") {
  const Swept swept = sweep(kBase +
                            "axes:\n"
                            "  - {path: jobs.a.collective, values: [all_reduce, broadcast]}\n"
                            "  - {path: jobs.a.algorithm, values: [ring, chain]}\n"
                            "  - {path: jobs.a.size, from: 1 KB, to: 200 KB, step: +1 KB}\n");
  CHECK(swept.result.rows.size() == 800);
  CHECK(swept.result.failed == 400);
}

TEST_CASE("mistakes of the study, at their place") {
  struct Case {
    std::string yaml, place, message;
  };
  const std::string axes = "axes: [{path: jobs.a.size, values: [1 KB]}]\n";
  const std::vector<Case> cases = {
      {kBase + "axes: [{path: jobs.a.sise, values: [1 KB]}]\n", "9:15",
       "unknown key \"sise\" in jobs.a; did you mean \"size\"?"},
      {kBase + "axes: [{path: jobs.a.size, values: [1 KB, 1]}]\n", "9:43", "size \"1\" needs a unit"},
      {kBase + "axes: [{path: jobs.a.algorithm, values: [ring, rng]}]\n", "9:48",
       "unknown algorithm \"rng\"; did you mean \"ring\"?"},
      {kBase + "axes: [{path: jobs.a.size, values: [1 KB], nam: x}]\n", "9:44",
       "unknown key \"nam\" in axes[0]; did you mean \"name\"?"},
      {kBase + "axes: [{path: jobs.a.size}]\n", "9:8",
       "which values? allowed: one of values, files, or from, to and step"},
      {kBase + "axes: [{path: jobs.a.size, from: 1 KB, to: 2 KB}]\n", "9:8",
       "a range needs from, to and step"},
      {kBase + "axes: [{path: jobs.a.size, from: 1 KB, to: 2 s, step: x2}]\n", "9:34",
       "need units of one kind"},
      {kBase + "axes: [{path: jobs.a.size, values: []}]\n", "9:36", "values are empty"},
      {kBase + "axes: [{path: cluster.file, files: nowhere_*.yaml}]\n", "9:36",
       "no file is named \"nowhere_*.yaml\""},
      {kBase + "axes: [{zip: [{path: jobs.a.size, values: [1 KB, 2 KB]}, {path: seed, values: [1]}]}]\n",
       "9:65", "seed has 1 values, size has 2"},
      {kBase + "axes: [{path: seed, values: [1]}, {path: seed, values: [2]}]\n", "9:42", "a second \"seed\""},
      {kBase + "axes: [{path: seed, from: 1, to: 2000000, step: +1}]\n", "9:27",
       "the range has more than 1000000 values"},
      {kBase + axes + "relative: {of: tim_us}\n", "10:11",
       "unknown column \"tim_us\"; did you mean \"time_us\"?"},
      {kBase + axes + "relative: {within: [sise]}\n", "10:11",
       "unknown dimension \"sise\"; did you mean \"size\"?"},
      {kBase + axes + "columns: [\"jobs.a.kind\"]\nrelative: {of: kind}\n", "11:11",
       "which values of kind are better?"},
      {kBase + axes + "columns: [\"jobs..a\"]\n", "10:11", "\"jobs..a\" is no path"},
      {kBase + axes + "crossovers: [{of: time_us, along: size, between: size, values: [3 KB]}]\n", "10:14",
       "unknown value \"3 KB\" of size"},
      {"brigade: 1\nbase: nowhere.yaml\n" + axes, "2:7", "no such file"},
      {"brigade: 1\n" + axes, "1:1", "missing key \"base\""},
  };
  for (const Case& c : cases) {
    const Scratch scratch;
    const std::string file = scratch.write("study.yaml", c.yaml);
    Diagnostics errors;
    const bool prepared = prepare_study(file, {}, {}, errors).has_value();
    CAPTURE(c.yaml, errors.text());
    CHECK_FALSE(prepared);
    CHECK(errors.errors() == 1);
    CHECK(scratch.shortened(errors.text()).find("study.yaml:" + c.place + ": error: ") != std::string::npos);
    CHECK(errors.text().find(c.message) != std::string::npos);
  }
}

TEST_CASE("a column that no result has is a mistake; one that some lack is an empty cell") {
  Swept swept = sweep(kSizes + "columns: [\"jobs.a.rows[0].tim_us\", \"jobs.a.rows[7].time_us\"]\n");
  Diagnostics errors;
  check_columns(swept.prepared, swept.result.rows, errors);
  CHECK(errors.errors() == 1);
  CHECK(errors.text().find("no \"tim_us\" in jobs.a.rows[0]; did you mean \"time_us\"?") !=
        std::string::npos);
  CHECK(swept.result.rows[0].cells[1].is_null());
}
