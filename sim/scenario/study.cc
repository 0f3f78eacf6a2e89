#include "sim/scenario/study.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/scenario/study_reader.h"

namespace brigade {
namespace {

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

// Names of dimensions and columns: results are keyed by them.
void check_names(const Study& study, Diagnostics& errors) {
  std::map<std::string, Place> seen = {{"point", {}}, {"relative", {}}, {"error", {}}};  // names of results
  const auto check = [&](const std::string& name, const Place& at) {
    if (!seen.try_emplace(name, at).second)
      errors.error(
          at, absl::StrCat("a second \"", name, "\"; give one of them another name: {path: ..., name: ...}"));
  };
  for (const StudyDimension* dimension : study.dimensions()) check(dimension->name, dimension->at);
  for (const StudyColumn& column : study.columns) check(column.name, column.at);
}

const StudyDimension* dimension_of(const Study& study, const std::string& name, const Place& at,
                                   Diagnostics& errors) {
  std::vector<std::string> names;
  for (const StudyDimension* dimension : study.dimensions()) {
    if (dimension->name == name) return dimension;
    names.push_back(dimension->name);
  }
  errors.error(at, absl::StrCat("unknown dimension \"", name, "\"", suggestion(name, names)));
  return nullptr;
}

void check_references(const Study& study, Diagnostics& errors) {
  for (const std::string& name : study.relative.within) dimension_of(study, name, study.relative.at, errors);
  for (const StudyCrossover& crossover : study.crossovers) {
    dimension_of(study, crossover.along, crossover.at, errors);
    const StudyDimension* between = dimension_of(study, crossover.between, crossover.at, errors);
    if (between == nullptr) continue;
    std::vector<std::string> labels;
    for (const StudyValue& value : between->values) labels.push_back(value.label);
    for (const std::string& label : crossover.values) {
      if (std::find(labels.begin(), labels.end(), label) == labels.end())
        errors.error(crossover.at, absl::StrCat("unknown value \"", label, "\" of ", between->name,
                                                suggestion(label, labels)));
    }
  }
}

void check_size(const Study& study, Diagnostics& errors) {
  size_t points = 1;
  for (const StudyAxis& axis : study.axes) {
    if (axis.size() > kStudyPointsMax / points)
      return errors.error(axis.zipped.front().at,
                          absl::StrCat("the study has more than ", kStudyPointsMax, " points"));
    points *= axis.size();
  }
}

// An override would be overruled by an axis of the same path.
void check_overrides(const Study& study, Diagnostics& errors) {
  for (const std::string& override : study.overrides) {
    const std::string path = override.substr(0, override.find('='));
    for (const StudyDimension* dimension : study.dimensions()) {
      if (std::find(dimension->paths.begin(), dimension->paths.end(), path) != dimension->paths.end())
        errors.error({absl::StrCat("--set ", path), 0, 0}, "varies in this study");
    }
  }
}

// What refers to a column that is no longer there goes with it.
void replace_columns(const std::vector<std::string>& paths, Study& study) {
  study.columns.clear();
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    names.push_back(last_key(path));
    study.columns.push_back({path, names.back(), {"--columns", 0, 0}});
  }
  const auto is_gone = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) == names.end();
  };
  std::erase_if(study.crossovers, [&](const StudyCrossover& crossover) { return is_gone(crossover.of); });
  if (!is_gone(study.relative.of)) return;
  study.relative.of.clear();
  study.relative.better = Better::kUnknown;
}

}  // namespace

size_t Study::points() const {
  size_t points = 1;
  for (const StudyAxis& axis : axes) points *= axis.size();
  return points;
}

std::vector<size_t> Study::indices_of(size_t point) const {
  std::vector<size_t> indices(axes.size());
  for (size_t a = axes.size(); a-- > 0; point /= axes[a].size()) indices[a] = point % axes[a].size();
  return indices;
}

std::vector<const StudyDimension*> Study::dimensions() const {
  std::vector<const StudyDimension*> all;
  for (const StudyAxis& axis : axes) {
    for (const StudyDimension& dimension : axis.zipped) all.push_back(&dimension);
  }
  return all;
}

std::vector<const StudyValue*> Study::values_of(size_t point) const {
  const std::vector<size_t> indices = indices_of(point);
  std::vector<const StudyValue*> values;
  for (size_t a = 0; a < axes.size(); ++a) {
    for (const StudyDimension& dimension : axes[a].zipped) values.push_back(&dimension.values[indices[a]]);
  }
  return values;
}

std::optional<Study> load_study(const std::string& path, const std::vector<std::string>& overrides,
                                const std::vector<std::string>& columns, Diagnostics& errors) {
  InputFiles files(errors);
  const std::optional<Node> root = files.read(path, {});
  if (!root) return {};
  if (root->find("jobs") && !root->find("axes")) {
    errors.error({path, 0, 0}, "is a scenario, not a study, which has axes; to run it: brigade run");
    return {};
  }
  Study study;
  study.file = path;
  study.name = stem_of(path);
  study.overrides = overrides;
  Reading reading{errors, {}};
  Fields fields(reading, *root, "");
  read_study(fields, study);
  fields.finish();
  if (!errors.ok()) return {};
  if (!columns.empty()) replace_columns(columns, study);
  check_names(study, errors);
  check_references(study, errors);
  check_size(study, errors);
  check_overrides(study, errors);
  if (!errors.ok()) return {};
  return study;
}

bool is_study(const std::string& path) {
  Diagnostics unused;
  InputFiles files(unused);
  const std::optional<Node> root = files.read(path, {});
  return root && root->find("axes") != nullptr;
}

SchemaKey study_schema() {
  Diagnostics unused;
  Reading reading{unused, {}};
  SchemaKey schema;
  Study study;
  Fields fields(reading, schema);
  read_study(fields, study);
  return schema;
}

}  // namespace brigade
