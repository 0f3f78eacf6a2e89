// CSV: one header for all kinds of jobs, one line for each row of a collective job and each ddp job.
#include "absl/strings/str_split.h"
#include "tests/report/small_scenarios.h"

using namespace brigade;

namespace {

using Cells = std::vector<std::string>;

std::vector<Cells> cells_of(const std::string& csv) {
  std::vector<Cells> lines;
  for (const absl::string_view line : absl::StrSplit(csv, '\n', absl::SkipEmpty())) {
    lines.push_back(absl::StrSplit(line, ','));
  }
  return lines;
}

}  // namespace

TEST_CASE("CSV of two kinds of jobs") {
  const std::string csv = print_csv(finish(kTwoGpus + kBench + kTrain).report());
  const std::vector<Cells> lines = cells_of(csv);
  REQUIRE(lines.size() == 4);
  const Cells& header = lines[0];
  for (const Cells& line : lines) CHECK(line.size() == header.size());
  const auto cell = [&](size_t line, const std::string& column) -> std::string {
    const auto it = std::find(header.begin(), header.end(), column);
    REQUIRE(it != header.end());
    return lines[line][static_cast<size_t>(it - header.begin())];
  };
  CHECK(cell(1, "scenario") == "tiny");
  CHECK(cell(1, "job") == "bench");
  CHECK(cell(1, "kind") == "collective");
  CHECK(cell(1, "algorithm") == "ring");
  CHECK(cell(1, "bytes") == "1000");
  CHECK(cell(1, "closed_form_us") == "3.0");
  CHECK(cell(1, "step_time_us") == "");
  CHECK(cell(2, "algorithm") == "double_binary_tree");
  CHECK(cell(2, "closed_form_us") == "");
  CHECK(cell(3, "job") == "train");
  CHECK(cell(3, "kind") == "ddp");
  CHECK(cell(3, "ranks") == "2");
  CHECK(cell(3, "algorithm") == "");
  CHECK(cell(3, "global_batch_samples") == "8");
  CHECK(cell(3, "parameters") == "1000000");
  CHECK(cell(3, "mfu") == "");
}

TEST_CASE("a cell with a comma is quoted") {
  const std::string csv = print_csv(finish(kTwoGpus + kBench, {"name=a, \"b\""}).report());
  CHECK(csv.find("\n\"a, \"\"b\"\"\",1,bench,") != std::string::npos);
}
