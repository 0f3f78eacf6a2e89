#include "sim/trace/json_text.h"

#include <charconv>
#include <cmath>

namespace brigade::json_text {

void append_string(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_integer(std::string& out, uint64_t n) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, n).ptr);
}

void append_us(std::string& out, int64_t ns) {
  append_integer(out, static_cast<uint64_t>(ns / 1000));
  const auto rest = static_cast<int>(ns % 1000);
  if (rest == 0) return;
  const char decimals[] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                           static_cast<char>('0' + rest % 10)};
  out.append(decimals, rest % 100 == 0 ? 2 : rest % 10 == 0 ? 3 : 4);
}

void append_number(std::string& out, double value) {
  char digits[32];
  char* const end = digits + sizeof digits;
  const bool whole = std::abs(value) <= 0x1p53 && value == std::trunc(value);
  out.append(digits, whole ? std::to_chars(digits, end, static_cast<int64_t>(value)).ptr
                           : std::to_chars(digits, end, value).ptr);
}

}  // namespace brigade::json_text
