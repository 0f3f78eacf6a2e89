// People's own topology files (NCCL XML, nvidia-smi topo -m, GraphML, ASTRA-sim, ns-3) as cluster files.
//
// Adding a kind: its row in a file import_<kind>.cc (in sim/topology, or here if it is YAML), listed in
// import.cc.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/topology/imported.h"

namespace brigade {

extern const Importer kAstraImporter;

struct ImportOptions {
  int nodes = 1;    // a file of one server becomes so many, joined by their NICs
  int nvlinks = 0;  // of each GPU to NVLink switches, where the file names none
};

struct ImportedFile {
  std::string kind;  // "NCCL topology XML"
  std::string yaml;  // a cluster file; what was assumed stands in its comments
  std::vector<std::string> assumptions;
  std::vector<ImportParameter> parameters;
  std::string selectable;  // "node[0].gpu[0-7], ..."
};

// Reads the text, whose kind its content tells. What comes back builds, and loads as a cluster file; empty if
// `errors` got any.
std::optional<ImportedFile> import_topology(std::string_view text, const std::string& file,
                                            const ImportOptions& options, Diagnostics& errors);

// Whether a cluster of this size can be written out as a file that loads again.
bool fits_a_file(double vertices, double cables);

}  // namespace brigade
