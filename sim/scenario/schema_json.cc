// JSON Schema, draft 2020-12: for editors that complete and check YAML while one types. Looser than the
// reader: it knows shapes and choices, not units, names or ranges.
#include <cctype>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "sim/scenario/schema.h"
#include "sim/scenario/study.h"

namespace brigade {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// "true" and "1" are JSON of their own.
std::string literal(const std::string& text) {
  const bool bare = text == "true" || text == "false" ||
                    (!text.empty() && std::isdigit(static_cast<unsigned char>(text[0])));
  return bare ? text : quoted(text);
}

std::string any_of(const std::vector<std::string>& shapes) {
  return absl::StrCat(R"({"anyOf": [)", absl::StrJoin(shapes, ", "), "]}");
}
std::string list_of(const std::string& item) {
  return absl::StrCat(R"({"type": "array", "items": )", item, "}");
}

// `in_cluster`: any value may be a parameter, and any key one's name.
std::string shape(const SchemaKey& key, bool in_cluster);

std::string object(const SchemaKey& key, bool in_cluster) {
  std::vector<std::string> properties, required;
  std::string others = key.key == "cluster" ? "true" : "false";
  for (const SchemaKey& child : key.children) {
    if (child.key == kAnyName) {
      others = shape(child, in_cluster);
      continue;
    }
    properties.push_back(absl::StrCat(quoted(child.key), ": ", shape(child, in_cluster)));
    if (child.need == Need::kRequired && child.when.empty()) required.push_back(quoted(child.key));
  }
  return absl::StrCat(R"({"type": "object", "properties": {)", absl::StrJoin(properties, ",\n"),
                      R"(}, "required": [)", absl::StrJoin(required, ", "), R"(], "additionalProperties": )",
                      others, "}");
}

std::string scalar(const SchemaKey& key) {
  std::vector<std::string> values;
  for (const std::string& value : key.allowed) values.push_back(literal(value));
  if (!values.empty()) return absl::StrCat(R"({"enum": [)", absl::StrJoin(values, ", "), "]}");
  if (key.type.starts_with("whole number")) return R"({"type": "integer"})";
  if (key.type == "number") return R"({"type": "number"})";
  return R"({"type": ["string", "number"]})";
}

std::string bare_shape(const SchemaKey& key, bool in_cluster) {
  // Shapes of studies, which a reader of their own looks at.
  if (key.type == "path, or scenario" || key.type == "path, or map")
    return R"({"type": ["string", "object"]})";
  if (key.type == "list, or map of labels and values") return R"({"type": ["array", "object"]})";
  if (key.type == "map of paths and values") return R"({"type": "object"})";
  if (const SchemaKey* item = key.find("")) return list_of(shape(*item, in_cluster));
  if (key.type == "map of names and defaults") return R"({"type": "object"})";
  if (key.type.starts_with("map")) return object(key, in_cluster);
  if (!key.type.ends_with("or a list of them")) return scalar(key);
  std::vector<std::string> shapes = {scalar(key)};
  if (!key.children.empty()) shapes.push_back(object(key, in_cluster));
  const std::string one = any_of(shapes);
  return any_of({one, list_of(one)});
}

std::string shape(const SchemaKey& key, bool in_cluster) {
  const bool below_cluster = in_cluster || key.key == "cluster";
  std::string text = bare_shape(key, below_cluster);
  if (in_cluster) text = any_of({text, R"({"type": ["string", "number", "boolean"]})"});
  if (key.meaning.empty()) return text;
  const std::string fallback = key.fallback.empty() ? "" : absl::StrCat("; default ", key.fallback);
  return absl::StrCat(R"({"description": )", quoted(key.meaning + fallback), ", ", text.substr(1));
}

std::string document(const SchemaKey& schema, const char* title) {
  return absl::StrCat(R"({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": )",
                      quoted(title), ",\n", object(schema, false).substr(1), "\n");
}

}  // namespace

std::string schema_json() { return document(scenario_schema(), "Brigade scenario"); }
std::string study_schema_json() { return document(study_schema(), "Brigade study"); }

}  // namespace brigade
