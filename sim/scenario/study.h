// A study: one scenario, and what varies in it. Each combination of values is a point; `brigade sweep` runs
// all.
//
//   brigade: 1
//   base: ddp_64gpu.yaml                    # or a scenario written here
//   axes:
//     - {path: jobs.train.buckets.cap, values: [1 MB, 10 MB, 25 MB, one]}
//     - {name: GPUs, path: cluster.nodes, from: 1, to: 8, step: x2}
//   columns: [jobs.train.step_time_us, jobs.train.efficiency]
//
// Axes are crossed, the first one outermost; the dimensions of an axis are zipped: they change together.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/scenario/document.h"
#include "sim/scenario/input_files.h"
#include "sim/scenario/schema.h"

namespace brigade {

constexpr size_t kStudyPointsMax = 1'000'000;
constexpr const char* kBasePath = "base";  // a path that stands for the base scenario itself

struct StudyValue {
  Node node;          // as it goes into the scenario
  std::string label;  // as results show it
};

// What varies: one value of `values` at a time, at every path of `paths`.
struct StudyDimension {
  std::string name;  // unique in the study
  std::vector<std::string> paths;
  std::vector<StudyValue> values;
  bool is_range = false;  // the values are alike: what holds for the first and the last holds for all
  bool shown = true;      // in results for people
  Place at;
};

struct StudyAxis {
  std::vector<StudyDimension> zipped;  // one or more, of equal sizes
  size_t size() const { return zipped.front().values.size(); }
};

// A figure of the result: see sim/study/result_path.h.
struct StudyColumn {
  std::string path;
  std::string name;  // unique in the study, dimensions included
  Place at;
};

// Where the better one of two values of `between` changes as `along` grows.
struct StudyCrossover {
  std::string of;                   // the name of a column
  std::string along;                // the name of a dimension whose values are numbers
  std::string between;              // the name of a dimension
  std::vector<std::string> values;  // of `between`, by label; empty: all pairs
  Place at;
};

enum class Better { kUnknown, kLowest, kHighest };

// Every row against the best one.
struct StudyRelative {
  std::string of;                    // the name of a column; empty: the first one
  Better better = Better::kUnknown;  // unknown: as the column's name says
  std::vector<std::string> within;   // names of dimensions: rows compare that agree on them
  bool off = false;
  Place at;
};

struct Study {
  std::string name;
  std::string file;                  // where it stands
  std::optional<Node> base_written;  // in the study
  std::string base_file;             // in a file of its own, relative to the working directory
  Place base_at;
  std::vector<StudyDimension> set;  // one value each, before the axes
  std::vector<StudyAxis> axes;
  std::vector<StudyColumn> columns;  // empty: those of the job's kind
  StudyRelative relative;
  std::vector<StudyCrossover> crossovers;
  std::vector<std::string> overrides;  // of the command line: after `set`, before the axes

  size_t points() const;
  // Of each axis the index of its value.
  std::vector<size_t> indices_of(size_t point) const;
  // Of all dimensions, in order.
  std::vector<const StudyDimension*> dimensions() const;
  std::vector<const StudyValue*> values_of(size_t point) const;
};

// Reads a study; the base scenario is not opened yet. `columns` are paths that replace those of the file, if
// there are any. Empty if `errors` got any.
std::optional<Study> load_study(const std::string& path, const std::vector<std::string>& overrides,
                                const std::vector<std::string>& columns, Diagnostics& errors);

// A document that `load_study` is for, and not a scenario: it has `axes`.
bool is_study(const std::string& path);

// Every key of a study, and as `brigade schema study` prints them.
SchemaKey study_schema();
std::string study_schema_text();
std::string study_schema_json();

}  // namespace brigade
