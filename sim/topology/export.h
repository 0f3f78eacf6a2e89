// A cluster in the files of other tools. What a format cannot express is refused with words, or listed.
#pragma once
#include <string>
#include <vector>

#include "sim/topology/topology.h"

namespace brigade {

struct Exported {
  std::string text;
  std::vector<std::string> losses;  // what the text leaves out or rounds, in sentences
};

// GraphML with name, kind, node, bandwidth, latency and cost as strings with units; importable again.
Exported graphml_of(const Topology& topology, Diagnostics& errors);
// NCCL's topology XML of one server: a tree of PCIe under its CPUs, NVLinks or xGMI, NIC ports.
Exported nccl_xml_of(const Topology& topology, Diagnostics& errors);

// False, with an error, where a cable is dead or its two directions differ: files of cables cannot say that.
bool has_equal_directions(const Topology& topology, Diagnostics& errors);

}  // namespace brigade
