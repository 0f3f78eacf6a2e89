// The sweep as a table, plain or in Markdown: the same cells.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "sim/report/figures.h"
#include "sim/report/table.h"
#include "sim/scenario/value_range.h"
#include "sim/study/sweep_report.h"

namespace brigade {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDecimalsMax = 6;

// Enough for four digits of the smallest number of the column.
int decimals_of(const std::vector<Row>& rows, size_t column) {
  double smallest = HUGE_VAL;
  bool whole = true;
  for (const Row& row : rows) {
    if (row.failed() || !row.cells[column].is_number()) continue;
    whole &= row.cells[column].is_number_integer();
    const double size = std::abs(row.cells[column].get<double>());
    if (size > 0) smallest = std::min(smallest, size);
  }
  if (whole || smallest == HUGE_VAL) return 0;
  int decimals = 3;
  for (; smallest < 1 && decimals < kDecimalsMax; smallest *= 10) ++decimals;
  return decimals;
}

std::string cell_text(const Json& value, int count) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return decimals(value.get<double>(), count);
  return scalar_text(value);
}

// Numbers with a unit stand right, as in columns of figures.
bool is_number(const std::string& label) {
  double number = 0;
  std::string unit;
  return split_number(label, number, unit);
}

struct Cells {
  std::vector<std::string> titles;
  std::vector<Align> aligns;
  std::vector<std::vector<std::string>> rows;
};

Cells cells_of(const SweepReport& report) {
  Cells out;
  const Study& study = report.prepared.study;
  const auto dimensions = study.dimensions();
  for (const StudyDimension* dimension : dimensions) {
    if (!dimension->shown) continue;
    out.titles.push_back(dimension->name);
    const bool numbers = std::all_of(dimension->values.begin(), dimension->values.end(),
                                     [](const StudyValue& value) { return is_number(value.label); });
    out.aligns.push_back(numbers ? Align::kRight : Align::kLeft);
  }
  std::vector<int> places;
  for (size_t c = 0; c < report.prepared.columns.size(); ++c) {
    out.titles.push_back(report.prepared.columns[c].name);
    out.aligns.push_back(Align::kRight);
    places.push_back(decimals_of(report.rows, c));
  }
  const bool relative = !study.relative.off;
  if (relative) {
    out.titles.push_back("relative");
    out.aligns.push_back(Align::kRight);
  }
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const Row& row = report.rows[i];
    std::vector<std::string>& cells = out.rows.emplace_back();
    const auto values = study.values_of(row.point);
    for (size_t d = 0; d < values.size(); ++d)
      if (dimensions[d]->shown) cells.push_back(values[d]->label);
    for (size_t c = 0; c < places.size(); ++c)
      cells.push_back(row.failed() ? c == 0 ? "failed" : "-" : cell_text(row.cells[c], places[c]));
    if (relative) cells.push_back(report.relative[i] ? absl::StrFormat("%.2f", *report.relative[i]) : "-");
  }
  return out;
}

std::string values_text(const Study& study, size_t point) {
  std::vector<std::string> parts;
  const auto dimensions = study.dimensions();
  const auto values = study.values_of(point);
  for (size_t d = 0; d < dimensions.size(); ++d)
    if (dimensions[d]->shown) parts.push_back(absl::StrCat(dimensions[d]->name, " ", values[d]->label));
  return absl::StrJoin(parts, ", ");
}

// What the column `relative` means.
std::string relative_note(const SweepReport& report) {
  const StudyRelative& relative = report.prepared.study.relative;
  if (relative.off || report.rows.empty()) return "";
  const std::string within =
      relative.within.empty() ? "" : absl::StrCat(" of the same ", absl::StrJoin(relative.within, ", "));
  return absl::StrCat("relative: ", relative.of, " against the ",
                      relative.better == Better::kLowest ? "lowest" : "highest", " one", within);
}

std::string failures_text(const SweepReport& report, const char* indent) {
  std::string out;
  for (const Row& row : report.rows) {
    if (!row.failed()) continue;
    const std::string error = absl::StrReplaceAll(row.error, {{"\n", absl::StrCat("\n", indent, "  ")}});
    absl::StrAppend(&out, indent, values_text(report.prepared.study, row.point), ": ", error, "\n");
  }
  return out;
}

// Crossovers under the values of the other dimensions.
std::string crossovers_text(const SweepReport& report, const char* indent) {
  std::string out;
  for (const Crossover& crossover : report.crossovers.found) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : crossover.where) parts.push_back(absl::StrCat(name, " ", value));
    const std::string where = absl::StrJoin(parts, ", ");
    absl::StrAppend(&out, indent, where, where.empty() ? "" : ": ", sentence_of(crossover), "\n");
  }
  return out;
}

std::string title_of(const SweepReport& report) {
  const Study& study = report.prepared.study;
  const size_t failed = static_cast<size_t>(
      std::count_if(report.rows.begin(), report.rows.end(), [](const Row& row) { return row.failed(); }));
  std::string title =
      absl::StrCat(study.name, ": ", plural(static_cast<int64_t>(report.rows.size()), "point"));
  if (report.rows.size() != study.points()) absl::StrAppend(&title, " of ", study.points());
  if (failed > 0) absl::StrAppend(&title, ", ", failed, " failed");
  return title;
}

std::string escaped(const std::string& cell) {
  return absl::StrReplaceAll(cell, {{"|", "\\|"}, {"\n", " "}});
}

}  // namespace

std::string sentence_of(const Crossover& crossover) {
  const std::string between = crossover.low == crossover.high
                                  ? "where both are equal"
                                  : absl::StrCat("between ", crossover.low, " and ", crossover.high);
  return absl::StrCat(crossover.after, " overtakes ", crossover.before, " at ",
                      print_quantity(crossover.at, crossover.unit), ", ", between);
}

std::string print_sweep_text(const SweepReport& report) {
  const Cells cells = cells_of(report);
  Table table;
  for (size_t c = 0; c < cells.titles.size(); ++c) table.column(cells.aligns[c], cells.titles[c]);
  // A gap wherever the last axis begins again.
  const size_t inner = report.prepared.study.axes.back().size();
  for (size_t i = 0; i < cells.rows.size(); ++i) {
    const bool first = i == 0 || report.rows[i].point / inner == report.rows[i - 1].point / inner;
    if (inner > 1 && !first) table.line("");
    table.row(cells.rows[i]);
  }
  std::string out = absl::StrCat(heading(title_of(report), report.colour), "\n\n", table.text());
  const std::string note = relative_note(report);
  if (!note.empty()) absl::StrAppend(&out, "  ", note, "\n");
  if (!report.prepared.study.crossovers.empty()) {
    const std::string found = crossovers_text(report, "  ");
    absl::StrAppend(&out, "\n", heading("crossovers", report.colour), "\n",
                    found.empty() ? "  none\n" : found);
  }
  const std::string failures = failures_text(report, "  ");
  if (!failures.empty()) absl::StrAppend(&out, "\n", heading("failed", report.colour), "\n", failures);
  return out;
}

std::string print_sweep_markdown(const SweepReport& report) {
  const Cells cells = cells_of(report);
  std::string out = absl::StrCat("### ", title_of(report), "\n\n|"), rule = "|";
  for (size_t c = 0; c < cells.titles.size(); ++c) {
    absl::StrAppend(&out, " ", escaped(cells.titles[c]), " |");
    absl::StrAppend(&rule, cells.aligns[c] == Align::kRight ? " ---: |" : " --- |");
  }
  absl::StrAppend(&out, "\n", rule, "\n");
  for (const auto& row : cells.rows) {
    out += "|";
    for (const std::string& cell : row) absl::StrAppend(&out, " ", escaped(cell), " |");
    out += "\n";
  }
  const std::string note = relative_note(report);
  if (!note.empty()) absl::StrAppend(&out, "\n", note, "\n");
  const std::string crossovers = crossovers_text(report, "- ");
  if (!crossovers.empty()) absl::StrAppend(&out, "\nCrossovers:\n\n", crossovers);
  const std::string failures = failures_text(report, "- ");
  if (!failures.empty()) absl::StrAppend(&out, "\nFailed:\n\n", failures);
  return out;
}

}  // namespace brigade
