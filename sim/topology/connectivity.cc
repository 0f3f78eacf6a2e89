#include "sim/topology/connectivity.h"

#include <boost/pending/disjoint_sets.hpp>

namespace brigade {

std::vector<VertexId> one_device_a_piece(std::span<const Vertex> vertices, std::span<const Link> links) {
  std::vector<VertexId> rank(vertices.size()), parent(vertices.size());
  boost::disjoint_sets<VertexId*, VertexId*> pieces(rank.data(), parent.data());
  for (VertexId v = 0; v < vertices.size(); ++v) pieces.make_set(v);
  for (const Link& l : links) pieces.union_set(l.from, l.to);
  std::vector<bool> seen(vertices.size());
  std::vector<VertexId> found;
  for (VertexId v = 0; v < vertices.size(); ++v) {
    if (vertices[v].kind != VertexKind::kGpu && vertices[v].kind != VertexKind::kHost) continue;
    const VertexId piece = pieces.find_set(v);
    if (!seen[piece]) found.push_back(v);
    seen[piece] = true;
  }
  return found;
}

}  // namespace brigade
