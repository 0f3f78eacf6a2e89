// Every key of a scenario and of a cluster file: type, default, what is allowed, meaning. Collected from the
// very functions that read them (fields.h), so that it cannot disagree with the reader.
#pragma once
#include <string>
#include <vector>

namespace brigade {

enum class Need { kRequired, kDefault, kOptional };

struct SchemaKey {
  std::string key;   // as written; empty: of the items of a list; kAnyName: of the user's choice
  std::string type;  // "bandwidth (50 GB/s)", "map", "list of maps"
  Need need = Need::kOptional;
  std::string fallback;              // the default, as it would be written
  std::vector<std::string> allowed;  // of a choice
  std::string meaning;
  std::string when;  // "kind: ddp": only then is the key known
  std::vector<SchemaKey> children;

  const SchemaKey* find(const std::string& name) const;
};
constexpr const char* kAnyName = "NAME";

// All keys of a scenario; those of a cluster file.
SchemaKey scenario_schema();
SchemaKey cluster_schema();

// `brigade schema`: an indented tree, for people.
std::string schema_text();
// `brigade schema --json`: JSON Schema, draft 2020-12, of a scenario.
std::string schema_json();

}  // namespace brigade
