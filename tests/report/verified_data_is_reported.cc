// `verify: true` and --verify: the report says that data travelled, what it was compared with, and how far
// apart.
#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "tests/report/small_scenarios.h"

using namespace brigade;

namespace {

constexpr const char* kVerified =
    "  bench: {kind: collective, ranks: \"node[*].gpu[*]\", sizes: [0 B, 1 B, 1 KB], verify: true}\n"
    "  train: {kind: training, ranks: \"node[*].gpu[*]\", steps: 3, also_sum_by: [tree]}\n";

}  // namespace

TEST_CASE("text says what was compared") {
  const std::string text = print_text(finish(kTwoGpus + kVerified).report());
  INFO(text);
  // 2 ranks x 1001 elements x whole and random numbers; the sum of two numbers is rounded once at most.
  CHECK(absl::StrContains(text,
                          "  verified: 3 collectives on all ranks, 4,004 values against the direct sum:\n"
                          "            whole numbers bit-equal, random numbers "));
  CHECK(absl::StrContains(text, "train: 2 workers against one, ring\n"));
  CHECK(absl::StrContains(text, "0 (bit-identical)"));
  CHECK(absl::StrContains(text, "  summed by tree instead: the same bits\n"));  // a + b = b + a
  for (const absl::string_view line : absl::StrSplit(text, '\n')) CHECK(line.size() <= 100);
}

TEST_CASE("json has the figures of the comparison") {
  const auto json = nlohmann::json::parse(print_json(finish(kTwoGpus + kVerified).report()));
  const auto& verified = json["jobs"][0]["verified"];
  CHECK(verified["collectives"] == 3);
  CHECK(verified["results"] == 6);
  CHECK(verified["values"] == 4004);
  CHECK(verified["integers"] == "bit-equal");
  CHECK(verified["largest_difference"].get<double>() <= 1e-15);
  const auto& training = json["jobs"][1];
  CHECK(training["kind"] == "training");
  CHECK_FALSE(training.contains("verified"));
  CHECK(training["gradient_difference"].get<double>() <= 2e-15);
  CHECK(training["compared"].back()["replicas_difference"] == 0.0);
  CHECK(training["compared"].back()["step"] == 3);
}

TEST_CASE("without verify nothing is said of it") {
  const std::string json = print_json(finish(kTwoGpus + kBench).report());
  CHECK_FALSE(absl::StrContains(json, "verified"));
}
