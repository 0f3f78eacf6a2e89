// JSON of two scenarios worked out by hand: see small_scenarios.h.
#include <nlohmann/json.hpp>

#include "tests/report/small_scenarios.h"

using namespace brigade;
using Json = nlohmann::ordered_json;

TEST_CASE("JSON of a collective job") {
  const Finished run = finish(kTwoGpus + kBench);
  Json json = Json::parse(print_json(run.report()));
  CHECK(json["input_hash"].get<std::string>().size() == 16);
  json["input_hash"] = "";
  CHECK(json["simulation"]["events"].get<int64_t>() > 0);
  json["simulation"]["events"] = 0;
  // The trees: each half of the buffer up and down one edge, both at once, in opposite directions, then back:
  // 2 x (1 us + 500 B at 1 GB/s). No closed form.
  const char* expected = R"({
    "schema_version": 1, "name": "tiny", "seed": 1, "input_hash": "", "cluster": "pair",
    "jobs": [{
      "name": "bench", "kind": "collective", "ranks": 2, "assumptions": [],
      "rows": [
        {"collective": "all_reduce", "algorithm": "ring", "ranks": 2, "bytes": 1000, "rounds_mode": "free",
         "steps": 1, "time_us": 3.0, "time_p50_us": 3.0, "time_p99_us": 3.0, "algbw_gb_per_s": 0.333333,
         "busbw_gb_per_s": 0.333333, "closed_form_us": 3.0, "rounds": 2, "bytes_sent_total": 2000,
         "bytes_sent_max": 1000},
        {"collective": "all_reduce", "algorithm": "double_binary_tree", "ranks": 2, "bytes": 1000,
         "rounds_mode": "free", "steps": 1, "time_us": 3.0, "time_p50_us": 3.0, "time_p99_us": 3.0,
         "algbw_gb_per_s": 0.333333, "busbw_gb_per_s": 0.333333, "closed_form_us": null, "rounds": 2,
         "bytes_sent_total": 2000, "bytes_sent_max": 1000}]}],
    "links": [
      {"name": "node[0].gpu[0] -> node[0].gpu[1]", "bytes": 2000, "busy_us": 2.0, "utilization": 0.333333},
      {"name": "node[0].gpu[1] -> node[0].gpu[0]", "bytes": 2000, "busy_us": 2.0, "utilization": 0.333333}],
    "simulation": {"end_us": 6.0, "events": 0, "messages": 8}})";
  CHECK(json.dump(1) == Json::parse(expected).dump(1));
}

TEST_CASE("JSON of a ddp job") {
  const Finished run = finish(kTwoGpus + kTrain);
  const Json json = Json::parse(print_json(run.report()));
  Json job = json["jobs"][0];
  CHECK(job["assumptions"].is_array());
  job["assumptions"] = Json::array();
  const char* expected = R"({
    "name": "train", "kind": "ddp", "ranks": 2, "assumptions": [], "steps": 2,
    "step_time_us": 6004.0, "step_time_p50_us": 6004.0, "step_time_p99_us": 6004.0,
    "compute_us": 4000.0, "compute_p50_us": 4000.0, "compute_p99_us": 4000.0,
    "communication_us": 4004.0, "communication_p50_us": 4004.0, "communication_p99_us": 4004.0,
    "overlapped_us": 2000.0, "overlapped_p50_us": 2000.0, "overlapped_p99_us": 2000.0,
    "exposed_us": 2004.0, "exposed_p50_us": 2004.0, "exposed_p99_us": 2004.0,
    "efficiency": 0.666223, "mfu": null, "samples_per_s": 1332.445037, "tokens_per_s": null,
    "global_batch_samples": 8, "global_batch_tokens": null, "global_batch_is_very_large": false, "parameters": 1000000,
    "buckets": [
      {"index": 0, "bytes": 2000000, "elements": 500000, "ready_us": 2000.0, "start_us": 2000.0,
       "end_us": 4002.0, "busbw_gb_per_s": 0.999001},
      {"index": 1, "bytes": 2000000, "elements": 500000, "ready_us": 4000.0, "start_us": 4002.0,
       "end_us": 6004.0, "busbw_gb_per_s": 0.999001}]})";
  CHECK(job.dump(1) == Json::parse(expected).dump(1));
}

TEST_CASE("as many links as are asked for") {
  const Finished run = finish(kTwoGpus + kBench);
  for (const size_t links : {size_t{0}, size_t{1}, size_t{2}, SIZE_MAX}) {
    Report report = run.report();
    report.links = links;
    CHECK(Json::parse(print_json(report))["links"].size() == std::min<size_t>(links, 2));
  }
}

TEST_CASE("the time on the clock is there only on request") {
  const Finished run = finish(kTwoGpus + kBench);
  Report report = run.report();
  CHECK_FALSE(Json::parse(print_json(report))["simulation"].contains("wall_s"));
  report.wall_s = 0.25;
  CHECK(Json::parse(print_json(report))["simulation"]["wall_s"] == 0.25);
}

TEST_CASE("rows and links stand on a line each") {
  const std::string json = print_json(finish(kTwoGpus + kBench).report());
  CHECK(json.find("\n        {\"collective\": \"all_reduce\", \"algorithm\": \"ring\", \"ranks\": 2, ") !=
        std::string::npos);
  CHECK(json.ends_with("}\n}\n"));
}

TEST_CASE("names that are no UTF-8 still make JSON") {
  const Finished run = finish(kTwoGpus + kBench, {"name=\xff\"\\\n"});
  CHECK_NOTHROW(Json::parse(print_json(run.report())));
}
