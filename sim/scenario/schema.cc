#include "sim/scenario/schema.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "sim/scenario/study.h"

namespace brigade {
namespace {

constexpr size_t kMeaningColumn = 44;

std::string presence(const SchemaKey& key) {
  if (key.need == Need::kRequired) return "required";
  if (key.fallback.empty()) return key.need == Need::kOptional ? "optional" : "";
  return absl::StrCat("default ", key.fallback);
}

void append_text(const SchemaKey& key, int depth, std::string& out) {
  std::string when;
  for (const SchemaKey& child : key.children) {
    if (child.when != when && !child.when.empty())
      absl::StrAppend(&out, std::string(2 * depth, ' '), "# with ", child.when, "\n");
    when = child.when;
    std::string line = absl::StrCat(std::string(2 * depth, ' '), child.key.empty() ? "-" : child.key + ":");
    const std::string type =
        child.allowed.empty() || child.type != "choice" ? child.type : absl::StrJoin(child.allowed, " | ");
    absl::StrAppend(&line, " ", type);
    if (line.size() < kMeaningColumn) line.resize(kMeaningColumn, ' ');
    const std::string needed = presence(child);
    if (!child.meaning.empty())
      absl::StrAppend(&line, "  # ", needed, needed.empty() ? "" : ": ", child.meaning);
    if (child.type != "choice" && !child.allowed.empty()) {
      absl::StrAppend(&line, " (", absl::StrJoin(child.allowed, ", "), ")");
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&out, line, "\n");
    append_text(child, depth + 1, out);
  }
}

}  // namespace

std::string schema_text() {
  std::string out;
  append_text(scenario_schema(), 0, out);
  return out;
}

std::string study_schema_text() {
  std::string out;
  append_text(study_schema(), 0, out);
  return out;
}

}  // namespace brigade
