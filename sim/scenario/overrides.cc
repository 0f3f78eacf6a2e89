#include "sim/scenario/overrides.h"

#include <cctype>
#include <optional>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "sim/scenario/fields.h"

namespace brigade {
namespace {

// One step of a path: a key, or the index of a list's item.
struct PathStep {
  std::string key;
  std::optional<uint32_t> index;
};

std::optional<std::vector<PathStep>> steps_of(const std::string& path) {
  std::vector<PathStep> steps;
  size_t i = 0;
  while (i < path.size()) {
    if (path[i] == '[') {
      const size_t end = path.find(']', i);
      uint32_t index = 0;
      if (steps.empty() || end == std::string::npos ||
          !absl::SimpleAtoi(path.substr(i + 1, end - i - 1), &index))
        return {};
      steps.push_back({"", index});
      i = end + 1;
    } else {
      if (!steps.empty() && path[i++] != '.') return {};
      const size_t end = std::min(path.find_first_of(".[", i), path.size());
      if (end == i) return {};
      steps.push_back({path.substr(i, end - i), {}});
      i = end;
    }
  }
  if (steps.empty()) return {};
  return steps;
}

void move_to(Node& node, const Place& place) {
  node.place = node.key_place = place;
  for (Node& item : node.items) move_to(item, place);
}

std::optional<Node> value_of(const std::string& text, const Place& place, Diagnostics& errors) {
  if (text.starts_with('[') || text.starts_with('{')) {
    Diagnostics inside;
    std::optional<Node> value = parse_document(text, place.file, inside);
    for (const Diagnostic& diagnostic : inside.list()) errors.error(place, diagnostic.message);
    if (value) move_to(*value, place);
    return value;
  }
  Node value;
  value.kind = text.empty() ? Node::Kind::kNull : Node::Kind::kScalar;
  value.text = text;
  value.place = value.key_place = place;
  return value;
}

class Walk {
 public:
  Walk(const SchemaKey& schema, Node& root, const Place& place, Diagnostics& errors)
      : schema_(&schema), node_(&root), place_(place), errors_(errors) {}

  // The node at the end of `steps`, made where it may be; null after an error.
  Node* to(const std::vector<PathStep>& steps) {
    for (const PathStep& step : steps) {
      if (!(step.index ? into_item(*step.index) : into_key(step.key))) return nullptr;
    }
    return node_;
  }

 private:
  bool into_item(uint32_t index) {
    if (!node_->is_list())
      return refuse(absl::StrCat(shown(), " is ", name_of(node_->kind), "; [", index, "] needs a list"));
    if (index >= node_->items.size()) {
      return refuse(
          absl::StrCat(shown(), " has ", node_->items.size(), " items, numbered from 0; given: ", index));
    }
    node_ = &node_->items[index];
    if (const SchemaKey* item = schema_ ? schema_->find("") : nullptr) schema_ = item;
    absl::StrAppend(&walked_, "[", index, "]");
    return true;
  }

  bool into_key(const std::string& key) {
    if (node_->kind == Node::Kind::kNull) node_->kind = Node::Kind::kMap;
    if (!node_->is_map())
      return refuse(absl::StrCat(shown(), " is ", name_of(node_->kind), "; ", quote(key), " needs a map"));
    const SchemaKey* known = schema_ ? schema_->find(key) : nullptr;
    Node* item = node_->find(key);
    if (!item) {
      // Beside `file` stand parameters, which the file named there will check.
      if (!known && !node_->find("file"))
        return refuse(absl::StrCat("unknown key ", quote(key), in(), suggestion(key, names())));
      item = &node_->items.emplace_back();
      item->key = key;
      item->place = item->key_place = place_;
    }
    schema_ = known ? known : schema_ ? schema_->find(kAnyName) : nullptr;
    node_ = item;
    absl::StrAppend(&walked_, walked_.empty() ? "" : ".", key);
    return true;
  }

  // What may stand here: the schema's keys, or the names that the file has.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const SchemaKey& key : schema_ ? schema_->children : std::vector<SchemaKey>()) {
      if (key.key != kAnyName) names.push_back(key.key);
    }
    if (!names.empty()) return names;
    for (const Node& item : node_->items) names.push_back(item.key);
    return names;
  }

  std::string shown() const { return walked_.empty() ? "the file" : walked_; }
  std::string in() const { return walked_.empty() ? "" : " in " + walked_; }
  bool refuse(std::string message) {
    errors_.error(place_, std::move(message));
    return false;
  }

  const SchemaKey* schema_;
  Node* node_;
  Place place_;
  Diagnostics& errors_;
  std::string walked_;
};

}  // namespace

void apply_override(const std::string& override, const SchemaKey& schema, Node& root, Diagnostics& errors) {
  const size_t equals = override.find('=');
  const std::string path = override.substr(0, equals);
  const Place place{absl::StrCat("--set ", path), 0, 0};
  if (equals == std::string::npos || !steps_of(path)) {
    errors.error({absl::StrCat("--set ", override), 0, 0},
                 "expected PATH=VALUE, such as jobs.train.buckets.cap=50MB");
    return;
  }
  std::optional<Node> value = value_of(override.substr(equals + 1), place, errors);
  if (value) apply_value(path, place, std::move(*value), schema, root, errors);
}

void apply_value(const std::string& path, const Place& at, Node value, const SchemaKey& schema, Node& root,
                 Diagnostics& errors) {
  const std::optional<std::vector<PathStep>> steps = steps_of(path);
  if (!steps) {
    errors.error(at, absl::StrCat(quote(path), " is no path, such as jobs.train.buckets.cap"));
    return;
  }
  Node* node = Walk(schema, root, at, errors).to(*steps);
  if (!node) return;
  value.key = node->key;
  *node = std::move(value);
}

}  // namespace brigade
