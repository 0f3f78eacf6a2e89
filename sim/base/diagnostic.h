// A user's mistakes: each with its place, all of a file reported at once, compiler style.
//
//   scenarios/a.yaml:12:9: error: unknown algorithm "rng"; did you mean "ring"?
//
// Whoever reads input collects into a `Diagnostics` and goes on, so that ten mistakes give ten lines. The
// floors below `scenario` know no YAML, but their specs carry the `Place` they came from and report here as
// well.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace brigade {

// Where in which file. line and column count from 1; 0 means the file as a whole (or the command line).
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

struct Diagnostic {
  enum class Severity { kError, kWarning };
  Severity severity = Severity::kError;
  Place place;
  std::string message;
};

class Diagnostics {
 public:
  void error(const Place& place, std::string message) {
    list_.push_back({Diagnostic::Severity::kError, place, std::move(message)});
    ++errors_;
  }
  void warning(const Place& place, std::string message) {
    list_.push_back({Diagnostic::Severity::kWarning, place, std::move(message)});
  }
  bool ok() const { return errors_ == 0; }
  int errors() const { return errors_; }
  const std::vector<Diagnostic>& list() const { return list_; }
  // In order of place (file, line, column), one line each, then the source line with a caret where the file
  // can be read again.
  std::string text() const;

 private:
  std::vector<Diagnostic> list_;
  int errors_ = 0;
};

// `; did you mean "ring"?` for the closest of `allowed` (edit distance at most 2 and under half the length),
// else
// `; allowed: a, b, c`.
std::string suggestion(std::string_view given, const std::vector<std::string>& allowed);

}  // namespace brigade
