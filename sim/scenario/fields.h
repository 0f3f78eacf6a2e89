// Reads the keys of one map into a struct, or describes them: the same calls do both.
//
//   fields.required("bandwidth", bandwidth(), cable.bandwidth, "of each direction");
//   fields.defaulted("cables", whole<int>(1, 1024), cable.cables, "parallel cables that act as one link");
//
// A default is what the struct holds before the call. Whoever opens a map closes it with finish(), which
// refuses the keys that no call has asked for. Errors are collected, never thrown: a call that fails leaves
// the field alone.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/scenario/document.h"
#include "sim/scenario/kinds.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/schema.h"

namespace brigade {

// What all Fields of one reading share.
struct Reading {
  Diagnostics& errors;
  std::vector<DefaultedKey> defaulted;
};

// Text of a file as part of a message: quoted, cut where it is long.
std::string quote(const std::string& text);

class Fields {
 public:
  // Reads `map`. `path` is where it stands: "jobs.train", or empty for the whole file.
  Fields(Reading& reading, const Node& map, std::string path);
  // Describes into `schema`.
  Fields(Reading& reading, SchemaKey& schema);

  bool describing() const { return schema_ != nullptr; }
  Place place() const { return map_ ? map_->place : Place{}; }
  bool has(const char* key) const { return map_ && map_->find(key); }
  // Of the key's value where there is one, else of the map.
  Place place_of(const char* key) const;
  void error(const Place& place, std::string message) { reading_.errors.error(place, std::move(message)); }

  // True: `out` was read from the file.
  template <class T>
  bool required(const char* key, const Kind<T>& kind, T& out, const char* meaning) {
    return take(find(key, Need::kRequired, "", kind.type, kind.allowed, meaning), key, kind, out);
  }
  template <class T>
  bool defaulted(const char* key, const Kind<T>& kind, T& out, const char* meaning) {
    return take(find(key, Need::kDefault, kind.print(out), kind.type, kind.allowed, meaning), key, kind, out);
  }
  template <class T>
  bool optional(const char* key, const Kind<T>& kind, std::optional<T>& out, const char* meaning) {
    const Node* node = find(key, Need::kOptional, "", kind.type, kind.allowed, meaning);
    std::optional<T> value = parsed(node, key, kind);
    if (value) out = std::move(value);
    return value.has_value();
  }
  // One value, or a list of them.
  template <class T>
  bool list(const char* key, Need need, const Kind<T>& kind, std::vector<T>& out, const char* meaning) {
    const Node* node = find(key, need, "", kind.type + ", or a list of them", kind.allowed, meaning);
    if (!node) return false;
    if (!node->is_list()) return take_into(*node, key, kind, out);
    bool ok = expect_items(*node, key);
    for (const Node& item : node->items) ok &= take_into(item, key, kind, out);
    return ok;
  }
  using Body = std::function<void(Fields&)>;
  // kDefault: a missing map is read as an empty one.
  bool map(const char* key, Need need, const char* meaning, const Body& body);
  // A list of maps, each read by `body`.
  bool maps(const char* key, Need need, const char* meaning, const Body& body);
  // A map of maps under names of the user's choice ([A-Za-z0-9_-]).
  using NamedBody = std::function<void(const std::string& name, Fields&)>;
  bool named(const char* key, Need need, const char* meaning, const NamedBody& body);
  // Keys that exist only in this case; `holds` decides when reading.
  void when(const char* condition, bool holds, const std::function<void()>& keys);

  // For shapes of their own: the value, or null where it is missing, empty, or only described. `children`
  // describes what lies below.
  const Node* find(const char* key, Need need, const std::string& fallback, const std::string& type,
                   const std::vector<std::string>& allowed, const char* meaning,
                   const Body& children = nullptr);
  template <class T>
  bool take(const Node* node, const char* key, const Kind<T>& kind, T& out) {
    std::optional<T> value = parsed(node, key, kind);
    if (value) out = std::move(*value);
    return value.has_value();
  }
  bool expect_map(const Node& node, const char* key);
  bool expect_items(const Node& list, const char* key);  // a list of one or more
  // Reads `node`, a map below this one, by `body`.
  void inside(const Node& node, const std::string& key, const Body& body);

  void finish();
  // No call will ask for the rest, and it is not to be refused either: what it should be depends on a bad
  // value.
  void ignore_rest() { ignore_rest_ = true; }

 private:
  template <class T>
  std::optional<T> parsed(const Node* node, const char* key, const Kind<T>& kind) {
    if (!node || !expect_scalar(*node, key, kind.type, kind.allowed)) return {};
    Parsed<T> parsed = kind.parse(node->text);
    if (!parsed.value) refuse(*node, kind.noun.empty() ? key : kind.noun, parsed.error, kind.allowed);
    return std::move(parsed.value);
  }
  template <class T>
  bool take_into(const Node& item, const char* key, const Kind<T>& kind, std::vector<T>& out) {
    std::optional<T> value = parsed(&item, key, kind);
    if (value) out.push_back(std::move(*value));
    return value.has_value();
  }
  bool expect_scalar(const Node& node, const char* key, const std::string& type,
                     const std::vector<std::string>& allowed);
  void refuse(const Node& node, const std::string& noun, const std::string& error,
              const std::vector<std::string>& allowed);
  std::string path_of(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  std::string where() const { return path_.empty() ? "" : " in " + path_; }

  Reading& reading_;
  const Node* map_ = nullptr;    // when reading
  SchemaKey* schema_ = nullptr;  // when describing
  std::string path_;
  std::string when_;
  std::vector<std::string> known_;
  bool ignore_rest_ = false;
};

// One of the names that the file gives in its map `where`; when describing, just that.
Kind<std::string> name_in(const Fields& in, const char* where, std::vector<std::string> names);

}  // namespace brigade
