#include "sim/scenario/parameters.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "sim/scenario/fields.h"

namespace brigade {
namespace {

// Keys that never name a parameter.
bool is_reserved(const std::string& key) {
  return key == "brigade" || key == "name" || key == "parameters" || key == "file";
}

std::vector<std::string> names_of(const Node& map) {
  std::vector<std::string> names;
  for (const Node& item : map.items) names.push_back(item.key);
  return names;
}

class Resolver {
 public:
  Resolver(InputFiles& files, Diagnostics& errors) : files_(files), errors_(errors) {}

  std::optional<Node> resolve(Node cluster, const std::string& file, const Arguments& arguments) {
    chain_.push_back(file);
    const std::optional<Node> values = values_of(cluster, arguments);
    if (!values || !substitute(cluster, *values)) return {};
    const Node* include = cluster.find("file");
    return include ? resolve_include(cluster, *include) : cluster;
  }

 private:
  // Each parameter of `cluster` with the value that it has now.
  std::optional<Node> values_of(Node& cluster, const Arguments& arguments) {
    Node values;
    values.kind = Node::Kind::kMap;
    const auto declared = std::find_if(cluster.items.begin(), cluster.items.end(),
                                       [](const Node& item) { return item.key == "parameters"; });
    bool ok = true;
    if (declared != cluster.items.end()) {
      if (!declared->is_map()) return refuse(declared->place, "parameters need a map of names and defaults");
      values.items = declared->items;
      for (const Node& value : values.items) ok &= check_parameter(value);
      cluster.items.erase(declared);
    }
    for (const Node& argument : arguments.items) {
      if (Node* value = values.find(argument.key)) {
        ok &= check_parameter(argument);
        *value = argument;
      } else {
        ok = false;
        errors_.error(argument.key_place,
                      absl::StrCat("unknown parameter ", quote(argument.key), " of ", chain_.back(),
                                   values.items.empty() ? ", which has none"
                                                        : suggestion(argument.key, names_of(values))));
      }
    }
    if (!ok) return {};
    return values;
  }

  bool check_parameter(const Node& value) {
    if (value.is_scalar() && !is_reserved(value.key)) return true;
    errors_.error(value.key_place, is_reserved(value.key)
                                       ? absl::StrCat("\"", value.key, "\" cannot name a parameter")
                                       : absl::StrCat("parameter ", quote(value.key), " is ",
                                                      name_of(value.kind), "; expected one value"));
    return false;
  }

  // Fills `$name` in, everywhere below `node`.
  bool substitute(Node& node, const Node& values) {
    bool ok = true;
    for (Node& item : node.items) ok &= substitute(item, values);
    if (!node.is_scalar() || !node.text.starts_with('$')) return ok;
    const std::string name = node.text.substr(1);
    if (const Node* value = values.find(name)) {
      node.text = value->text;
      return ok;
    }
    const std::string known =
        values.items.empty() ? "; no parameters are declared here" : suggestion(name, names_of(values));
    errors_.error(node.place, absl::StrCat("unknown parameter ", quote(node.text), known));
    return false;
  }

  std::optional<Node> resolve_include(const Node& cluster, const Node& include) {
    if (!include.is_scalar())
      return refuse(include.place, absl::StrCat("file is ", name_of(include.kind), "; expected a path"));
    // Beside the file in which it is written, which may be a study; of --set, to where the command runs.
    const std::string base = include.place.line > 0 ? include.place.file : "";
    const std::string path = path_beside(base, include.text);
    for (const std::string& outer : chain_) {
      if (canonical_path(outer) != canonical_path(path)) continue;
      return refuse(
          include.place,
          absl::StrCat("a file that includes itself: ", absl::StrJoin(chain_, " -> "), " -> ", path));
    }
    std::optional<Node> included = files_.read(path, include.place);
    if (!included) return {};
    if (included->find("jobs"))
      return refuse(include.place, absl::StrCat(path, " is a scenario; expected a cluster file"));
    Arguments arguments;
    arguments.kind = Node::Kind::kMap;
    for (const Node& item : cluster.items) {
      if (!is_reserved(item.key)) arguments.items.push_back(item);
    }
    std::optional<Node> resolved = resolve(std::move(*included), path, arguments);
    if (const Node* name = cluster.find("name"); resolved && name) rename(*resolved, *name);
    return resolved;
  }

  // Whoever names a file may give the cluster another name.
  static void rename(Node& cluster, const Node& name) {
    if (Node* old = cluster.find("name")) {
      *old = name;
    } else {
      cluster.items.push_back(name);
    }
  }

  std::nullopt_t refuse(const Place& place, std::string message) {
    errors_.error(place, std::move(message));
    return std::nullopt;
  }

  InputFiles& files_;
  Diagnostics& errors_;
  std::vector<std::string> chain_;
};

}  // namespace

std::optional<Node> resolve_cluster(const Node& cluster, const std::string& file, const Arguments& arguments,
                                    InputFiles& files, Diagnostics& errors) {
  return Resolver(files, errors).resolve(cluster, file, arguments);
}

}  // namespace brigade
