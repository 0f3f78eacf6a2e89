// Every scenario that is shipped: run again, and with the events of each instant created in another order, it
// has the same event hash and prints the same bytes.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/report/report.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/source_dir.h"

using namespace brigade;

namespace {

constexpr int64_t kEventsRepeated = 1'000'000;  // above, the shuffled run stands for the repeated one too
constexpr int64_t kEventsShuffled = kSanitized ? 300'000 : INT64_MAX;

std::vector<std::string> scenario_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/scenarios"))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

struct Outcome {
  uint64_t event_hash;
  int64_t events;
  std::string json, text, csv;
};

Outcome run(const Scenario& scenario, const Topology& topology, bool shuffle) {
  Diagnostics errors;
  std::vector<LinkChange> timed;
  for (const LinkChange& c : scenario.link_changes)
    if (c.timed()) timed.push_back(c);
  const auto run = Run::prepare({.topology = topology,
                                 .network = scenario.network,
                                 .seed = scenario.seed,
                                 .jobs = scenario.jobs,
                                 .changes = scenario.rank_changes,
                                 .link_changes = timed},
                                errors);
  INFO(errors.text());
  REQUIRE(run != nullptr);
  const RunResult result = run->go({.hash_events = true, .shuffle = shuffle});
  INFO(result.failure);
  REQUIRE(result.failure.empty());
  const Report report{.scenario = scenario, .topology = topology, .result = result};
  return {result.counts.event_hash, result.counts.events, print_json(report), print_text(report),
          print_csv(report)};
}

void check_same(const Outcome& a, const Outcome& b) {
  CHECK(a.event_hash == b.event_hash);
  CHECK(a.events == b.events);
  CHECK(a.json == b.json);
  CHECK(a.text == b.text);
  CHECK(a.csv == b.csv);
}

}  // namespace

TEST_CASE("the same events, the same bytes, in whatever order events of an instant are created") {
  const auto files = scenario_files();
  if (files.empty()) {
    WARN("skipped: no scenarios are shipped");
    return;
  }
  for (const std::string& file : files) {
    INFO(file);
    Diagnostics errors;
    auto scenario = load_scenario(file, {}, errors);
    INFO(errors.text());
    REQUIRE(scenario);
    for (size_t i = 0; i < scenario->jobs.size(); ++i) REQUIRE(load_trace(*scenario, i, errors));
    // What can only be run folded is too much here: as many units as can be.
    constexpr uint32_t kTooMany = 100'000, kEnough = 50;
    if (const auto fold = find_fold(scenario->cluster, false, scenario->network, scenario->jobs, kTooMany))
      scenario->cluster = with_units(scenario->cluster, *fold, kEnough);
    const auto topology = build_topology(scenario->cluster, scenario->link_changes, errors);
    REQUIRE(topology != nullptr);
    const Outcome straight = run(*scenario, *topology, false);
    CHECK(straight.event_hash != 0);
    if (straight.events <= kEventsShuffled) check_same(straight, run(*scenario, *topology, true));
    if (straight.events <= kEventsRepeated) check_same(straight, run(*scenario, *topology, false));
  }
}
