// The keys of a study.
#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "sim/scenario/cluster_reader.h"
#include "sim/scenario/fields.h"
#include "sim/scenario/study.h"
#include "sim/scenario/study_reader.h"
#include "sim/scenario/value_range.h"

namespace brigade {
namespace {

namespace fs = std::filesystem;

// `*` in the name of a file stands for any text.
bool matches(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] != '*')
    return !name.empty() && name[0] == pattern[0] && matches(name.substr(1), pattern.substr(1));
  for (size_t skip = 0; skip <= name.size(); ++skip)
    if (matches(name.substr(skip), pattern.substr(1))) return true;
  return false;
}

// The files of a pattern, by name, as the study would write them.
std::vector<std::string> files_of(const std::string& pattern, const std::string& study_file) {
  if (pattern.find('*') == std::string::npos) return {pattern};
  const fs::path asked(pattern);
  std::vector<std::string> found;
  std::error_code unused;
  const fs::path folder = path_beside(study_file, asked.parent_path().string());
  for (const auto& entry : fs::directory_iterator(folder.empty() ? fs::path(".") : folder, unused)) {
    const std::string name = entry.path().filename().string();
    if (matches(name, asked.filename().string())) found.push_back((asked.parent_path() / name).string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

Node scalar_at(const Place& place, const std::string& text) {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.text = text;
  node.place = node.key_place = place;
  return node;
}

std::string label_of(const Node& node) { return node.is_scalar() ? node.text : flow_text(node); }

// A list of values, or a map of labels and values.
void take_values(Fields& in, const Node& values, StudyDimension& out) {
  if (!values.is_list() && !values.is_map())
    return in.error(values.place, "values are a list, or a map of labels and values");
  if (values.items.empty()) return in.error(values.place, "values are empty");
  for (const Node& item : values.items)
    out.values.push_back({item, values.is_map() ? item.key : label_of(item)});
}

void take_files(Fields& in, const std::vector<std::string>& patterns, const std::string& study_file,
                StudyDimension& out) {
  for (const std::string& pattern : patterns) {
    const std::vector<std::string> files = files_of(pattern, study_file);
    if (files.empty()) in.error(in.place_of("files"), absl::StrCat("no file is named ", quote(pattern)));
    for (const std::string& file : files)
      out.values.push_back({scalar_at(in.place_of("files"), file), fs::path(file).stem().string()});
  }
}

void read_values(Fields& in, const std::string& study_file, StudyDimension& out) {
  const Node* values = in.find("values", Need::kOptional, "", "list, or map of labels and values", {},
                               "what it takes, one after the other: numbers, text, lists or maps");
  std::vector<std::string> files;
  in.list("files", Need::kOptional, text(), files,
          "the same for files, beside this file; * in a name is any text");
  std::optional<std::string> from, to, step;
  in.optional("from", text(), from, "a range: the first value, 1 MB");
  in.optional("to", text(), to, "the last one, if a step meets it");
  in.optional("step", text(), step, "x2: twice the one before; +1 MB: so much more");
  if (in.describing()) return;
  const int ways = in.has("values") + in.has("files") + (in.has("from") || in.has("to") || in.has("step"));
  if (ways != 1)
    return in.error(in.place(), "which values? allowed: one of values, files, or from, to and step");
  if (values) take_values(in, *values, out);
  if (in.has("files")) take_files(in, files, study_file, out);
  if (!in.has("from") && !in.has("to") && !in.has("step")) return;
  if (!from || !to || !step) {
    if (!in.has("from") || !in.has("to") || !in.has("step"))
      in.error(in.place(), "a range needs from, to and step, such as from: 1 MB, to: 1 GB, step: x2");
    return;
  }
  const ValueRange range = range_of(*from, *to, *step, kStudyPointsMax);
  if (!range.error.empty()) return in.error(in.place_of("from"), range.error);
  out.is_range = true;
  for (const std::string& value : range.values)
    out.values.push_back({scalar_at(in.place_of("from"), value), value});
}

void read_dimension(Fields& in, const std::string& study_file, StudyDimension& out) {
  in.list(
      "path", Need::kRequired, text(), out.paths,
      "what varies: a key of the scenario, jobs.train.buckets.cap; several get the same value; base is the "
      "scenario itself");
  out.at = in.place_of("path");
  std::optional<std::string> name;
  in.optional("name", text(), name, "in results; the last key of the path, if not given");
  if (name)
    out.name = *name;
  else if (!out.paths.empty())
    out.name = last_key(out.paths.front());
  in.defaulted("show", flag(), out.shown, "false: no column of a table, for what another name says already");
  read_values(in, study_file, out);
}

void read_axis(Fields& in, const std::string& study_file, StudyAxis& out) {
  const bool zipped = in.has("zip");
  in.when("zip", zipped, [&] {
    in.maps("zip", Need::kOptional, "dimensions that change together, with as many values each",
            [&](Fields& part) { read_dimension(part, study_file, out.zipped.emplace_back()); });
  });
  in.when("path", !zipped, [&] { read_dimension(in, study_file, out.zipped.emplace_back()); });
  if (in.describing()) return;
  for (const StudyDimension& part : out.zipped) {
    const size_t wanted = out.zipped.front().values.size();
    if (part.values.empty() || wanted == 0 || part.values.size() == wanted) continue;
    in.error(part.at,
             absl::StrCat(part.name, " has ", part.values.size(), " values, ", out.zipped.front().name,
                          " has ", wanted, "; zipped dimensions have as many each"));
  }
}

void read_columns(Fields& in, std::vector<StudyColumn>& out) {
  const Node* columns =
      in.find("columns", Need::kOptional, "", "list of paths or maps", {},
              "figures of the result (brigade run --json), jobs.train.step_time_us; without it the main ones",
              [](Fields& list) {
                list.find("", Need::kOptional, "", "path, or map", {}, "", [](Fields& item) {
                  StudyColumn column;
                  read_column(item, column);
                });
              });
  if (!columns || !in.expect_items(*columns, "columns")) return;
  for (const Node& item : columns->items) {
    StudyColumn& column = out.emplace_back();
    column.at = item.place;
    if (item.is_scalar()) {
      column.path = item.text;
    } else if (in.expect_map(item, "columns")) {
      in.inside(item, "columns", [&](Fields& fields) { read_column(fields, column); });
    }
    if (column.name.empty()) column.name = last_key(column.path);
  }
}

void read_relative(Fields& in, StudyRelative& out) {
  in.map("relative", Need::kOptional, "how many times as bad as the best row each row is", [&](Fields& map) {
    out.at = map.place();
    map.defaulted("of", text(), out.of, "name of a column; the first one, if not given");
    std::optional<Better> better;
    map.optional("better", choice<Better>({{"lowest", Better::kLowest}, {"highest", Better::kHighest}}),
                 better, "which value is the best; as the figure's name says, if not given");
    out.better = better.value_or(Better::kUnknown);
    map.list("within", Need::kOptional, text(), out.within,
             "dimensions: only rows that agree on them compare");
    bool shown = true;
    map.defaulted("show", flag(), shown, "false: no such column");
    out.off = !shown;
  });
}

void read_crossovers(Fields& in, std::vector<StudyCrossover>& out) {
  in.maps("crossovers", Need::kOptional, "from which value on something else is better", [&](Fields& map) {
    StudyCrossover& c = out.emplace_back();
    c.at = map.place();
    map.required("of", text(), c.of, "name of the column that is compared");
    map.required("along", text(), c.along, "name of the dimension that grows");
    map.required("between", text(), c.between, "name of the dimension whose values are compared");
    map.list("values", Need::kOptional, text(), c.values, "which of them, by label; without it every pair");
  });
}

}  // namespace

std::string last_key(const std::string& path) {
  const size_t dot = path.find_last_of('.');
  return dot == std::string::npos ? path : path.substr(dot + 1);
}

void read_column(Fields& in, StudyColumn& out) {
  in.required("path", text(), out.path,
              "of a figure: jobs.train.buckets[0].end_us, rows[algorithm=ring].time_us");
  std::optional<std::string> name;
  in.optional("name", text(), name, "its heading; the last key of the path, if not given");
  out.name = name.value_or(last_key(out.path));
}

void read_study(Fields& in, Study& out) {
  read_file_header(in, out.name);
  const Node* base =
      in.find("base", Need::kRequired, "", "path, or scenario", {},
              "the scenario in which something varies: its file, beside this one, or written here");
  if (base) {
    out.base_at = base->place;
    if (base->is_map())
      out.base_written = *base;
    else if (base->is_scalar())
      out.base_file = path_beside(out.file, base->text);
    else
      in.error(base->place, "base is a list; expected a path or a scenario");
  }
  const Node* set = in.find("set", Need::kOptional, "", "map of paths and values", {},
                            "values that all points have, as of --set: {jobs.train.run.steps: 1}");
  if (set && in.expect_map(*set, "set")) {
    for (const Node& item : set->items)
      out.set.push_back({item.key, {item.key}, {{item, label_of(item)}}, false, false, item.key_place});
  }
  in.maps("axes", Need::kRequired, "what varies; every value of one with every value of the others",
          [&](Fields& axis) { read_axis(axis, out.file, out.axes.emplace_back()); });
  read_columns(in, out.columns);
  read_relative(in, out.relative);
  read_crossovers(in, out.crossovers);
}

}  // namespace brigade
