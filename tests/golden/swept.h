// A shipped study, run, and the figures of its table.
#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sim/study/crossover.h"
#include "tests/catch.h"
#include "tests/source_dir.h"

namespace brigade {

struct Swept {
  PreparedStudy prepared;
  std::vector<Row> rows;

  // The figure `column` of the row whose labels contain all of `labels`.
  double at(const std::vector<std::string>& labels, const std::string& column) const {
    size_t c = 0;
    while (c < prepared.columns.size() && prepared.columns[c].name != column) ++c;
    REQUIRE(c < prepared.columns.size());
    for (const Row& row : rows) {
      size_t found = 0;
      for (const StudyValue* value : prepared.study.values_of(row.point))
        found += static_cast<size_t>(std::count(labels.begin(), labels.end(), value->label));
      if (found == labels.size()) return row.cells[c].get<double>();
    }
    FAIL("no such row");
    return 0;
  }
};

inline Swept sweep(const std::string& name) {
  Diagnostics errors;
  auto prepared =
      prepare_study(absl::StrCat(source_dir(), "/scenarios/studies/", name, ".yaml"), {}, {}, errors);
  INFO(errors.text());
  REQUIRE(prepared);
  std::vector<Row> rows = run_sweep(*prepared, {.threads = 2}).rows;
  for (const Row& row : rows) REQUIRE(row.error == "");
  return {std::move(*prepared), std::move(rows)};
}

}  // namespace brigade
