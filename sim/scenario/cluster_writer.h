// A cluster written out vertex by vertex, as the YAML that cluster_reader reads.
#pragma once
#include <string>
#include <vector>

#include "sim/topology/imported.h"
#include "sim/topology/topology.h"

namespace brigade {

// `comments` become the head of the file, a line each.
std::string cluster_yaml(const Imported& cluster, const std::string& name,
                         const std::vector<std::string>& comments);
// The frozen cluster, families and all, written out. Dead links are refused: a file cannot express them.
std::string cluster_yaml(const Topology& topology, Diagnostics& errors);

}  // namespace brigade
