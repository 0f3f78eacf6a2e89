#include "sim/scenario/point_reader.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/scenario/load.h"
#include "sim/scenario/overrides.h"

namespace brigade {
namespace {

// A value that failed so often, with other values beside it, is taken for wrong.
constexpr int kTries = 32;

bool is_base(const StudyDimension& dimension) {
  return std::find(dimension.paths.begin(), dimension.paths.end(), kBasePath) != dimension.paths.end();
}

// Each mistake once: all points have those of the base.
class Mistakes {
 public:
  explicit Mistakes(Diagnostics& out) : out_(out) {}
  void add(const Diagnostics& found) {
    for (const Diagnostic& d : found.list()) {
      if (d.severity != Diagnostic::Severity::kError) continue;
      if (seen_.insert(std::tuple(d.place.file, d.place.line, d.place.column, d.message)).second)
        out_.error(d.place, d.message);
    }
  }

 private:
  Diagnostics& out_;
  std::set<std::tuple<std::string, int, int, std::string>> seen_;
};

}  // namespace

PointReader::PointReader(const Study& study)
    : study_(study),
      schema_(scenario_schema()),
      written_text_(study.base_written ? flow_text(*study.base_written) : "") {}

void PointReader::apply(const StudyDimension& dimension, const StudyValue& value, InputFiles& files,
                        Node& root, Diagnostics& errors) const {
  for (const std::string& path : dimension.paths) {
    if (path == kBasePath) continue;
    files.hash().add(path);
    files.hash().add(flow_text(value.node));
    apply_value(path, dimension.at, value.node, schema_, root, errors);
  }
}

ScenarioParts PointReader::read(size_t point, Diagnostics& errors) {
  const std::vector<const StudyDimension*> dimensions = study_.dimensions();
  const std::vector<const StudyValue*> values = study_.values_of(point);
  InputFiles files(errors, &files_);
  std::string path = study_.base_written ? study_.file : study_.base_file;
  std::optional<Node> root = study_.base_written;
  Place asked_from = study_.base_at;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (!is_base(*dimensions[i])) continue;
    path = path_beside(study_.file, values[i]->node.text);
    root.reset();
    asked_from = values[i]->node.place;
  }
  if (root) {
    files.hash().add(written_text_);
  } else {
    root = files.read(path, asked_from);
  }
  if (!root) return {};
  for (const StudyDimension& fixed : study_.set) apply(fixed, fixed.values.front(), files, *root, errors);
  for (const std::string& override : study_.overrides) {
    files.hash().add(override);
    apply_override(override, schema_, *root, errors);
  }
  for (size_t i = 0; i < dimensions.size(); ++i) apply(*dimensions[i], *values[i], files, *root, errors);
  ScenarioParts parts = read_parts(*root, path, files, errors);
  return parts;
}

void check_points(const Study& study, Diagnostics& errors) {
  struct State {
    bool sound = false;
    int tries = 0;
    Diagnostics first;  // of its first point
  };
  std::vector<std::vector<State>> states;
  for (const StudyAxis& axis : study.axes) {
    auto& of_axis = states.emplace_back(axis.size());
    const bool alike = std::all_of(axis.zipped.begin(), axis.zipped.end(),
                                   [](const StudyDimension& dimension) { return dimension.is_range; });
    for (size_t i = 1; alike && i + 1 < of_axis.size(); ++i) of_axis[i].sound = true;
  }
  PointReader reader(study);
  const size_t points = study.points();
  for (size_t point = 0; point < points; ++point) {
    const std::vector<size_t> indices = study.indices_of(point);
    bool open = false;
    for (size_t a = 0; a < indices.size(); ++a) {
      const State& state = states[a][indices[a]];
      open |= !state.sound && state.tries < kTries;
    }
    if (!open) continue;
    Diagnostics found;
    reader.read(point, found);
    for (size_t a = 0; a < indices.size(); ++a) {
      State& state = states[a][indices[a]];
      if (state.tries++ == 0) state.first = found;
      state.sound |= found.ok();
    }
  }
  Mistakes mistakes(errors);
  for (const auto& axis : states) {
    for (const State& state : axis)
      if (!state.sound) mistakes.add(state.first);
  }
}

}  // namespace brigade
