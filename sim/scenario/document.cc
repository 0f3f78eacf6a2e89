#include "sim/scenario/document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <map>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"

namespace brigade {
namespace {

// Ends the parse after its error has been reported.
struct Stop : std::exception {};

// Builds the tree from yaml-cpp's events: they carry the marks of keys, which its own nodes lose with
// duplicates.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& text, const std::string& file, Diagnostics& errors)
      : text_(text), file_(file), errors_(errors) {}

  bool empty() const { return !done_ || root_.kind == Node::Kind::kNull; }
  Node take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (done_) stop(at(mark), "a second document begins here; a file holds one");
  }
  void OnDocumentEnd() override { done_ = true; }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(leaf(mark, Node::Kind::kNull, ""), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    refuse_open_quote(mark);
    // "?" is the tag of text without quotes.
    const bool null = tag == "?" && (value == "~" || value == "null");
    add(leaf(mark, null ? Node::Kind::kNull : Node::Kind::kScalar, value), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(mark, Node::Kind::kList, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(mark, Node::Kind::kMap, anchor);
  }
  void OnMapEnd() override { close(); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) stop(at(mark), "an alias inside the value that it repeats");
    count(mark, found->second.nodes);
    if (depth() + found->second.depth > kDocumentDepthMax) refuse_depth(mark);
    add(found->second.node, 0);
  }

 private:
  // An open map or list, with the key that waits for its value.
  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    std::map<std::string, Place> seen;  // keys of a map
    bool has_key = false, skip = false;
    std::string key;
    Place key_place;
    size_t nodes_before = 0;
    int depth_inside = 1;
  };
  struct Anchored {
    Node node;
    size_t nodes = 1;
    int depth = 0;
  };

  [[noreturn]] void stop(const Place& place, std::string message) {
    errors_.error(place, std::move(message));
    throw Stop();
  }
  Place at(const YAML::Mark& mark) const { return {file_, mark.line + 1, mark.column + 1}; }
  int depth() const { return static_cast<int>(open_.size()); }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    stop(at(mark), absl::StrCat("the tag ", tag, " is not allowed; write the plain value"));
  }
  // yaml-cpp takes the end of the file for the closing quote.
  void refuse_open_quote(const YAML::Mark& mark) {
    const size_t begin = static_cast<size_t>(mark.pos);
    if (begin >= text_.size() || (text_[begin] != '"' && text_[begin] != '\'')) return;
    const char quote = text_[begin];
    for (size_t i = begin + 1; i < text_.size(); ++i) {
      const bool escaped = quote == '"' ? text_[i] == '\\' : text_.compare(i, 2, "''") == 0;
      if (escaped) {
        ++i;
      } else if (text_[i] == quote) {
        return;
      }
    }
    stop(at(mark), "this quote is never closed");
  }
  [[noreturn]] void refuse_depth(const YAML::Mark& mark) {
    stop(at(mark), absl::StrCat("more than ", kDocumentDepthMax, " maps and lists inside each other"));
  }
  void count(const YAML::Mark& mark, size_t nodes) {
    nodes_ += nodes;
    if (nodes_ <= kDocumentNodesMax) return;
    stop(at(mark),
         absl::StrCat("the file holds more than ", kDocumentNodesMax, " values (aliases expanded)"));
  }

  Node leaf(const YAML::Mark& mark, Node::Kind kind, const std::string& text) {
    count(mark, 1);
    Node node;
    node.kind = kind;
    node.text = text;
    node.place = node.key_place = at(mark);
    return node;
  }

  void open(const YAML::Mark& mark, Node::Kind kind, YAML::anchor_t anchor) {
    if (depth() >= kDocumentDepthMax) refuse_depth(mark);
    if (expects_key())
      stop(at(mark), "a key is a name, not a map or a list; or this bracket is never closed");
    Open opened;
    opened.nodes_before = nodes_;
    opened.node = leaf(mark, kind, "");
    opened.anchor = anchor;
    open_.push_back(std::move(opened));
  }
  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    const int depth = closed.depth_inside;
    if (!open_.empty()) open_.back().depth_inside = std::max(open_.back().depth_inside, depth + 1);
    add(std::move(closed.node), closed.anchor, nodes_ - closed.nodes_before, depth);
  }

  bool expects_key() const { return !open_.empty() && open_.back().node.is_map() && !open_.back().has_key; }

  void add(Node node, YAML::anchor_t anchor, size_t nodes = 1, int depth = 0) {
    if (anchor != 0) anchored_[anchor] = {node, nodes, depth};
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (expects_key()) {
      take_key(node);
    } else {
      Open& parent = open_.back();
      if (parent.node.is_map()) {
        node.key = parent.key;
        node.key_place = parent.key_place;
        parent.has_key = false;
      } else {
        node.key.clear();
        node.key_place = node.place;
      }
      if (!std::exchange(parent.skip, false)) parent.node.items.push_back(std::move(node));
    }
  }

  void take_key(const Node& node) {
    if (!node.is_scalar() || node.text.empty()) stop(node.place, "a key is a name");
    if (node.text == "<<") {
      stop(node.place,
           "merge keys (<<) are not allowed; write the keys out or repeat the whole value by *alias");
    }
    Open& map = open_.back();
    map.has_key = true;
    map.key = node.text;
    map.key_place = node.place;
    const auto [first, is_new] = map.seen.try_emplace(node.text, node.place);
    if (is_new) return;
    map.skip = true;
    errors_.error(node.place, absl::StrCat("duplicate key \"", node.text, "\"; the first is at line ",
                                           first->second.line));
  }

  const std::string& text_;
  const std::string& file_;
  Diagnostics& errors_;
  Node root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchored_;
  size_t nodes_ = 0;
  bool done_ = false;
};

// Line and column of a byte, from 1.
Place place_of_byte(const std::string& text, size_t byte, const std::string& file) {
  Place place{file, 1, 1};
  for (size_t i = 0; i < byte; ++i) {
    place.line += text[i] == '\n';
    place.column = text[i] == '\n' ? 1 : place.column + 1;
  }
  return place;
}

// Bytes of the UTF-8 character at `text[i]`; 0 where there is none.
size_t character_bytes(const std::string& text, size_t i) {
  const auto byte = [&](size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const unsigned lead = byte(i);
  if (lead < 0x80) return lead >= 0x20 || lead == '\n' || lead == '\r' || lead == '\t' ? 1 : 0;
  const size_t size = lead >= 0xc2 && lead < 0xe0   ? 2
                      : lead >= 0xe0 && lead < 0xf0 ? 3
                      : lead >= 0xf0 && lead < 0xf5 ? 4
                                                    : 0;
  for (size_t k = 1; k < size; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and what lies beyond the last code point.
  if ((lead == 0xe0 && byte(i + 1) < 0xa0) || (lead == 0xed && byte(i + 1) > 0x9f)) return 0;
  if ((lead == 0xf0 && byte(i + 1) < 0x90) || (lead == 0xf4 && byte(i + 1) > 0x8f)) return 0;
  return size;
}

bool check_text(const std::string& text, const std::string& file, Diagnostics& errors) {
  for (size_t i = 0; i < text.size();) {
    const size_t size = character_bytes(text, i);
    if (size == 0) {
      errors.error(place_of_byte(text, i, file), "not text in UTF-8");
      return false;
    }
    i += size;
  }
  return true;
}

// yaml-cpp's reason, or ours where its own would not help.
std::string reason(const YAML::Exception& e, const std::string& text) {
  const size_t pos = e.mark.is_null() ? 0 : std::min(static_cast<size_t>(e.mark.pos), text.size());
  const size_t line_begin = pos == 0 ? 0 : text.rfind('\n', pos - 1) + 1;  // npos + 1 = 0
  const size_t content = text.find_first_not_of(" \t", line_begin);
  const bool tab = content != std::string::npos &&
                   text.substr(line_begin, content - line_begin).find('\t') != std::string::npos;
  return tab ? "a tab indents this line; use spaces" : e.msg;
}

}  // namespace

const Node* Node::find(const std::string& name) const {
  if (!is_map()) return nullptr;
  for (const Node& item : items) {
    if (item.key == name) return &item;
  }
  return nullptr;
}
Node* Node::find(const std::string& name) { return const_cast<Node*>(std::as_const(*this).find(name)); }

const char* name_of(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::kNull:
      return "nothing";
    case Node::Kind::kScalar:
      return "text";
    case Node::Kind::kList:
      return "a list";
    case Node::Kind::kMap:
      return "a map";
  }
  return "";
}

std::optional<Node> parse_document(const std::string& bytes, const std::string& file, Diagnostics& errors) {
  const std::string text = bytes.starts_with("\xef\xbb\xbf") ? bytes.substr(3) : bytes;  // a byte order mark
  if (!check_text(text, file, errors)) return {};
  TreeBuilder builder(text, file, errors);
  try {
    std::istringstream in(text);
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop&) {
    return {};
  } catch (const YAML::Exception& e) {
    Place place{file, 0, 0};
    if (!e.mark.is_null()) place = {file, e.mark.line + 1, e.mark.column + 1};
    errors.error(place, absl::StrCat("not valid YAML: ", reason(e, text)));
    return {};
  } catch (const std::exception&) {
    errors.error({file, 0, 0}, "not valid YAML");
    return {};
  }
  if (builder.empty()) {
    errors.error({file, 0, 0}, "the file is empty");
    return {};
  }
  return builder.take_root();
}

}  // namespace brigade
