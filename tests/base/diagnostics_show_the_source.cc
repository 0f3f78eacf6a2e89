// All mistakes at once, in order of place, each with its source line and a caret.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sim/base/diagnostic.h"
#include "tests/catch.h"

using namespace brigade;

namespace {

// A file in the temporary directory, gone at the end of the test.
class SourceFile {
 public:
  explicit SourceFile(const std::string& text) {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("brigade_diagnostic_" + std::to_string(getpid()) + "_" + std::to_string(++count) + ".yaml");
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~SourceFile() { std::filesystem::remove(path_); }
  std::string name() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("an error shows its line and a caret below the column") {
  const SourceFile file("jobs:\n  a:\n    algorithm: rng\n");
  Diagnostics diagnostics;
  CHECK(diagnostics.ok());
  diagnostics.error({file.name(), 3, 16}, "unknown algorithm \"rng\"; did you mean \"ring\"?");
  CHECK_FALSE(diagnostics.ok());
  CHECK(diagnostics.text() == file.name() +
                                  ":3:16: error: unknown algorithm \"rng\"; did you mean \"ring\"?\n"
                                  "    3 |     algorithm: rng\n"
                                  "      |                ^\n");
}

TEST_CASE("diagnostics come in order of place, and those of one place in order of report") {
  Diagnostics diagnostics;
  diagnostics.error({"b.yaml", 1, 1}, "sixth");
  diagnostics.error({"a.yaml", 10, 2}, "fifth");
  diagnostics.error({"a.yaml", 9, 30}, "third");
  diagnostics.error({"a.yaml", 9, 4}, "second");
  diagnostics.warning({"a.yaml", 9, 30}, "fourth");
  diagnostics.error({"a.yaml", 0, 0}, "first");
  CHECK(diagnostics.errors() == 5);
  CHECK(diagnostics.text() ==
        "a.yaml: error: first\n"
        "a.yaml:9:4: error: second\n"
        "a.yaml:9:30: error: third\n"
        "a.yaml:9:30: warning: fourth\n"
        "a.yaml:10:2: error: fifth\n"
        "b.yaml:1:1: error: sixth\n");
}

TEST_CASE("warnings alone are no failure") {
  Diagnostics diagnostics;
  diagnostics.warning({}, "segment: auto gives 64 segments");
  CHECK(diagnostics.ok());
  CHECK(diagnostics.text() == "warning: segment: auto gives 64 segments\n");
}

TEST_CASE("the caret stands below the right character after tabs and multi-byte characters") {
  const SourceFile file("\tname: \"\xC3\xA4\xE2\x82\xAC\" x\r\n");
  Diagnostics diagnostics;
  diagnostics.error({file.name(), 1, 16}, "bad");  // the x: column counts bytes
  CHECK(diagnostics.text() == file.name() +
                                  ":1:16: error: bad\n"
                                  "    1 | \tname: \"\xC3\xA4\xE2\x82\xAC\" x\n"
                                  "      | \t           ^\n");
}

TEST_CASE("a long line is cut to the part around the caret, control characters are not printed") {
  const SourceFile file(std::string(1'000, 'a') + "\x1b!" + std::string(1'000, 'b') + "\n");
  Diagnostics diagnostics;
  diagnostics.error({file.name(), 1, 1'001}, "bad");
  CHECK(diagnostics.text() == file.name() + ":1:1001: error: bad\n    1 | " + std::string(60, 'a') + "?!" +
                                  std::string(58, 'b') + "\n      | " + std::string(60, ' ') + "^\n");
}

TEST_CASE("a place beyond the file, a directory and a missing file show no source") {
  const SourceFile file("one line\n");
  const std::string directory = std::filesystem::temp_directory_path().string();
  Diagnostics diagnostics;
  diagnostics.error({file.name(), 2, 1}, "beyond");
  CHECK(diagnostics.text() == file.name() + ":2:1: error: beyond\n");
  Diagnostics others;
  others.error({directory, 1, 1}, "a directory");
  CHECK(others.text() == directory + ":1:1: error: a directory\n");
}

TEST_CASE("a column beyond the line puts the caret at its end") {
  const SourceFile file("ab\n");
  Diagnostics diagnostics;
  diagnostics.error({file.name(), 1, 99}, "unexpected end");
  CHECK(diagnostics.text() == file.name() + ":1:99: error: unexpected end\n    1 | ab\n      |   ^\n");
}
