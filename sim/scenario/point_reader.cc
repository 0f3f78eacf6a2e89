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
constexpr int kTries = 1024;

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

// The points that have one value of one axis: those that differ in short axes first, because it is named
// choices, of which there are few, that depend on each other.
class Companions {
 public:
  Companions(const Study& study, size_t axis, size_t index) : study_(study), indices_(study.axes.size()) {
    indices_[axis] = index;
    for (size_t a = 0; a < study.axes.size(); ++a)
      if (a != axis) order_.push_back(a);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](size_t a, size_t b) { return study.axes[a].size() < study.axes[b].size(); });
  }
  bool at_end() const { return at_end_; }
  size_t point() const {
    size_t point = 0;
    for (size_t a = 0; a < indices_.size(); ++a) point = point * study_.axes[a].size() + indices_[a];
    return point;
  }
  void advance() {
    for (const size_t a : order_) {
      if (++indices_[a] < study_.axes[a].size()) return;
      indices_[a] = 0;
    }
    at_end_ = true;
  }

 private:
  const Study& study_;
  std::vector<size_t> indices_, order_;
  bool at_end_ = false;
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
  PointReader reader(study);
  Mistakes mistakes(errors);
  for (size_t a = 0; a < study.axes.size(); ++a) {
    const StudyAxis& axis = study.axes[a];
    const bool alike = std::all_of(axis.zipped.begin(), axis.zipped.end(),
                                   [](const StudyDimension& dimension) { return dimension.is_range; });
    for (size_t i = 0; i < axis.size(); ++i) {
      if (alike && i > 0 && i + 1 < axis.size()) continue;
      Companions points(study, a, i);
      Diagnostics first;
      bool sound = false;
      for (int tries = 0; tries < kTries && !sound && !points.at_end(); ++tries, points.advance()) {
        Diagnostics found;
        reader.read(points.point(), found);
        sound = found.ok();
        if (tries == 0) first = found;
      }
      if (!sound) mistakes.add(first);
    }
  }
}

}  // namespace brigade
