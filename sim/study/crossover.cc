#include "sim/study/crossover.h"

#include <algorithm>
#include <map>
#include <optional>

#include "absl/strings/str_cat.h"
#include "sim/scenario/value_range.h"
#include "sim/study/relative.h"

namespace brigade {
namespace {

struct Sample {
  double x = 0, y = 0;
  std::string label;
};
using Curve = std::vector<Sample>;  // by growing x

// Everything of one crossover that was asked for.
class Search {
 public:
  Search(const PreparedStudy& prepared, const std::vector<Row>& rows, const StudyCrossover& asked,
         Crossovers& out)
      : study_(prepared.study), asked_(asked), out_(out) {
    along_ = dimension_index(study_, asked.along);
    between_ = dimension_index(study_, asked.between);
    for (size_t c = 0; c < prepared.columns.size(); ++c) {
      if (prepared.columns[c].name != asked.of) continue;
      column_ = c;
      sign_ = prepared.columns[c].better == Better::kLowest ? 1 : -1;
    }
    if (gather(rows)) compare_all();
  }

 private:
  using Where = std::vector<std::pair<std::string, std::string>>;

  // The position of each value on the axis; false, and said, where one is no number.
  bool gather(const std::vector<Row>& rows) {
    const StudyDimension& along = *study_.dimensions()[along_];
    for (const StudyValue& value : along.values) {
      double x = 0;
      std::string unit;
      if (!split_number(value.label, x, unit) || !scale(unit, x)) {
        out_.messages.push_back(absl::StrCat("no crossovers along ", along.name, ": \"", value.label,
                                             "\" is no number of its first value's unit"));
        return false;
      }
      xs_[value.label] = x;
    }
    for (const Row& row : rows) add(row);
    return true;
  }

  bool scale(const std::string& unit, double& x) {
    if (xs_.empty()) unit_ = unit;
    const std::optional<double> factor = units_ratio(unit, unit_);
    if (factor) x *= *factor;
    return factor.has_value();
  }

  void add(const Row& row) {
    if (row.failed() || !row.cells[column_].is_number()) return;
    const auto dimensions = study_.dimensions();
    const auto values = study_.values_of(row.point);
    Where where;
    for (size_t d = 0; d < dimensions.size(); ++d) {
      if (dimensions[d]->shown && d != along_ && d != between_ && !goes_with(d))
        where.emplace_back(dimensions[d]->name, values[d]->label);
    }
    auto [curves, is_new] = curves_.try_emplace(where);
    if (is_new) order_.push_back(where);
    const std::string& label = values[along_]->label;
    curves->second[values[between_]->label].push_back(
        {xs_.at(label), row.cells[column_].get<double>(), label});
  }

  // Zipped with one of the two: it changes with it.
  bool goes_with(size_t d) const {
    size_t first = 0;
    for (const StudyAxis& axis : study_.axes) {
      const size_t end = first + axis.zipped.size();
      const auto inside = [&](size_t i) { return first <= i && i < end; };
      if (inside(d)) return inside(along_) || inside(between_);
      first = end;
    }
    return false;
  }

  void compare_all() {
    std::vector<std::string> labels = asked_.values;
    if (labels.empty()) {
      for (const StudyValue& value : study_.dimensions()[between_]->values) labels.push_back(value.label);
    }
    for (const Where& where : order_) {
      for (size_t a = 0; a < labels.size(); ++a) {
        for (size_t b = a + 1; b < labels.size(); ++b) compare(where, labels[a], labels[b]);
      }
    }
  }

  // The points at which both have a figure, in order.
  void compare(const Where& where, const std::string& a, const std::string& b) {
    Curve first = curves_[where][a];
    const Curve second = curves_[where][b];
    const auto by_x = [](const Sample& s, const Sample& t) { return s.x < t.x; };
    std::stable_sort(first.begin(), first.end(), by_x);
    std::optional<Sample> before;  // y: how much worse a is than b
    std::optional<Sample> equal;   // since `before`
    for (const Sample& s : first) {
      const auto other =
          std::find_if(second.begin(), second.end(), [&](const Sample& t) { return t.x == s.x; });
      if (other == second.end()) continue;
      const Sample now{s.x, sign_ * (s.y - other->y), s.label};
      if (now.y == 0) {
        if (!equal) equal = now;
        continue;
      }
      if (before && (before->y < 0) != (now.y < 0)) {
        Crossover found{&asked_, where, a, b, 0, unit_, "", ""};
        if (now.y < 0) std::swap(found.before, found.after);
        const Sample& low = equal ? *equal : *before;
        const Sample& high = equal ? *equal : now;
        found.low = low.label;
        found.high = high.label;
        found.at = equal ? equal->x : before->x + (now.x - before->x) * (before->y / (before->y - now.y));
        out_.found.push_back(std::move(found));
      }
      before = now;
      equal.reset();
    }
  }

  const Study& study_;
  const StudyCrossover& asked_;
  Crossovers& out_;
  size_t along_ = 0, between_ = 0, column_ = 0;
  double sign_ = 1;
  std::string unit_;
  std::map<std::string, double> xs_;
  std::map<Where, std::map<std::string, Curve>> curves_;
  std::vector<Where> order_;
};

}  // namespace

Crossovers crossovers_of(const PreparedStudy& prepared, const std::vector<Row>& rows) {
  Crossovers out;
  for (const StudyCrossover& asked : prepared.study.crossovers) Search(prepared, rows, asked, out);
  return out;
}

}  // namespace brigade
