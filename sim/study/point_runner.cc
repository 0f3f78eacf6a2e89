#include "sim/study/point_runner.h"

#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/report/json.h"

namespace brigade {
namespace {

using Json = nlohmann::ordered_json;

std::string at_place(const Diagnostic& d) {
  if (d.place.file.empty()) return d.message;
  if (d.place.line == 0) return absl::StrCat(d.place.file, ": ", d.message);
  return absl::StrCat(d.place.file, ":", d.place.line, ":", d.place.column, ": ", d.message);
}

}  // namespace

std::string first_error(const Diagnostics& errors) {
  std::string text;
  for (const Diagnostic& d : errors.list()) {
    if (d.severity != Diagnostic::Severity::kError) continue;
    text = at_place(d);
    break;
  }
  if (errors.errors() > 1) absl::StrAppend(&text, ", and ", errors.errors() - 1, " more");
  return text;
}

std::string PointRunner::input_hash(size_t point) {
  Diagnostics unused;
  return reader_.read(point, unused).scenario.input_hash;
}

Outcome PointRunner::run(size_t point) {
  Outcome outcome;
  outcome.row.point = point;
  Json line;
  line["point"] = point;
  Json& values = line["values"];
  const auto dimensions = study_.dimensions();
  const auto chosen = study_.values_of(point);
  for (size_t i = 0; i < dimensions.size(); ++i) values[dimensions[i]->name] = chosen[i]->label;
  try {
    run_into(point, outcome.row, line);
  } catch (const std::bad_alloc&) {
    outcome.row.error = "out of memory";
  } catch (const std::exception& e) {
    outcome.row.error = e.what();
  }
  if (!outcome.row.warnings.empty()) line["warnings"] = outcome.row.warnings;
  if (outcome.row.failed()) line["error"] = outcome.row.error;
  outcome.line = line_of(line);
  return outcome;
}

void PointRunner::run_into(size_t point, Row& row, Json& line) {
  Diagnostics errors;
  ScenarioParts parts = reader_.read(point, errors);
  line["input_hash"] = parts.scenario.input_hash;
  parts.scenario.trace.reset();
  const std::unique_ptr<Session> session = Session::open(std::move(parts), {.file = ""}, &clusters_, errors);
  for (const Diagnostic& d : errors.list()) {
    if (d.severity == Diagnostic::Severity::kWarning) row.warnings.push_back(at_place(d));
  }
  if (!session) {
    row.error = first_error(errors);
    return;
  }
  const RunResult result = session->run();
  if (!result.failure.empty()) {
    row.error = result.failure;
    return;
  }
  Json figures =
      json_of({.scenario = session->scenario(), .topology = session->topology(), .result = result});
  take_cells(columns_, figures, row);
  line["result"] = std::move(figures);
}

}  // namespace brigade
