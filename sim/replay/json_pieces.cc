#include "sim/replay/json_pieces.h"

#include <array>
#include <cstdint>

namespace brigade {
namespace {

enum Class : uint8_t { kOther, kQuote, kOpen, kClose, kComma };

constexpr std::array<uint8_t, 256> classes() {
  std::array<uint8_t, 256> table{};
  table['"'] = kQuote;
  table['{'] = table['['] = kOpen;
  table['}'] = table[']'] = kClose;
  table[','] = kComma;
  return table;
}
constexpr std::array<uint8_t, 256> kClasses = classes();

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Cutter {
 public:
  Cutter(std::string_view text, size_t piece) : text_(text), piece_(piece) {}

  std::optional<JsonPieces> cut() {
    skip_space();
    if (at_ == text_.size()) return std::nullopt;
    const bool found = text_[at_] == '[' ? take_array() : text_[at_] == '{' && find_array() && skip_rest();
    skip_space();
    if (!found || at_ != text_.size()) return std::nullopt;
    out_.outline.append(text_.substr(0, open_ + 1));
    out_.outline.append(text_.substr(close_));
    return std::move(out_);
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  // at_ is at the quote that opens it; afterwards behind the one that closes it.
  bool skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    return at_++ < text_.size();
  }

  // To the next bracket or comma that is in no string: false if there is none.
  bool next(Class& what) {
    while (at_ < text_.size()) {
      what = static_cast<Class>(kClasses[static_cast<unsigned char>(text_[at_])]);
      if (what == kOther) {
        ++at_;
      } else if (what != kQuote) {
        return true;
      } else if (!skip_string()) {
        return false;
      }
    }
    return false;
  }

  // From a bracket to behind the one that closes it.
  bool skip_brackets() {
    int64_t depth = 0;
    for (Class what{}; next(what); ++at_) {
      if (what == kOpen) ++depth;
      if (what != kClose || --depth > 0) continue;
      ++at_;
      return true;
    }
    return false;
  }

  bool skip_value() {
    skip_space();
    if (at_ == text_.size()) return false;
    if (text_[at_] == '"') return skip_string();
    if (text_[at_] == '{' || text_[at_] == '[') return skip_brackets();
    while (at_ < text_.size() && kClasses[static_cast<unsigned char>(text_[at_])] == kOther) ++at_;
    return true;
  }

  // at_ is at '"'. Behind a key, at its value.
  bool take_key(std::string_view& key) {
    const size_t begin = at_ + 1;
    if (!skip_string()) return false;
    key = text_.substr(begin, at_ - 1 - begin);
    skip_space();
    if (at_ == text_.size() || text_[at_] != ':') return false;
    ++at_;
    skip_space();
    return at_ < text_.size();
  }

  // Members of the object up to and with the array of events.
  bool find_array() {
    for (++at_;; ++at_) {
      skip_space();
      std::string_view key;
      if (at_ == text_.size() || text_[at_] != '"' || !take_key(key)) return false;
      if (key == "traceEvents") return text_[at_] == '[' && take_array();
      if (!skip_value()) return false;
      skip_space();
      if (at_ == text_.size() || text_[at_] != ',') return false;
    }
  }

  // What follows it, which has no second one.
  bool skip_rest() {
    for (;;) {
      skip_space();
      if (at_ == text_.size()) return false;
      const char c = text_[at_++];
      if (c != ',') return c == '}';
      skip_space();
      std::string_view key;
      if (at_ == text_.size() || text_[at_] != '"' || !take_key(key) || key == "traceEvents") return false;
      if (!skip_value()) return false;
    }
  }

  bool take_array() {
    open_ = at_++;
    skip_space();
    size_t begin = at_;
    for (Class what{}; next(what);) {
      if (what == kOpen) {
        if (!skip_brackets()) return false;
        continue;
      }
      out_.elements += what == kComma || begin < at_;
      if (begin < at_ && (what == kClose || at_ - begin >= piece_)) {
        out_.pieces.emplace_back(begin, at_);
        begin = at_ + 1;
      }
      if (what == kClose) {
        close_ = at_++;
        return text_[close_] == ']';
      }
      ++at_;
      skip_space();
      if (at_ == text_.size() || text_[at_] == ']') return false;  // nothing behind a comma
    }
    return false;
  }

  std::string_view text_;
  size_t piece_, at_ = 0, open_ = 0, close_ = 0;
  JsonPieces out_;
};

}  // namespace

std::optional<JsonPieces> cut_trace(std::string_view text, size_t piece) { return Cutter(text, piece).cut(); }

}  // namespace brigade
