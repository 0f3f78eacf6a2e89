// The sweep for programs: CSV and JSON with exact figures.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "sim/report/figures.h"
#include "sim/report/json.h"
#include "sim/study/sweep_report.h"

namespace brigade {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

// As RFC 4180 has it.
std::string cell(const Json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return scalar_text(value);
  const std::string& text = value.get_ref<const std::string&>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return "\"" + absl::StrReplaceAll(text, {{"\"", "\"\""}}) + "\"";
}

void append_line(std::string& out, const std::vector<Json>& cells) {
  const char* separator = "";
  for (const Json& value : cells) {
    absl::StrAppend(&out, separator, cell(value));
    separator = ",";
  }
  out += "\n";
}

Json relative_cell(const SweepReport& report, size_t row) {
  return report.relative[row] ? Json(rounded(*report.relative[row])) : Json();
}

Json json_of(const Crossover& crossover) {
  Json out = {
      {"of", crossover.asked->of}, {"along", crossover.asked->along}, {"between", crossover.asked->between}};
  out["where"] = Json::object();
  for (const auto& [name, value] : crossover.where) out["where"][name] = value;
  out["before"] = crossover.before;
  out["after"] = crossover.after;
  out["at"] = rounded(crossover.at);
  out["unit"] = crossover.unit;
  out["low"] = crossover.low;
  out["high"] = crossover.high;
  return out;
}

constexpr SweepFormat kFormats[] = {
    {"table", "a table for people", print_sweep_text},
    {"csv", "a line a point, exact figures", print_sweep_csv},
    {"json", "all rows and crossovers, exact figures", print_sweep_json},
    {"markdown", "a table for documents", print_sweep_markdown},
};

}  // namespace

std::span<const SweepFormat> sweep_formats() { return kFormats; }

std::string print_sweep_csv(const SweepReport& report) {
  const Study& study = report.prepared.study;
  std::string out;
  std::vector<Json> header;
  for (const StudyDimension* dimension : study.dimensions()) header.push_back(dimension->name);
  for (const Column& column : report.prepared.columns) header.push_back(column.name);
  if (!study.relative.off) header.push_back("relative");
  header.push_back("error");
  append_line(out, header);
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const Row& row = report.rows[i];
    std::vector<Json> cells;
    for (const StudyValue* value : study.values_of(row.point)) cells.push_back(value->label);
    for (size_t c = 0; c < report.prepared.columns.size(); ++c)
      cells.push_back(row.failed() ? Json() : row.cells[c]);
    if (!study.relative.off) cells.push_back(relative_cell(report, i));
    cells.push_back(row.failed() ? Json(row.error) : Json());
    append_line(out, cells);
  }
  return out;
}

std::string print_sweep_json(const SweepReport& report) {
  const Study& study = report.prepared.study;
  const auto dimensions = study.dimensions();
  Json out;
  out["schema_version"] = kSchemaVersion;
  out["study"] = study.name;
  out["points"] = study.points();
  out["rows"] = Json::array();
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const Row& row = report.rows[i];
    Json line;
    line["point"] = row.point;
    const auto values = study.values_of(row.point);
    for (size_t d = 0; d < dimensions.size(); ++d) line[dimensions[d]->name] = values[d]->label;
    for (size_t c = 0; c < report.prepared.columns.size(); ++c)
      line[report.prepared.columns[c].name] = row.failed() ? Json() : row.cells[c];
    if (!study.relative.off) line["relative"] = relative_cell(report, i);
    line["error"] = row.failed() ? Json(row.error) : Json();
    out["rows"].push_back(std::move(line));
  }
  out["crossovers"] = Json::array();
  for (const Crossover& crossover : report.crossovers.found) out["crossovers"].push_back(json_of(crossover));
  return lines_of(out);
}

}  // namespace brigade
