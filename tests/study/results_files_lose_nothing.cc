// Whatever was appended before a process died is used again, and a broken last line is not.
#include <cstdio>
#include <fstream>
#include <sstream>

#include "tests/study/small_study.h"

using namespace brigade;

namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

SweepOptions into(const std::string& path, ResultsFile::Mode mode) {
  return {.version = "1", .results = path, .mode = mode};
}

}  // namespace

TEST_CASE("a file that is cut anywhere is gone on with") {
  const Scratch scratch;
  const std::string path = scratch.path("r.jsonl");
  const Swept whole = sweep(kSizes, into(path, ResultsFile::Mode::kNew));
  const std::string csv = whole.print(print_sweep_csv), bytes = bytes_of(path);
  for (size_t length = 0; length <= bytes.size();
       length += length < bytes.size() && bytes.size() - length < 97 ? 1 : 97) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, length);
    const Swept resumed = sweep(kSizes, into(path, ResultsFile::Mode::kResume));
    CAPTURE(length, bytes.size());
    CHECK(resumed.print(print_sweep_csv) == csv);
    const auto lines = std::count(bytes.begin(), bytes.begin() + static_cast<long>(length), '\n');
    CHECK(resumed.result.reused == static_cast<size_t>(std::max<long>(lines - 1, 0)));
    CHECK(bytes_of(path) == bytes);
  }
}

TEST_CASE("more values may be added, other figures shown; what changed runs again") {
  const Scratch scratch;
  const std::string path = scratch.path("r.jsonl");
  sweep(kSizes, into(path, ResultsFile::Mode::kNew));
  const auto reused = [&](const std::string& yaml) {
    return sweep(yaml, into(path, ResultsFile::Mode::kResume)).result.reused;
  };
  CHECK(reused(kBase + "axes: [{path: jobs.a.size, values: [2 MB, 3 MB, 1 KB]}]\n") == 2);
  CHECK(reused(kSizes + "columns: [simulation.events]\n") == 3);
  CHECK(reused(kSizes + "set: {seed: 7}\n") == 0);
  CHECK(reused(absl::StrReplaceAll(kSizes, {{"1 GB/s", "2 GB/s"}})) == 0);
}

TEST_CASE("files of others are left alone") {
  const Scratch scratch;
  const PreparedStudy prepared = prepare(kSizes);
  const std::string path = scratch.write("r.jsonl", "precious\n");
  for (const auto mode : {ResultsFile::Mode::kNew, ResultsFile::Mode::kResume}) {
    const SweepResult refused = run_sweep(prepared, into(path, mode));
    CHECK(refused.input_refused);
    CHECK(refused.rows.empty());
    CHECK(bytes_of(path) == "precious\n");
  }
  const std::string other =
      scratch.write("o.jsonl", "{\"brigade_sweep\": 1, \"version\": \"1\", \"study\": \"other\"}\n");
  CHECK(run_sweep(prepared, into(other, ResultsFile::Mode::kResume))
            .messages.at(0)
            .find("of the study other") != std::string::npos);
  const std::string old =
      scratch.write("v.jsonl", "{\"brigade_sweep\": 1, \"version\": \"0\", \"study\": \"study\"}\n");
  CHECK(run_sweep(prepared, into(old, ResultsFile::Mode::kResume))
            .messages.at(0)
            .find("written by brigade 0") != std::string::npos);
  CHECK(run_sweep(prepared, into(scratch.path("no/r.jsonl"), ResultsFile::Mode::kNew)).io_error);
  if (FILE* full = std::fopen("/dev/full", "a")) {
    std::fclose(full);
    CHECK(run_sweep(prepared, into("/dev/full", ResultsFile::Mode::kRestart)).io_error);
  }
}

TEST_CASE("two sweeps do not write one file") {
  const Scratch scratch;
  const std::string path = scratch.path("r.jsonl");
  ResultsFile first, second;
  REQUIRE_FALSE(first.open(path, ResultsFile::Mode::kNew));
  const IoError error = second.open(path, ResultsFile::Mode::kResume);
  REQUIRE(error);
  CHECK(error->find("another sweep is writing it") != std::string::npos);
}

TEST_CASE("files of shards are merged; what is in none of them is said") {
  const Scratch scratch;
  const PreparedStudy prepared = prepare(kSizes);
  const Swept whole = sweep(kSizes);
  std::vector<std::string> files;
  for (size_t index = 1; index <= 2; ++index) {
    files.push_back(scratch.path(absl::StrCat(index, ".jsonl")));
    SweepOptions options = into(files.back(), ResultsFile::Mode::kNew);
    options.shard = {index, 2};
    run_sweep(prepared, options);
  }
  SweepOptions merge{.version = "1", .merged = files, .run = false};
  Swept merged{prepare(kSizes), run_sweep(prepared, merge)};
  CHECK(merged.print(print_sweep_csv) == whole.print(print_sweep_csv));
  merge.merged.pop_back();
  const SweepResult half = run_sweep(prepared, merge);
  CHECK(half.failed == 1);
  CHECK(half.rows.at(1).error == "not run: in none of the files");
}
