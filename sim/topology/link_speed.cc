// Covered by tests/scenario/imports_others.cc.
#include "sim/topology/link_speed.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "sim/topology/imported.h"

namespace brigade {
namespace {

bool is_digit(char c) { return '0' <= c && c <= '9'; }
bool is_letter(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)); }

// The number at the front of `text`, which loses it.
std::optional<double> take_number(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
  double number = 0;
  if (!absl::SimpleAtod(absl::string_view(text.data(), end), &number)) return std::nullopt;
  text.remove_prefix(end);
  return number;
}

// "OC-192" where `prefix` is "oc".
std::optional<double> numbered(std::string_view text, std::string_view prefix) {
  const size_t at = text.find(prefix);
  if (at == std::string_view::npos || (at > 0 && is_letter(text[at - 1]))) return std::nullopt;
  text.remove_prefix(at + prefix.size());
  if (text.starts_with("-") || text.starts_with(" ")) text.remove_prefix(1);
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  return take_number(text);
}

double factor_of(char prefix) {
  return prefix == 'k' ? 1e3 : prefix == 'm' ? 1e6 : prefix == 'g' ? 1e9 : prefix == 't' ? 1e12 : 0;
}

}  // namespace

std::optional<Bandwidth> labelled_speed(std::string_view given) {
  std::string lower(given.substr(0, 200));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return absl::ascii_tolower(static_cast<unsigned char>(c)); });
  const std::string_view text = lower;
  if (const std::optional<double> n = numbered(text, "oc")) return bits_per_second(*n * 51.84e6);
  if (const std::optional<double> n = numbered(text, "stm")) return bits_per_second(*n * 155.52e6);
  for (size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i])) continue;
    std::string_view rest = text.substr(i);
    const std::optional<double> number = take_number(rest);
    if (!number) break;
    i = text.size() - rest.size() - 1;
    rest.remove_prefix(std::min(rest.find_first_not_of(" -"), rest.size()));
    if (rest.empty() || factor_of(rest.front()) == 0) continue;
    // What follows the prefix makes it a speed: b, bps, bit/s, E (Ethernet), or nothing.
    const std::string_view after = rest.substr(1);
    if (after.empty() || !is_letter(after.front()) || after.front() == 'b' || after.front() == 'e' ||
        after.starts_with("ig")) {
      return bits_per_second(*number * factor_of(rest.front()));
    }
  }
  if (text.find("gige") != std::string_view::npos || text.find("gigabit") != std::string_view::npos)
    return bits_per_second(1e9);
  return std::nullopt;
}

}  // namespace brigade
