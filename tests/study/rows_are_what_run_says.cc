// A row of a sweep is what `brigade run` says of that point, and what the closed form says.
#include <nlohmann/json.hpp>

#include "sim/report/json.h"
#include "sim/report/session.h"
#include "tests/study/small_study.h"

using namespace brigade;

TEST_CASE("times of a range follow the closed form") {
  const Swept swept = sweep(kBase + "axes: [{path: jobs.a.size, from: 2 KB, to: 200 KB, step: +2 KB}]\n");
  REQUIRE(swept.result.rows.size() == 100);
  for (const Row& row : swept.result.rows) {
    CAPTURE(row.point, row.error);
    CHECK(row.cells[0].get<double>() == Approx(2 + 2.0 * static_cast<double>(row.point + 1)));
  }
}

TEST_CASE("axes are crossed, the first one outermost; zipped dimensions change together") {
  const Swept swept = sweep(
      kBase +
      "axes:\n"
      "  - zip:\n"
      "      - {name: bandwidth, path: cluster.node_types.n.nvlink.bandwidth, values: [1 GB/s, 2 GB/s]}\n"
      "      - {name: latency, path: cluster.node_types.n.nvlink.latency, values: [1 us, 5 us]}\n"
      "  - {path: jobs.a.size, values: [2 KB, 4 KB, 8 KB]}\n");
  std::vector<double> times;
  for (const Row& row : swept.result.rows) times.push_back(row.cells[0].get<double>());
  CHECK(times == std::vector<double>{4, 6, 10, 11, 12, 14});
}

TEST_CASE("one value at several paths, lists and maps as values, and labels of one's own") {
  const Swept swept =
      sweep(kBase +
            "    b: {kind: collective, ranks: \"node[*].gpu[*]\", size: 1 KB, algorithm: ring, start: 1 s}\n"
            "set: {jobs.b.run: {steps: 2}}\n"
            "axes:\n"
            "  - {name: size, path: [jobs.a.size, jobs.b.size], values: [2 KB, 4 KB]}\n"
            "  - {name: cable, path: cluster.node_types.n.nvlink, values: {slow: {family: ring, bandwidth: 1 "
            "GB/s,\n"
            "     latency: 1 us}, fast: {family: ring, bandwidth: 4 GB/s, latency: 1 us}}}\n"
            "columns: [{name: a, path: \"jobs.a.rows[0].time_us\"}, {name: b, path: "
            "\"jobs.b.rows[bytes=2000].time_us\"},\n"
            "          {name: steps, path: \"jobs[1].rows[0].steps\"}]\n");
  REQUIRE(swept.result.failed == 0);
  CHECK(swept.print(print_sweep_csv) ==
        "size,cable,a,b,steps,relative,error\n"
        "2 KB,slow,4.0,4.0,2,1.6,\n"
        "2 KB,fast,2.5,2.5,2,1.0,\n"
        "4 KB,slow,6.0,,2,2.4,\n"
        "4 KB,fast,3.0,,2,1.2,\n");
}

TEST_CASE("files as values, of the cluster and of the whole scenario") {
  const Scratch scratch;
  const auto machine = [&](const char* name, const char* bandwidth) {
    scratch.write(absl::StrCat("machines/", name),
                  absl::StrCat("brigade: 1\nnode_types: {n: {gpus: 2, nvlink: {family: ring, bandwidth: ",
                               bandwidth, ", latency: 1 us}}}\nnodes: [{type: n, count: 1}]\n"));
  };
  machine("fast.yaml", "2 GB/s");
  machine("slow.yaml", "1 GB/s");
  for (const char* size : {"2 KB", "4 KB"})
    scratch.write(
        absl::StrCat("bases/size_", std::string(size, 1), ".yaml"),
        absl::StrCat("brigade: 1\ncluster: {file: ../machines/slow.yaml}\njobs: {a: {kind: collective, "
                     "ranks: \"node[*].gpu[*]\", algorithm: ring, size: ",
                     size, "}}\n"));
  const std::string file =
      scratch.write("studies/study.yaml",
                    "brigade: 1\nbase: ../bases/size_2.yaml\naxes:\n"
                    "  - {name: scenario, path: base, files: ../bases/*.yaml}\n"
                    "  - {name: machine, path: cluster.file, files: [../machines/slow.yaml, "
                    "../machines/f*.yaml]}\n");
  Diagnostics errors;
  auto prepared = prepare_study(file, {}, {}, errors);
  INFO(errors.text());
  REQUIRE(prepared);
  Swept swept{std::move(*prepared), {}};
  swept.result = run_sweep(swept.prepared, {});
  CHECK(swept.print(print_sweep_csv) ==
        "scenario,machine,time_us,busbw_gb_per_s,relative,error\n"
        "size_2,slow,4.0,0.5,1.333333,\n"
        "size_2,fast,3.0,0.666667,1.0,\n"
        "size_4,slow,6.0,0.666667,2.0,\n"
        "size_4,fast,4.0,1.0,1.333333,\n");
}

TEST_CASE("each point equals a run with the same overrides") {
  const Scratch scratch;
  const std::string base =
      absl::StrReplaceAll(kBase.substr(kBase.find("  cluster")), {{"\n  ", "\n"}}).substr(2);
  const std::string file = scratch.write("base.yaml", "brigade: 1\n" + base);
  scratch.write("study.yaml",
                "brigade: 1\nbase: base.yaml\naxes:\n"
                "  - {path: jobs.a.algorithm, values: [ring, naive, direct]}\n"
                "  - {path: jobs.a.size, values: [1 B, 12345 B]}\n"
                "  - {path: network.segment, values: [100 B, whole]}\n");
  Diagnostics errors;
  const auto prepared =
      prepare_study(scratch.path("study.yaml"), {}, {"simulation.events", "links[0].busy_us"}, errors);
  INFO(errors.text());
  REQUIRE(prepared);
  const SweepResult swept = run_sweep(*prepared, {.threads = 3});
  REQUIRE(swept.rows.size() == 12);
  for (const Row& row : swept.rows) {
    std::vector<std::string> overrides;
    const auto values = prepared->study.values_of(row.point);
    for (size_t d = 0; d < values.size(); ++d)
      overrides.push_back(prepared->study.dimensions()[d]->paths[0] + "=" + values[d]->label);
    const auto session = Session::open({.file = file, .overrides = overrides}, errors);
    INFO(errors.text());
    REQUIRE(session != nullptr);
    const RunResult result = session->run();
    const auto json =
        json_of({.scenario = session->scenario(), .topology = session->topology(), .result = result});
    CAPTURE(overrides);
    CHECK(row.cells[0] == json["simulation"]["events"]);
    CHECK(row.cells[1] == json["links"][0]["busy_us"]);
  }
}
