// Covered by tests/scenario/imports_*.cc.
#include "sim/scenario/import.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "sim/scenario/cluster_reader.h"
#include "sim/scenario/cluster_writer.h"
#include "sim/scenario/input_files.h"
#include "sim/scenario/parameters.h"
#include "sim/topology/topology.h"

namespace brigade {
namespace {

constexpr const Importer* kImporters[] = {&kNcclImporter, &kSmiImporter, &kGraphmlImporter, &kAstraImporter,
                                          &kNs3Importer};

const Importer* recognise(std::string_view text, const std::string& file, Diagnostics& errors) {
  for (const Importer* importer : kImporters) {
    if (importer->recognises(text)) return importer;
  }
  std::string known;
  for (const Importer* importer : kImporters)
    absl::StrAppend(&known, known.empty() ? "" : ", ", importer->name);
  errors.error({file, 0, 0},
               absl::StrCat("its content is of no kind that can be imported; these are: ", known));
  return nullptr;
}

std::vector<std::string> comments_of(const ImportedFile& file, const std::string& source) {
  std::vector<std::string> comments{absl::StrCat(
      "Imported from ", std::filesystem::path(source).filename().string(), ": ", file.kind, ".")};
  if (!file.assumptions.empty()) comments.push_back("Assumed:");
  for (const std::string& assumption : file.assumptions) comments.push_back("- " + assumption);
  return comments;
}

// The file as a scenario would read it.
bool loads(const std::string& yaml, const std::string& file, Diagnostics& errors) {
  const std::optional<Node> root = parse_document(yaml, file, errors);
  InputFiles files(errors);
  Arguments none;
  none.kind = Node::Kind::kMap;
  const std::optional<Node> resolved =
      root ? resolve_cluster(*root, file, none, files, errors) : std::nullopt;
  if (!resolved) return false;
  Reading reading{errors, {}};
  ClusterSpec spec;
  Fields fields(reading, *resolved, "cluster");
  read_cluster(fields, true, spec);
  fields.finish();
  return errors.ok();
}

}  // namespace

bool fits_a_file(double vertices, double cables) {
  // Values a line: a vertex with name, kind, model, forward; a cable with two ends and all its keys.
  return 5 * vertices + 9 * cables <= kDocumentNodesMax;
}

std::optional<ImportedFile> import_topology(std::string_view text, const std::string& file,
                                            const ImportOptions& options, Diagnostics& errors) {
  const Importer* importer = recognise(text, file, errors);
  if (importer == nullptr) return std::nullopt;
  Imported imported;
  importer->read(ImportSource(text, file), imported, errors);
  if (options.nvlinks > 0 && errors.ok())
    add_nvlink_switches(imported, options.nvlinks, {file, 0, 0}, errors);
  if (!errors.ok()) return std::nullopt;
  if (!fits_a_file(static_cast<double>(imported.vertices.size()) * options.nodes,
                   static_cast<double>(imported.cables.size()) * options.nodes)) {
    errors.error({file, 0, 0},
                 absl::StrCat(imported.vertices.size(), " vertices and ", imported.cables.size(), " cables, ",
                              options.nodes, " times, are too many to be written out one by one"));
    return std::nullopt;
  }
  if (options.nodes > 1 && errors.ok()) repeat_node(imported, options.nodes, {file, 0, 0}, errors);
  const std::string name = plain_text(std::filesystem::path(file).stem().string());
  const auto topology = errors.ok() ? build_topology(spec_of(imported, name), {}, errors) : nullptr;
  if (topology == nullptr) return std::nullopt;
  ImportedFile out;
  out.kind = importer->name;
  out.assumptions = imported.assumptions;
  out.parameters = imported.parameters;
  out.selectable = topology->selectable();
  out.yaml = cluster_yaml(imported, name.empty() ? "imported" : name, comments_of(out, file));
  if (!loads(out.yaml, file, errors)) return std::nullopt;
  return out;
}

}  // namespace brigade
