#include "sim/base/diagnostic.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"

namespace brigade {
namespace {

constexpr std::size_t kShownBytes = 120;    // of a long source line
constexpr std::size_t kListedNames = 20;    // of many allowed ones
constexpr std::size_t kSuggestedEdits = 2;  // more than that is a guess

// Edit distance with neighbours exchanged as one edit (optimal string alignment).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The lines of files that diagnostics point into, each file read once.
class Sources {
 public:
  // nullptr where the file or the line is not there.
  const std::string* line(const Place& place) {
    if (place.file.empty() || place.line < 1) return nullptr;
    const auto [entry, is_new] = files_.try_emplace(place.file);
    if (is_new) read(place.file, entry->second);
    const std::size_t index = static_cast<std::size_t>(place.line) - 1;
    return index < entry->second.size() ? &entry->second[index] : nullptr;
  }

 private:
  static void read(const std::string& file, std::vector<std::string>& lines) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  }

  std::map<std::string, std::vector<std::string>> files_;
};

// "   12 |     algorithm: rng" and below it the caret; a long line is cut to the part around it.
void append_source(std::string& text, const std::string& line, const Place& place) {
  const std::size_t caret = std::min<std::size_t>(place.column < 1 ? 0 : place.column - 1, line.size());
  std::size_t begin = caret < kShownBytes ? 0 : caret - kShownBytes / 2;
  std::size_t end = std::min(line.size(), begin + kShownBytes);
  while (begin > 0 && continues_character(line[begin])) --begin;
  while (end < line.size() && continues_character(line[end])) ++end;

  std::string shown, padding;
  for (std::size_t i = begin; i < end; ++i) {
    if (line[i] == '\r' && i + 1 == line.size()) break;
    const bool control = static_cast<unsigned char>(line[i]) < ' ' && line[i] != '\t';
    shown += control ? '?' : line[i];
    if (i < caret && !continues_character(line[i])) padding += line[i] == '\t' ? '\t' : ' ';
  }
  const std::string number = absl::StrCat(place.line);
  const std::string margin(number.size() < 5 ? 5 - number.size() : 0, ' ');
  absl::StrAppend(&text, margin, number, " | ", shown, "\n");
  if (place.column < 1) return;
  absl::StrAppend(&text, margin, std::string(number.size(), ' '), " | ", padding, "^\n");
}

}  // namespace

std::string Diagnostics::text() const {
  std::vector<const Diagnostic*> sorted;
  for (const Diagnostic& diagnostic : list_) sorted.push_back(&diagnostic);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic* a, const Diagnostic* b) {
    return std::tie(a->place.file, a->place.line, a->place.column) <
           std::tie(b->place.file, b->place.line, b->place.column);
  });

  Sources sources;
  std::string text;
  for (const Diagnostic* diagnostic : sorted) {
    const Place& place = diagnostic->place;
    if (!place.file.empty()) {
      absl::StrAppend(&text, place.file, ":");
      if (place.line > 0) absl::StrAppend(&text, place.line, ":");
      if (place.line > 0 && place.column > 0) absl::StrAppend(&text, place.column, ":");
      text += ' ';
    }
    const bool is_error = diagnostic->severity == Diagnostic::Severity::kError;
    absl::StrAppend(&text, is_error ? "error: " : "warning: ", diagnostic->message, "\n");
    if (const std::string* line = sources.line(place)) append_source(text, *line, place);
  }
  return text;
}

std::string suggestion(std::string_view given, const std::vector<std::string>& allowed) {
  const std::string* best = nullptr;
  std::size_t best_edits = kSuggestedEdits + 1;
  for (const std::string& candidate : allowed) {
    const std::size_t length = std::max(given.size(), candidate.size());
    if (length - std::min(given.size(), candidate.size()) >= best_edits) continue;
    const std::size_t needed = edits(given, candidate);
    if (needed < best_edits && 2 * needed < length) {
      best = &candidate;
      best_edits = needed;
    }
  }
  if (best != nullptr) return absl::StrCat("; did you mean \"", *best, "\"?");
  if (allowed.empty()) return "";

  std::string list;
  for (std::size_t i = 0; i < std::min(allowed.size(), kListedNames); ++i) {
    absl::StrAppend(&list, i == 0 ? "" : ", ", allowed[i]);
  }
  if (allowed.size() > kListedNames) absl::StrAppend(&list, " and ", allowed.size() - kListedNames, " more");
  return absl::StrCat("; allowed: ", list);
}

}  // namespace brigade
