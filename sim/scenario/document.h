// A YAML document as plain data: every value and key with its place, aliases already expanded.
//
// Stricter than YAML where leniency hides mistakes: a duplicate key, a key without a plain name, a merge key
// (<<), a second document and a tag are errors. Bounded, so that no file can exhaust memory or the stack: see
// the limits. Only document.cc knows yaml-cpp, and its exceptions end there.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"

namespace brigade {

constexpr int kDocumentDepthMax = 64;          // maps and lists inside each other
constexpr size_t kDocumentNodesMax = 200'000;  // values, after aliases are expanded

struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  std::string text;         // of a scalar
  std::vector<Node> items;  // of a list, or of a map in file order
  std::string key;          // where this is an item of a map
  Place place;              // of the value
  Place key_place;          // of the key, or of the value where there is none

  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_map() const { return kind == Kind::kMap; }
  // The item `name` of a map; null where there is none.
  const Node* find(const std::string& name) const;
  Node* find(const std::string& name);
};

// "a map", "a list", "text", "nothing".
const char* name_of(Node::Kind kind);

// The value on one line, as flow YAML that reads back as the same value: `{nodes: 4, file: a.yaml}`.
std::string flow_text(const Node& node);

// `file` names the bytes in errors. Empty where the text is not one readable document.
std::optional<Node> parse_document(const std::string& bytes, const std::string& file, Diagnostics& errors);

}  // namespace brigade
