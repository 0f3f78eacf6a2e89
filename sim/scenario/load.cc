// From a file to a Scenario: files, overrides, parameters, then every key once.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/replay/replay_trace.h"
#include "sim/scenario/cluster_reader.h"
#include "sim/scenario/input_files.h"
#include "sim/scenario/job_reader.h"
#include "sim/scenario/load.h"
#include "sim/scenario/overrides.h"
#include "sim/scenario/parameters.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/settings_reader.h"

namespace brigade {
namespace {

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

// All keys of a scenario but those within `cluster`, which stand for themselves after resolve_cluster.
void read_scenario(Fields& in, const std::string& path, Scenario& out) {
  read_file_header(in, out.name);
  in.defaulted("seed", whole<uint64_t>(0, INT64_MAX), out.seed, "of all random choices");
  in.find("cluster", Need::kRequired, "", "map", {},
          "the machines: written here, or {file: PATH, parameters...}",
          [&](Fields& cluster) { read_cluster(cluster, false, out.cluster); });
  std::optional<bool> alone;
  in.optional("alone", flag(), alone, "each job runs by itself, too, to tell by how much others slow it");
  out.alone = alone.value_or(false);
  read_network(in, out.network);
  read_jobs(in, out.jobs);
  read_changes(in, out);
  read_trace(in, path, out.trace);
}

Arguments no_arguments() {
  Arguments none;
  none.kind = Node::Kind::kMap;
  return none;
}

void read_resolved(const Node& cluster, const std::string& stem, bool in_file, Reading& reading,
                   ClusterSpec& out) {
  out.name = stem;
  Fields fields(reading, cluster, "cluster");
  read_cluster(fields, in_file, out);
  fields.finish();
}

// The `cluster` of the scenario `root`; `text` becomes all that it is built from.
void read_cluster_of(const Node& root, const std::string& path, InputFiles& files, Reading& reading,
                     ClusterSpec& out, std::string& text) {
  const Node* cluster = root.find("cluster");
  if (!cluster || cluster->kind == Node::Kind::kNull) return;  // reported as missing
  if (!cluster->is_map()) {
    reading.errors.error(cluster->place,
                         absl::StrCat("cluster is ", name_of(cluster->kind), "; expected a map"));
    return;
  }
  const Node* file = cluster->find("file");
  const std::string stem = file ? stem_of(file->text) : stem_of(path);
  const std::optional<Node> resolved = resolve_cluster(*cluster, path, no_arguments(), files, reading.errors);
  if (!resolved) return;
  read_resolved(*resolved, stem, file != nullptr, reading, out);
  const Node* changes = root.find("changes");
  text = absl::StrCat(stem, "\n", flow_text(*resolved), "\n", changes ? flow_text(*changes) : "");
}

bool is_cluster_file(const Node& root) {
  return !root.find("jobs") && !root.find("cluster") && (root.find("nodes") || root.find("vertices"));
}

// Parameters as the map that resolve_cluster takes.
Arguments arguments_of(const std::vector<std::string>& parameters, Diagnostics& errors) {
  Arguments arguments = no_arguments();
  for (const std::string& parameter : parameters) {
    const size_t equals = parameter.find('=');
    const Place place{absl::StrCat("--set ", parameter.substr(0, equals)), 0, 0};
    if (equals == std::string::npos || equals + 1 == parameter.size()) {
      errors.error(place, "expected NAME=VALUE, such as nodes=4");
      continue;
    }
    Node node;
    node.kind = Node::Kind::kScalar;
    node.key = parameter.substr(0, equals);
    node.text = parameter.substr(equals + 1);
    node.place = node.key_place = place;
    arguments.items.push_back(std::move(node));
  }
  return arguments;
}

void apply_overrides(const std::vector<std::string>& overrides, InputFiles& files, Node& root,
                     Diagnostics& errors) {
  if (overrides.empty()) return;
  const SchemaKey schema = scenario_schema();
  for (const std::string& override : overrides) {
    files.hash().add(override);
    apply_override(override, schema, root, errors);
  }
}

// The jobs that no error so far stands in. A job reaches from its key to the next one, the last to the end of
// the file; an error of another place (an override) may be in any.
std::vector<bool> sound_jobs(const Node& root, const std::vector<JobSpec>& jobs, const Diagnostics& errors) {
  std::vector<bool> sound(jobs.size(), true);
  const Node* map = root.find("jobs");
  if (map == nullptr || map->items.size() != jobs.size()) return std::vector<bool>(jobs.size(), false);
  const auto position = [](const Place& p) { return std::pair(p.line, p.column); };
  for (const Diagnostic& error : errors.list()) {
    for (size_t i = 0; i < jobs.size(); ++i) {
      const Place& begin = map->items[i].key_place;
      const bool elsewhere = error.place.file != begin.file;
      const bool after_begin = position(error.place) >= position(begin);
      const bool before_end =
          i + 1 == jobs.size() || position(error.place) < position(map->items[i + 1].key_place);
      if (elsewhere || (after_begin && before_end)) sound[i] = false;
    }
  }
  return sound;
}

}  // namespace

ScenarioParts read_scenario_parts(const std::string& path, const std::vector<std::string>& overrides,
                                  Diagnostics& errors) {
  InputFiles files(errors);
  std::optional<Node> root = files.read(path, {});
  if (!root) return {};
  if (is_cluster_file(*root)) {
    errors.error(
        {path, 0, 0},
        "is a cluster file, which a scenario names: cluster: {file: PATH}; to see it: brigade topology");
    return {};
  }
  if (root->find("axes") && !root->find("jobs")) {
    errors.error({path, 0, 0}, "is a study; to run it: brigade sweep");
    return {};
  }
  apply_overrides(overrides, files, *root, errors);
  return read_parts(*root, path, files, errors);
}

ScenarioParts read_parts(const Node& root, const std::string& path, InputFiles& files, Diagnostics& errors) {
  Reading reading{errors, {}};
  ScenarioParts parts;
  Scenario& scenario = parts.scenario;
  scenario.name = stem_of(path);
  Fields fields(reading, root, "");
  read_scenario(fields, path, scenario);
  fields.finish();
  // Relative to the scenario; those of --set to the working directory.
  for (JobSpec& job : scenario.jobs)
    if (auto* replay = std::get_if<ReplayJobSpec>(&job.kind); replay != nullptr && replay->files_at.line > 0)
      for (std::string& file : replay->files) file = path_beside(path, file);
  parts.sound_jobs = sound_jobs(root, scenario.jobs, errors);
  const int errors_before = errors.errors();
  read_cluster_of(root, path, files, reading, scenario.cluster, parts.cluster_text);
  parts.cluster_is_sound = root.find("cluster") != nullptr && errors.errors() == errors_before;
  scenario.defaulted = std::move(reading.defaulted);
  scenario.input_hash = files.hash().hex();
  return parts;
}

std::optional<Scenario> load_scenario(const std::string& path, const std::vector<std::string>& overrides,
                                      Diagnostics& errors) {
  ScenarioParts parts = read_scenario_parts(path, overrides, errors);
  if (!errors.ok()) return {};
  return std::move(parts.scenario);
}

bool load_trace(Scenario& scenario, size_t job, Diagnostics& errors) {
  auto* replay = std::get_if<ReplayJobSpec>(&scenario.jobs[job].kind);
  if (replay == nullptr || replay->trace != nullptr) return true;
  replay->trace = load_replay(replay->files, replay->files_at, errors);
  if (replay->trace == nullptr) return false;
  InputHash hash;
  hash.add(scenario.input_hash);
  hash.add(std::to_string(replay->trace->hash));
  scenario.input_hash = hash.hex();
  return true;
}

bool is_cluster_file(const std::string& path) {
  Diagnostics unused;
  const std::optional<Node> root = InputFiles(unused).read(path, {});
  return root && is_cluster_file(*root);
}

std::optional<ClusterFile> load_cluster(const std::string& path, const std::vector<std::string>& parameters,
                                        Diagnostics& errors) {
  InputFiles files(errors);
  std::optional<Node> root = files.read(path, {});
  if (!root) return {};
  Reading reading{errors, {}};
  ClusterFile out;
  if (root->find("jobs") || root->find("cluster")) {
    std::optional<Scenario> scenario = load_scenario(path, parameters, errors);
    if (!scenario) return {};
    return ClusterFile{std::move(scenario->cluster), std::move(scenario->link_changes),
                       std::move(scenario->input_hash)};
  }
  for (const std::string& parameter : parameters) files.hash().add(parameter);
  const std::optional<Node> resolved =
      resolve_cluster(*root, path, arguments_of(parameters, errors), files, errors);
  if (resolved) read_resolved(*resolved, stem_of(path), true, reading, out.cluster);
  if (!errors.ok()) return {};
  out.input_hash = files.hash().hex();
  return out;
}

SchemaKey scenario_schema() {
  Diagnostics unused;
  Reading reading{unused, {}};
  SchemaKey schema;
  Scenario scenario;
  Fields fields(reading, schema);
  read_scenario(fields, "", scenario);
  return schema;
}

SchemaKey cluster_schema() {
  Diagnostics unused;
  Reading reading{unused, {}};
  SchemaKey schema;
  ClusterSpec cluster;
  Fields fields(reading, schema);
  read_cluster(fields, true, cluster);
  return schema;
}

}  // namespace brigade
