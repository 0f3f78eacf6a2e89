#include "sim/scenario/fields.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace brigade {
namespace {

constexpr size_t kQuotedBytesMax = 60;

bool is_name(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string choice_type(const std::string& type, const std::vector<std::string>& allowed) {
  const bool composed = type.starts_with("map") || type.starts_with("list");
  std::string text = !allowed.empty() ? "one of " : composed ? "a " + type : type;
  for (const std::string& name : allowed) absl::StrAppend(&text, &name == &allowed.front() ? "" : ", ", name);
  return text;
}

}  // namespace

std::string quote(const std::string& text) {
  if (text.size() <= kQuotedBytesMax) return absl::StrCat("\"", text, "\"");
  size_t end = kQuotedBytesMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return absl::StrCat("\"", text.substr(0, end), "...\"");
}

Fields::Fields(Reading& reading, const Node& map, std::string path)
    : reading_(reading), map_(&map), path_(std::move(path)) {}
Fields::Fields(Reading& reading, SchemaKey& schema) : reading_(reading), schema_(&schema) {}

Place Fields::place_of(const char* key) const {
  const Node* node = map_ ? map_->find(key) : nullptr;
  return node ? node->place : place();
}

const Node* Fields::find(const char* key, Need need, const std::string& fallback, const std::string& type,
                         const std::vector<std::string>& allowed, const char* meaning, const Body& children) {
  if (schema_) {
    SchemaKey described{key, type, need, fallback, allowed, meaning, when_, {}};
    if (children) {
      Fields below(reading_, described);
      children(below);
    }
    schema_->children.push_back(std::move(described));
    return nullptr;
  }
  known_.push_back(key);
  const Node* node = map_->find(key);
  if (!node) {
    if (need == Need::kRequired) {
      error(map_->key_place, absl::StrCat("missing key \"", key, "\"", where(), " (", meaning, "); expected ",
                                          choice_type(type, allowed)));
    } else if (need == Need::kDefault && !fallback.empty()) {
      reading_.defaulted.push_back({path_of(key), fallback});
    }
    return nullptr;
  }
  if (node->kind == Node::Kind::kNull) {
    error(node->key_place,
          absl::StrCat("key \"", key, "\" has no value; expected ", choice_type(type, allowed)));
    return nullptr;
  }
  return node;
}

bool Fields::expect_scalar(const Node& node, const char* key, const std::string& type,
                           const std::vector<std::string>& allowed) {
  if (node.is_scalar()) return true;
  error(node.place, absl::StrCat(key, " is ", name_of(node.kind), "; expected ", choice_type(type, allowed)));
  return false;
}

bool Fields::expect_map(const Node& node, const char* key) {
  if (node.is_map()) return true;
  error(node.place, absl::StrCat(key, " is ", name_of(node.kind), "; expected a map"));
  return false;
}

bool Fields::expect_items(const Node& list, const char* key) {
  if (!list.is_list()) {
    error(list.place, absl::StrCat(key, " is ", name_of(list.kind), "; expected a list"));
    return false;
  }
  if (list.items.empty()) error(list.place, absl::StrCat(key, " is an empty list"));
  return !list.items.empty();
}

void Fields::refuse(const Node& node, const std::string& noun, const std::string& reason,
                    const std::vector<std::string>& allowed) {
  if (reason.empty()) {
    error(node.place, absl::StrCat("unknown ", noun, " ", quote(node.text), suggestion(node.text, allowed)));
  } else {
    error(node.place, absl::StrCat(noun, " ", quote(node.text), " ", reason));
  }
}

void Fields::inside(const Node& node, const std::string& key, const Body& body) {
  Fields below(reading_, node, path_of(key));
  body(below);
  below.finish();
}

bool Fields::map(const char* key, Need need, const char* meaning, const Body& body) {
  const Node* node = find(key, need, "", "map", {}, meaning, body);
  if (need == Need::kDefault && map_ && !map_->find(key)) {
    Node empty;
    empty.kind = Node::Kind::kMap;
    empty.place = empty.key_place = map_->place;
    inside(empty, key, body);
    return false;
  }
  if (!node || !expect_map(*node, key)) return false;
  inside(*node, key, body);
  return true;
}

bool Fields::maps(const char* key, Need need, const char* meaning, const Body& body) {
  const Node* node = find(key, need, "", "list of maps", {}, meaning,
                          [&](Fields& list) { list.find("", Need::kOptional, "", "map", {}, "", body); });
  if (!node || !expect_items(*node, key)) return false;
  for (size_t i = 0; i < node->items.size(); ++i) {
    if (expect_map(node->items[i], key)) inside(node->items[i], absl::StrCat(key, "[", i, "]"), body);
  }
  return true;
}

bool Fields::named(const char* key, Need need, const char* meaning, const NamedBody& body) {
  const Node* node = find(key, need, "", "map of maps", {}, meaning, [&](Fields& names) {
    names.find(kAnyName, Need::kOptional, "", "map", {}, "a name of your choice",
               [&](Fields& named_map) { body(kAnyName, named_map); });
  });
  if (!node || !expect_map(*node, key)) return false;
  if (node->items.empty()) error(node->place, absl::StrCat(key, " is empty"));
  for (const Node& item : node->items) {
    if (!is_name(item.key)) {
      error(item.key_place,
            absl::StrCat("name ", quote(item.key), " in ", key, "; allowed: letters, digits, _ and -"));
    } else if (item.kind == Node::Kind::kNull) {
      error(item.key_place, absl::StrCat("key \"", item.key, "\" has no value; expected a map"));
    } else if (expect_map(item, item.key.c_str())) {
      inside(item, absl::StrCat(key, ".", item.key), [&](Fields& fields) { body(item.key, fields); });
    }
  }
  return !node->items.empty();
}

void Fields::when(const char* condition, bool holds, const std::function<void()>& keys) {
  if (schema_) {
    const std::string before = std::exchange(when_, condition);
    keys();
    when_ = before;
  } else if (holds) {
    keys();
  }
}

void Fields::finish() {
  if (!map_ || ignore_rest_) return;
  for (const Node& item : map_->items) {
    if (std::find(known_.begin(), known_.end(), item.key) != known_.end()) continue;
    error(item.key_place,
          absl::StrCat("unknown key ", quote(item.key), where(), suggestion(item.key, known_)));
  }
}

Kind<std::string> name_in(const Fields& in, const char* where, std::vector<std::string> names) {
  if (in.describing()) names.clear();
  Kind<std::string> kind = name_among(std::move(names));
  kind.type = absl::StrCat("name in ", where);
  return kind;
}

const SchemaKey* SchemaKey::find(const std::string& name) const {
  for (const SchemaKey& child : children) {
    if (child.key == name) return &child;
  }
  return nullptr;
}

}  // namespace brigade
