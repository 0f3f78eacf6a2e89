// A cluster as a drawing, in Graphviz' DOT: nodes as boxes, links coloured by class and as wide as they are
// fast, large fabrics folded (fold.h).
#pragma once
#include <string>
#include <vector>

#include "sim/topology/topology.h"

namespace brigade {

struct DrawingOptions {
  bool fold = true;
  // By link, 0 to 1: links are then coloured by how busy they were. Empty: by class.
  std::vector<double> utilization = {};
};

// Empty where so much is left after folding that nobody could read it: more than kDrawnVerticesMax vertices.
constexpr size_t kDrawnVerticesMax = 1500;
std::string drawing(const Topology& topology, const DrawingOptions& options);

}  // namespace brigade
