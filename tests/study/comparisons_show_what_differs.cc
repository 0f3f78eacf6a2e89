// Two results figure by figure, and limits on what may change.
#include "sim/study/compare.h"
#include "sim/study/flatten.h"
#include "tests/catch.h"
#include "tests/study/small_study.h"

using namespace brigade;

namespace {

using Json = nlohmann::ordered_json;

Json result(double step_us, double efficiency, int buckets) {
  Json job = {
      {"name", "train"},          {"kind", "ddp"},  {"step_time_us", step_us}, {"step_time_p50_us", step_us},
      {"efficiency", efficiency}, {"mfu", nullptr}, {"exposed_us", 0.0}};
  job["buckets"] = Json::array();
  for (int i = 0; i < buckets; ++i) job["buckets"].push_back({{"index", i}, {"end_us", 10.0 * i}});
  Json rows = Json::array();
  for (const char* algorithm : {"ring", "tree"})
    rows.push_back({{"algorithm", algorithm}, {"bytes", 4096}, {"time_us", step_us / 2}});
  Json out = {{"schema_version", 1}, {"name", "x"}, {"input_hash", "0"}};
  out["jobs"] = Json::array({job, {{"name", "bench"}, {"rows", rows}}});
  return out;
}

std::vector<std::string> broken(const Json& a, const Json& b, const std::string& limit) {
  Diagnostics errors;
  const auto parsed = parse_limit(limit, errors);
  REQUIRE(parsed);
  const Comparison comparison = compare(a, b, {*parsed}, errors);
  INFO(errors.text());
  REQUIRE(errors.ok());
  std::vector<std::string> out;
  for (const Check::Found& found : comparison.checks.at(0).found)
    if (found.broken) out.push_back(found.path + ": " + found.what);
  CHECK(comparison.failed() == !out.empty());
  return out;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a result as figures by path") {
  std::vector<std::string> paths;
  for (const auto& [path, value] : flatten(result(100, 0.5, 2), Json())) paths.push_back(path);
  CHECK(paths == Lines{"name",
                       "jobs.train.name",
                       "jobs.train.kind",
                       "jobs.train.step_time_us",
                       "jobs.train.efficiency",
                       "jobs.train.mfu",
                       "jobs.train.exposed_us",
                       "jobs.train.buckets",
                       "jobs.train.buckets[0].index",
                       "jobs.train.buckets[0].end_us",
                       "jobs.train.buckets[1].index",
                       "jobs.train.buckets[1].end_us",
                       "jobs.bench.name",
                       "jobs.bench.rows",
                       "jobs.bench.rows[algorithm=ring,bytes=4096].algorithm",
                       "jobs.bench.rows[algorithm=ring,bytes=4096].bytes",
                       "jobs.bench.rows[algorithm=ring,bytes=4096].time_us",
                       "jobs.bench.rows[algorithm=tree,bytes=4096].algorithm",
                       "jobs.bench.rows[algorithm=tree,bytes=4096].bytes",
                       "jobs.bench.rows[algorithm=tree,bytes=4096].time_us"});
}

TEST_CASE("differences first, then how much is equal") {
  Diagnostics errors;
  Comparison comparison = compare(result(100, 0.5, 2), result(105, 0.5, 2), {}, errors);
  comparison.a = "before";
  comparison.b = "after";
  CHECK(print_comparison(comparison, false, false) ==
        "A  before\n"
        "B  after\n"
        "\n"
        "differences\n"
        "                                                          A      B  change\n"
        "  jobs.train.step_time_us                             100.0  105.0  +5.0 %\n"
        "  jobs.bench.rows[algorithm=ring,bytes=4096].time_us   50.0   52.5  +5.0 %\n"
        "  jobs.bench.rows[algorithm=tree,bytes=4096].time_us   50.0   52.5  +5.0 %\n"
        "\n"
        "17 figures are equal\n");
  CHECK(print_comparison_csv(comparison, false) ==
        "figure,a,b,change\n"
        "jobs.train.step_time_us,100.0,105.0,0.05\n"
        "\"jobs.bench.rows[algorithm=ring,bytes=4096].time_us\",50.0,52.5,0.05\n"
        "\"jobs.bench.rows[algorithm=tree,bytes=4096].time_us\",50.0,52.5,0.05\n");
  const Json json = Json::parse(print_comparison_json(comparison, true));
  CHECK(json["equal"] == 17);
  CHECK(json["figures"].size() == 20);
}

TEST_CASE("lists of other lengths, and figures that only one has") {
  Diagnostics errors;
  const Comparison comparison = compare(result(100, 0.5, 1), result(100, 0.5, 3), {}, errors);
  const std::string text = print_comparison(comparison, false, false);
  CAPTURE(text);
  CHECK(text.find("jobs.train.buckets  1  3  +200.0 %") != std::string::npos);
  CHECK(text.find("jobs.train.buckets: 4 figures differ; --all shows them") != std::string::npos);
  CHECK(text.find("buckets[1]") == std::string::npos);
  CHECK(print_comparison(comparison, true, false).find("jobs.train.buckets[2].end_us") != std::string::npos);
  CHECK(comparison.figures[9].path == "jobs.train.buckets[0].end_us");
  CHECK(comparison.figures[10].path == "jobs.train.buckets[1].index");
}

TEST_CASE("limits") {
  const Json a = result(100, 0.5, 2), b = result(105, 0.45, 2);
  CHECK(broken(a, b, "step_time_us > +5%").empty());
  CHECK(broken(a, b, "step_time_us >= +5%") == Lines{"jobs.train.step_time_us: +5.00 %"});
  CHECK(broken(a, b, "jobs.train.step_time_us>+4.9 %") == Lines{"jobs.train.step_time_us: +5.00 %"});
  CHECK(broken(a, b, "step_time_us > +4") == Lines{"jobs.train.step_time_us: +5"});
  CHECK(broken(a, b, "step_time_us > 104") == Lines{"jobs.train.step_time_us: 105.0"});
  CHECK(broken(a, b, "step_time_us < -5%").empty());
  CHECK(broken(b, a, "step_time_us < -4%") == Lines{"jobs.train.step_time_us: -4.76 %"});
  CHECK(broken(a, b, "efficiency < 50%") == Lines{"jobs.train.efficiency: 45 %"});
  CHECK(broken(a, b, "efficiency <= -10%") == Lines{"jobs.train.efficiency: -10.00 %"});
  CHECK(broken(a, b, "time_us > +1%").size() == 2);  // of both rows, and not step_time_us
  CHECK(broken(a, b, "exposed_us > +1%").empty());   // 0 in both
  CHECK(broken(a, b, "mfu < 10%") == Lines{"jobs.train.mfu: is no number in B"});
  Json worse = b;
  worse["jobs"][0]["exposed_us"] = 1.0;
  CHECK(broken(a, worse, "exposed_us > +1000%") == Lines{"jobs.train.exposed_us: from 0 to 1.0"});
}

TEST_CASE("limits that are none, and figures that nobody has") {
  for (const char* bad :
       {"", "step_time_us", "> 5", "step_time_us > ", "step_time_us > x", "step_time_us = 5",
        "step_time_us > +-5%", "step_time_us > nan", "step_time_us > 5 us"}) {
    Diagnostics errors;
    CAPTURE(bad);
    CHECK_FALSE(parse_limit(bad, errors));
    CHECK(errors.errors() == 1);
  }
  Diagnostics errors;
  compare(result(1, 1, 1), result(1, 1, 1), {*parse_limit("step_tim_us > 5", errors)}, errors);
  CHECK(errors.text() ==
        "--fail-if: error: unknown figure \"step_tim_us\"; did you mean \"step_time_us\"?\n");
}
