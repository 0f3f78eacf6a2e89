// Jobs beside each other: their slowdown against running alone, background traffic, and what hooks, groups
// and faults add, in text, JSON and CSV.
#include <nlohmann/json.hpp>

#include "tests/report/small_scenarios.h"

using namespace brigade;

namespace {

using Json = nlohmann::json;

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The ring of 2 MB takes 2.002 ms alone; twice as many bytes in the same links with the other one.
const std::string kTwoRings =
    "  a: {kind: collective, ranks: \"node[*].gpu[*]\", size: 2 MB, algorithm: ring}\n"
    "  b: {kind: collective, ranks: \"node[*].gpu[*]\", size: 2 MB, algorithm: ring}\n";
const std::string kNoise =
    "  noise: {kind: background, ranks: \"node[*].gpu[*]\", pattern: pairs, rate: 100 MB/s, message: 10 "
    "KB}\n";

}  // namespace

TEST_CASE("each job is told how much the others slow it") {
  const Finished run = finish(kTwoGpus + kTwoRings + kNoise, {"alone=true", "network.segment=10 KB"});
  const Json jobs = Json::parse(print_json(run.report()))["jobs"];
  for (int i = 0; i < 2; ++i) {
    CHECK(jobs[i]["alone_us"] == 2002.0);
    CHECK(jobs[i]["slowdown"].get<double>() == Approx(2.15).margin(0.15));
    CHECK(jobs[i]["slowdown"].get<double>() ==
          Approx(jobs[i]["together_us"].get<double>() / 2002).epsilon(1e-5));
  }
  CHECK(!jobs[2].contains("slowdown"));
  const std::string text = print_text(run.report());
  CHECK(holds(text, "each job alone and beside the others"));
  CHECK(holds(text, "slowdown"));
  CHECK(holds(print_csv(run.report()), ",together_us,alone_us,slowdown"));
  CHECK(!holds(print_text(finish(kTwoGpus + kTwoRings).report()), "slowdown"));
}

TEST_CASE("a job that has the cluster to itself is not slowed") {
  const Finished run = finish(kTwoGpus + kTrain, {"alone=true"});
  CHECK(Json::parse(print_json(run.report()))["jobs"][0]["slowdown"] == 1.0);
}

TEST_CASE("background traffic in text, JSON and CSV") {
  // 10 KB each 100 us for 1 ms from each of two: 10 each, 1 us + 10 us a message.
  const Finished run = finish(kTwoGpus + kNoise, {"jobs.noise.duration=1 ms"});
  const Json job = Json::parse(print_json(run.report()))["jobs"][0];
  CHECK(job["kind"] == "background");
  CHECK(job["messages"] == 20);
  CHECK(job["sent_bytes"] == 200'000);
  CHECK(job["received_bytes"] == 200'000);
  CHECK(job["held_back"] == 0);
  CHECK(job["window_us"] == 1000.0);
  CHECK(job["offered_gb_per_s"] == 0.2);
  CHECK(job["sent_gb_per_s"] == 0.2);
  CHECK(job["latency_us"] == 11.0);
  const std::string text = print_text(run.report());
  CHECK(holds(text, "noise: background traffic of 2 senders, in pairs, 10 KB a message"));
  CHECK(holds(text, "a message took      11 us  p50 11 us, p99 11 us"));
  CHECK(holds(print_csv(run.report()), "background"));
}

TEST_CASE("what hooks and groups add") {
  const Json hooked = Json::parse(print_json(
      finish(kTwoGpus + kTrain, {"jobs.train.comm_hook=fp16", "cluster.models.g.memory_bandwidth=1 TB/s"})
          .report()))["jobs"][0];
  // 2 MB become 1 MB, for 3 MB of traffic before and after each of two buckets: 3 us, four times.
  CHECK(hooked["buckets"][0]["exchanged_bytes"] == 1'000'000);
  CHECK(hooked["coding_us"] == 12.0);
  const Finished plain = finish(kTwoGpus + kTrain);
  CHECK(!Json::parse(print_json(plain.report()))["jobs"][0].contains("coding_us"));
  const Finished grouped = finish(kTwoGpus + kBench, {"jobs.bench.groups={size: 1}"});
  CHECK(Json::parse(print_json(grouped.report()))["jobs"][0]["groups"] == 2);
  CHECK(holds(print_text(grouped.report()), "on 2 ranks in 2 groups of 1, all at once"));
}

TEST_CASE("losses are counted where links died") {
  const std::string flap = "changes: [{links: \"node[0].gpu[0]\", state: down, at: 500 us, until: 600 us}]\n";
  const Finished run = finish(kTwoGpus + kBench + flap,
                              {"jobs.bench.size=2 MB", "network.segment=10 KB", "network.detection=1 ms"});
  const Json simulation = Json::parse(print_json(run.report()))["simulation"];
  // Each way the segment on the link and the next one, which waits for it: a sender whose own link is dead
  // offers no more.
  CHECK(simulation["segments_lost"] == 4);
  CHECK(simulation["messages_resumed"] == 2);
  CHECK(holds(print_text(run.report()), "links died: "));
}
