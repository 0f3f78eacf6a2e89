#include "sim/report/table.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace brigade {
namespace {

// Columns that UTF-8 text takes, roughly: its characters.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string Table::text() const {
  std::vector<std::vector<std::string>> lines;
  for (const auto member : {&Column::title, &Column::unit}) {
    std::vector<std::string> cells;
    for (const Column& column : columns_) cells.push_back(column.*member);
    if (std::any_of(cells.begin(), cells.end(), [](const std::string& s) { return !s.empty(); }))
      lines.push_back(std::move(cells));
  }
  lines.insert(lines.end(), rows_.begin(), rows_.end());
  std::vector<size_t> widths(columns_.size());
  for (const auto& cells : lines) {
    for (size_t c = 0; cells.size() == widths.size() && c < widths.size(); ++c)
      widths[c] = std::max(widths[c], width_of(cells[c]));
  }
  std::string out;
  for (const auto& cells : lines) {
    std::string line;
    for (size_t c = 0; c < cells.size(); ++c) {
      const size_t width = cells.size() == widths.size() ? widths[c] : 0;
      const std::string padding(width - std::min(width, width_of(cells[c])), ' ');
      absl::StrAppend(&line, "  ", columns_[c].align == Align::kRight ? padding : "", cells[c],
                      columns_[c].align == Align::kRight ? "" : padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&out, line, "\n");
  }
  return out;
}

std::string heading(std::string_view text, bool colour) {
  const std::string plain(text);
  return colour ? absl::StrCat("\033[1m", plain, "\033[0m") : plain;
}

std::string wrapped(std::string_view label, const std::vector<std::string>& pieces) {
  std::string out = "  " + std::string(label) + (label.empty() ? "" : " ");
  const std::string indent(out.size(), ' ');
  size_t column = out.size();
  for (size_t i = 0; i < pieces.size(); ++i) {
    const std::string piece = pieces[i] + (i + 1 < pieces.size() ? "," : "");
    const bool is_first = column == indent.size();
    if (!is_first && column + 1 + piece.size() > kTextColumns) {
      absl::StrAppend(&out, "\n", indent, piece);
      column = indent.size() + piece.size();
    } else {
      absl::StrAppend(&out, is_first ? "" : " ", piece);
      column += piece.size() + !is_first;
    }
  }
  return out + "\n";
}

std::string grouped(double value) {
  if (value < 100) return absl::StrFormat("%.4g", value);
  std::string text = absl::StrFormat("%.0f", value);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string percent(double share) {
  const double value = share * 100;
  return value == 0 || value >= 0.1 ? absl::StrFormat("%.1f %%", value) : absl::StrFormat("%.1g %%", value);
}

std::string decimals(double value, int count) { return absl::StrFormat("%.*f", count, value); }

std::string plural(int64_t count, std::string_view word) {
  return absl::StrCat(count, " ", std::string(word), count == 1 ? "" : "s");
}

}  // namespace brigade
