#include "sim/study/sweep.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "sim/scenario/point_reader.h"
#include "sim/study/mpi.h"
#include "sim/study/worker_pool.h"

namespace brigade {
namespace {

std::vector<size_t> points_of(const Study& study, const Shard& shard) {
  std::vector<size_t> points;
  for (size_t p = shard.index - 1; p < study.points(); p += shard.of) points.push_back(p);
  return points;
}

// Rows of earlier runs for those of `points` that have one; the others remain in `points`.
void reuse(const PreparedStudy& prepared, const KnownRows& known, int threads, std::vector<size_t>& points,
           SweepResult& out) {
  const std::vector<std::string> hashes = input_hashes(prepared.study, points, threads);
  std::vector<size_t> rest;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto row = known.find(hashes[i]);
    if (row == known.end()) {
      rest.push_back(points[i]);
      continue;
    }
    out.rows.push_back(row->second);
    out.rows.back().point = points[i];
    ++out.reused;
  }
  points = std::move(rest);
}

// Opens the file and reads what is there.
bool open_files(const PreparedStudy& prepared, const SweepOptions& options, ResultsFile& file,
                KnownRows& known, SweepResult& out) {
  const ResultsHeader header{options.version, prepared.study.name};
  const auto read = [&](const std::string& path) {
    const IoError error = read_results(path, header, prepared.columns, known, out.messages);
    if (error) out.messages.push_back(*error);
    out.input_refused |= error.has_value();
  };
  for (const std::string& path : options.merged) read(path);
  if (out.input_refused) return false;
  if (options.results.empty()) return true;
  if (options.mode == ResultsFile::Mode::kNew && std::filesystem::exists(options.results)) {
    out.messages.push_back(
        absl::StrCat(options.results, " is there already; --resume goes on with it, --restart begins anew"));
    out.input_refused = true;
    return false;
  }
  out.io_error = file.open(options.results, options.mode);
  if (!out.io_error && options.mode == ResultsFile::Mode::kResume) read(options.results);
  if (!out.io_error && !out.input_refused) out.io_error = file.begin(header);
  return !out.io_error && !out.input_refused;
}

void run_points(const PreparedStudy& prepared, const SweepOptions& options, const std::vector<size_t>& points,
                ResultsFile& file, SweepResult& out) {
  if (points.empty()) return;
  size_t done = 0;
  const auto on_outcome = [&](Outcome outcome) {
    if (file.is_open()) out.io_error = file.append(outcome.line);
    if (out.io_error) return false;
    out.rows.push_back(std::move(outcome.row));
    if (options.on_point) options.on_point(++done, points.size());
    return true;
  };
  const int threads = static_cast<int>(std::min<size_t>(points.size(), static_cast<size_t>(options.threads)));
  if (options.ranks != nullptr)
    return options.ranks->coordinate(prepared, threads, options.patience_s, points, on_outcome, out.messages);
  WorkerPool pool(threads, prepared.study, prepared.columns);
  for (const size_t point : points) pool.push(point);
  for (size_t i = 0; i < points.size(); ++i)
    if (!on_outcome(*pool.pop())) return;
}

// What refers to columns by name.
void check_names_of_columns(PreparedStudy& prepared, Diagnostics& errors) {
  std::vector<std::string> names;
  for (const Column& column : prepared.columns) names.push_back(column.name);
  const auto find = [&](const std::string& name, const Place& at) -> const Column* {
    for (const Column& column : prepared.columns)
      if (column.name == name) return &column;
    errors.error(at, absl::StrCat("unknown column \"", name, "\"", suggestion(name, names)));
    return nullptr;
  };
  for (const StudyCrossover& crossover : prepared.study.crossovers) {
    const Column* column = find(crossover.of, crossover.at);
    if (column != nullptr && column->better == Better::kUnknown)
      errors.error(crossover.at,
                   absl::StrCat("whether low or high values of ", column->name, " are better is not known"));
  }
  StudyRelative& relative = prepared.study.relative;
  if (relative.off || prepared.columns.empty()) return;
  const bool asked = !relative.of.empty();
  const Column* column = asked ? find(relative.of, relative.at) : &prepared.columns.front();
  if (column == nullptr) return;
  relative.of = column->name;
  if (relative.better == Better::kUnknown) relative.better = column->better;
  if (relative.better != Better::kUnknown) return;
  if (asked) {
    errors.error(relative.at,
                 absl::StrCat("which values of ", column->name, " are better? better: lowest, or highest"));
  }
  relative.off = true;
}

// Each warning once, in the order of points.
void gather_warnings(SweepResult& out) {
  std::set<std::string> seen;
  for (const Row& row : out.rows) {
    for (const std::string& warning : row.warnings)
      if (seen.insert(warning).second) out.messages.push_back("warning: " + warning);
  }
}

}  // namespace

std::optional<Shard> parse_shard(const std::string& text) {
  const size_t slash = text.find('/');
  uint32_t index = 0, of = 0;
  if (slash == std::string::npos || !absl::SimpleAtoi(text.substr(0, slash), &index) ||
      !absl::SimpleAtoi(text.substr(slash + 1), &of) || index < 1 || index > of)
    return {};
  return Shard{index, of};
}

std::optional<PreparedStudy> prepare_study(const std::string& path, const std::vector<std::string>& overrides,
                                           const std::vector<std::string>& columns, Diagnostics& errors) {
  std::optional<Study> study = load_study(path, overrides, columns, errors);
  if (!study) return {};
  check_points(*study, errors);
  if (!errors.ok()) return {};
  Diagnostics unused;
  PreparedStudy prepared{std::move(*study), {}};
  prepared.columns = columns_of(prepared.study, PointReader(prepared.study).read(0, unused).scenario, errors);
  check_names_of_columns(prepared, errors);
  if (!errors.ok()) return {};
  return prepared;
}

SweepResult run_sweep(const PreparedStudy& prepared, const SweepOptions& options) {
  SweepResult out;
  ResultsFile file;
  KnownRows known;
  if (!open_files(prepared, options, file, known, out)) return out;
  std::vector<size_t> points = points_of(prepared.study, options.shard);
  if (!known.empty()) reuse(prepared, known, options.threads, points, out);
  if (options.run) {
    run_points(prepared, options, points, file, out);
    if (out.io_error) return out;
  } else {
    for (const size_t point : points) {
      out.rows.push_back({.point = point});
      out.rows.back().error = "not run: in none of the files";
    }
  }
  std::sort(out.rows.begin(), out.rows.end(), [](const Row& a, const Row& b) { return a.point < b.point; });
  out.failed = static_cast<size_t>(
      std::count_if(out.rows.begin(), out.rows.end(), [](const Row& r) { return r.failed(); }));
  gather_warnings(out);
  return out;
}

void check_columns(const PreparedStudy& prepared, const std::vector<Row>& rows, Diagnostics& errors) {
  for (size_t c = 0; c < prepared.columns.size(); ++c) {
    const std::string* why = nullptr;
    bool known = false;
    for (const Row& row : rows) {
      if (row.failed()) continue;
      known |= row.unknown[c].empty();
      if (why == nullptr) why = &row.unknown[c];
    }
    if (known || why == nullptr) continue;
    const bool written = c < prepared.study.columns.size();
    errors.error(written ? prepared.study.columns[c].at : prepared.study.base_at,
                 absl::StrCat("unknown column \"", prepared.columns[c].path.text(), "\": ", *why));
  }
}

}  // namespace brigade
