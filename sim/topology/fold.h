// A cluster folded for drawing: equal nodes and equal switches become one with a number, "x 128", as soon as
// the whole would not be readable.
//
// Three ways, the first that fits is taken: everything; twins (nodes and switches with the same neighbours);
// kinds (what the graph cannot tell apart: colour refinement, Weisfeiler and Leman 1968).
#pragma once
#include <cstdint>
#include <vector>

#include "sim/topology/topology.h"

namespace brigade {

struct FoldedVertex {
  VertexId example = kNone;  // the first of them
  VertexId last = kNone;
  uint32_t count = 1;
};
struct FoldedNode {
  uint32_t example = 0, last = 0;
  uint32_t count = 1;
  std::vector<uint32_t> vertices;  // of Folded
};
struct FoldedCable {
  uint32_t a = 0, b = 0;  // of Folded::vertices
  LinkId example = kNone;
  std::vector<LinkId> links;  // one direction of each cable
};

struct Folded {
  std::vector<FoldedVertex> vertices;
  std::vector<FoldedNode> nodes;    // those with more than one vertex
  std::vector<uint32_t> alone;      // vertices outside of `nodes`
  std::vector<FoldedCable> cables;  // between drawn vertices; of one bandwidth and state each
  bool is_folded = false;
};

Folded fold_nothing(const Topology& topology);
Folded fold(const Topology& topology);

}  // namespace brigade
