#include "sim/replay/json_tokens.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"

namespace brigade {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<int64_t> nanoseconds_of(std::string_view microseconds) {
  const std::string_view token = unquoted(microseconds);
  constexpr int64_t kMax = INT64_MAX / 1000;
  int64_t whole = 0, fraction = 0, unit = 100;
  size_t at = 0;
  const bool negative = !token.empty() && token[0] == '-';
  if (negative) ++at;
  const size_t first = at;
  for (; at < token.size() && is_digit(token[at]); ++at) {
    if (whole > (kMax - 9) / 10) return std::nullopt;
    whole = whole * 10 + (token[at] - '0');
  }
  if (at == first) return std::nullopt;
  if (at < token.size() && token[at] == '.')
    for (++at; at < token.size() && is_digit(token[at]); ++at, unit /= 10)
      fraction += unit * (token[at] - '0');
  if (at != token.size()) {  // an exponent
    double value = 0;
    if (!absl::SimpleAtod({token.data(), token.size()}, &value) || !(std::fabs(value) < 9e15))
      return std::nullopt;
    return static_cast<int64_t>(std::llround(value * 1000));
  }
  const int64_t ns = whole * 1000 + fraction;
  return negative ? -ns : ns;
}

std::optional<int64_t> whole_of(std::string_view token) {
  const std::string_view text = unquoted(token);
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view rest(stop, static_cast<size_t>(text.data() + text.size() - stop));
  if (error != std::errc{} || (!rest.empty() && rest.find_first_not_of("0", rest[0] == '.') != rest.npos))
    return std::nullopt;
  return value;
}

std::string_view unquoted(std::string_view token) {
  token = trimmed(token);
  if (token.size() >= 2 && token.front() == '"' && token.back() == '"')
    return token.substr(1, token.size() - 2);
  return token;
}

std::vector<int64_t> numbers_in(std::string_view text) {
  text = trimmed(text);
  std::vector<int64_t> numbers;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view item = trimmed(text.substr(0, comma));
    const std::optional<int64_t> number = whole_of(item);
    if (!number) return {};
    numbers.push_back(*number);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return numbers;
}

std::vector<int64_t> elements_in(std::string_view dims) {
  std::vector<int64_t> all;
  int depth = 0;
  for (size_t at = 0; at < dims.size(); ++at) {
    const char c = dims[at];
    if (c == '[' && ++depth == 2) all.push_back(0);
    if (c == ']') --depth;
    if (depth < 2 || !is_digit(c)) continue;
    int64_t size = 0;
    for (; at < dims.size() && is_digit(dims[at]); ++at)
      size = std::min(size * 10 + (dims[at] - '0'), int64_t{1} << 40);
    --at;
    int64_t& elements = all.back();
    const __int128 product = static_cast<__int128>(elements == 0 ? 1 : elements) * size;
    elements = static_cast<int64_t>(std::min<__int128>(product, int64_t{1} << 50));
  }
  return all;
}

std::vector<std::string> strings_in(std::string_view list) {
  std::vector<std::string> all;
  for (size_t at = list.find('"'); at != std::string_view::npos; at = list.find('"', at)) {
    const size_t end = list.find('"', at + 1);
    if (end == std::string_view::npos) break;
    all.emplace_back(list.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return all;
}

}  // namespace brigade
