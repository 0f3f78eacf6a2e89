// Runs a study: every point once, on threads, into rows whose order and bytes depend on nothing but the
// study.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/scenario/study.h"
#include "sim/study/columns.h"
#include "sim/study/results_file.h"
#include "sim/study/row.h"

namespace brigade {

// Every `of`-th point from the `index`-th on: 3/64 has the points 2, 66, 130, ...
struct Shard {
  size_t index = 1, of = 1;  // 1 <= index <= of
};
std::optional<Shard> parse_shard(const std::string& text);

// A study whose columns are known and whose values can be read.
struct PreparedStudy {
  Study study;
  std::vector<Column> columns;
};
// `columns` replaces those of the study, if it is not empty. Empty if `errors` got any.
std::optional<PreparedStudy> prepare_study(const std::string& path, const std::vector<std::string>& overrides,
                                           const std::vector<std::string>& columns, Diagnostics& errors);

class MpiRanks;

struct SweepOptions {
  int threads = 1;
  Shard shard = {};
  std::string version = {};  // of brigade, for the results file
  std::string results = {};  // the file; empty: none
  ResultsFile::Mode mode = ResultsFile::Mode::kNew;
  std::vector<std::string> merged = {};  // results files that are only read
  bool run = true;                       // false: only what the files hold
  MpiRanks* ranks = nullptr;             // on which points run; null: only here
  double patience_s = 30;                // with a rank that is silent
  // After each point that was run: how many of how many.
  std::function<void(size_t done, size_t total)> on_point = nullptr;
};

struct SweepResult {
  std::vector<Row> rows;              // of the shard, by point
  std::vector<std::string> messages;  // for stderr
  size_t reused = 0, failed = 0;      // rows from files; rows with an error
  bool input_refused = false;         // a results file is there already, or is of another study
  IoError io_error = {};              // then rows are not complete
};

SweepResult run_sweep(const PreparedStudy& prepared, const SweepOptions& options);

// The columns that no row has, with the reason: mistakes in the study, which are known only now.
void check_columns(const PreparedStudy& prepared, const std::vector<Row>& rows, Diagnostics& errors);

}  // namespace brigade
