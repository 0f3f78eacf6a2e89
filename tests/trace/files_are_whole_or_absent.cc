// The file that a trace goes to: gzip, replacement at the end, errors that name the path.

#include "absl/strings/match.h"
#include "sim/trace/check_trace.h"
#include "sim/trace/chrome_trace.h"
#include "tests/trace/sample.h"
#include "tests/trace/scratch.h"

namespace brigade {
namespace {

TEST_CASE("a name in .gz is compressed, reads back the same, and has the same bytes each time") {
  Recorder recorder;
  record_sample(recorder);
  const Scratch scratch;
  for (const char* name : {"plain.json", "a.json.gz", "b.json.gz"}) {
    REQUIRE(!write_chrome_trace(recorder, {"sample", 1}, scratch.path(name)));
    const TraceCheck check = check_trace_file(scratch.path(name));
    CHECK(check.violations == std::vector<std::string>{});
    CHECK(check.counts == Timeline(recorder).counts());
  }
  const std::string packed = read_file(scratch.path("a.json.gz"));
  CHECK(packed == read_file(scratch.path("b.json.gz")));
  CHECK(packed.substr(0, 3) == "\x1f\x8b\x08");
  CHECK(packed.substr(3, 5) == std::string(5, '\0'));  // no flags (so no name) and no time
  CHECK(packed.size() < read_file(scratch.path("plain.json")).size() / 2);
}

TEST_CASE("a gzip file cut short is a violation") {
  Recorder recorder;
  record_sample(recorder);
  const Scratch scratch;
  const std::string path = scratch.path("t.json.gz");
  REQUIRE(!write_chrome_trace(recorder, {}, path));
  const std::string packed = read_file(path);
  write_file(path, packed.substr(0, packed.size() / 2));
  CHECK(!check_trace_file(path).violations.empty());
}

TEST_CASE("nothing is there before close, and nothing is left without it") {
  const Scratch scratch;
  const std::string path = scratch.path("t.json");
  write_file(path, "old");
  {
    OutputFile file(path);
    file.write("new");
    CHECK(read_file(path) == "old");
  }
  CHECK(read_file(path) == "old");
  CHECK(scratch.files() == 1);
  OutputFile file(path);
  file.write("new");
  CHECK(file.close() == IoError{});
  CHECK(read_file(path) == "new");
  CHECK(scratch.files() == 1);
}

TEST_CASE("more than the buffer holds is written whole") {
  const Scratch scratch;
  std::string text;
  for (int i = 0; i < 400'000; ++i) text += std::to_string(i) + "\n";
  OutputFile file(scratch.path("t"));
  for (size_t at = 0; at < text.size(); at += 1000) file.write(std::string_view(text).substr(at, 1000));
  REQUIRE(!file.close());
  CHECK(read_file(scratch.path("t")) == text);
}

TEST_CASE("a path that cannot be written is told before and after, and nothing is created") {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path("folder"));
  write_file(scratch.path("file"), "");
  const std::vector<std::pair<std::string, std::string>> rows = {
      {scratch.path("folder"), "it is a directory"},
      {scratch.path("none/t.json"), "No such file or directory"},
      {scratch.path("file/t.json"), "Not a directory"},
      {"", "the path is empty"},
      {scratch.path(std::string(300, 'x')), "File name too long"},
  };
  for (const auto& [path, why] : rows) {
    INFO(path);
    const IoError before = check_writable(path);
    REQUIRE(before);
    CHECK(absl::StrContains(*before, why));
    CHECK(absl::StrContains(*before, "cannot write " + path));
    const IoError after = write_chrome_trace(Recorder{}, {}, path);
    REQUIRE(after);
    CHECK(absl::StrContains(*after, why));
    CHECK(absl::StrContains(*after, "cannot write " + path));
  }
  CHECK(scratch.files() == 2);
}

TEST_CASE("a path that can be written is found so, and untouched") {
  const Scratch scratch;
  CHECK(check_writable(scratch.path("t.json")) == IoError{});
  CHECK(scratch.files() == 0);
  write_file(scratch.path("t.json"), "old");
  CHECK(check_writable(scratch.path("t.json")) == IoError{});
  CHECK(read_file(scratch.path("t.json")) == "old");
  CHECK(check_writable("/dev/null") == IoError{});
}

TEST_CASE("a full device is an error, and a device stays a device") {
  if (!std::filesystem::is_character_file("/dev/full")) {
    WARN("skipped: no /dev/full here");
    return;
  }
  const IoError error = write_chrome_trace(Recorder{}, {}, "/dev/full");
  REQUIRE(error);
  CHECK(absl::StrContains(*error, "cannot write /dev/full"));
  CHECK(absl::StrContains(*error, "No space left"));
  CHECK(std::filesystem::is_character_file("/dev/full"));
  CHECK(write_chrome_trace(Recorder{}, {}, "/dev/null") == IoError{});
  CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("a symbolic link is followed, not replaced") {
  const Scratch scratch;
  write_file(scratch.path("real.json"), "old");
  std::filesystem::create_symlink("real.json", scratch.path("link.json"));
  REQUIRE(!write_chrome_trace(Recorder{}, {}, scratch.path("link.json")));
  CHECK(std::filesystem::is_symlink(scratch.path("link.json")));
  CHECK(check_trace_file(scratch.path("real.json")).violations.empty());
}

}  // namespace
}  // namespace brigade
