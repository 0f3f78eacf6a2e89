// A value back to text. Quoted where a reader would otherwise take it for something else.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sim/scenario/document.h"

namespace brigade {
namespace {

bool is_plain(const std::string& text) {
  constexpr const char* kInside = " _-./%+*";  // beside letters and digits
  const auto plain = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view(kInside).find(c) != std::string_view::npos;
  };
  if (text.empty() || text == "null" || text.back() == ' ') return false;
  const bool negative = text[0] == '-' && text.size() > 1 && text[1] >= '0' && text[1] <= '9';
  if (!negative && std::string_view(" -*%").find(text[0]) != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(), plain);
}

void append(std::string& out, const std::string& text) {
  if (is_plain(text)) {
    out += text;
    return;
  }
  constexpr const char* kHex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte < ' ') {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out += c;
    }
  }
  out += '"';
}

void append(std::string& out, const Node& node) {
  if (!node.is_list() && !node.is_map()) {
    if (node.is_scalar()) {
      append(out, node.text);
    } else {
      out += '~';
    }
    return;
  }
  const char* separator = "";
  out += node.is_map() ? '{' : '[';
  for (const Node& item : node.items) {
    out += separator;
    if (node.is_map()) {
      append(out, item.key);
      out += ": ";
    }
    append(out, item);
    separator = ", ";
  }
  out += node.is_map() ? '}' : ']';
}

}  // namespace

std::string flow_text(const Node& node) {
  std::string out;
  append(out, node);
  return out;
}

}  // namespace brigade
