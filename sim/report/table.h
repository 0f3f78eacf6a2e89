// Pieces of the text report: tables whose columns are as wide as their widest cell, headings, numbers for
// people.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/time.h"

namespace brigade {

constexpr size_t kTextColumns = 100;

enum class Align : uint8_t { kLeft, kRight };

class Table {
 public:
  // Two lines of heading, the second for units; where all are empty a line is left out.
  void column(Align align, std::string title, std::string unit = "") {
    columns_.push_back({align, std::move(title), std::move(unit)});
  }
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // A line across all columns; empty: a gap between groups.
  void line(std::string text) { rows_.push_back({std::move(text)}); }

  // Indented by two, two spaces between columns, none at the end of a line.
  std::string text() const;

 private:
  struct Column {
    Align align;
    std::string title, unit;
  };
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// In bold where `colour`.
std::string heading(std::string_view text, bool colour);
// Pieces separated by ", ", lines broken at kTextColumns: the first begins with `indent` and `label`, the
// others below the first piece.
std::string wrapped(std::string_view label, const std::vector<std::string>& pieces);

std::string grouped(double value);                         // "3,472,000"; below 100 with decimals
std::string percent(double share);                         // "99.4 %"
std::string decimals(double value, int count);             // "358.750"
std::string plural(int64_t count, std::string_view word);  // "1 rank", "8 ranks"

}  // namespace brigade
