// Covered by tests/topology/bisections-equal-closed-forms.cc.
#include "sim/topology/max_flow.h"

#include <algorithm>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/property_map/property_map.hpp>
#include <boost/range/iterator_range.hpp>
#include <utility>

#include "sim/topology/graph.h"

namespace brigade {
namespace {

using Csr = boost::compressed_sparse_row_graph<boost::directedS>;
using Edge = boost::graph_traits<Csr>::edge_descriptor;

// All sources are one vertex and all sinks another, so that no link of unlimited capacity is needed.
constexpr VertexId kSource = 0, kSink = 1;

struct Arc {
  VertexId from = 0, to = 0;
  int64_t bytes_per_s = 0;
  std::pair<VertexId, VertexId> ends() const { return {from, to}; }
};

// Sorts by ends and makes parallel arcs one.
void merge_parallel(std::vector<Arc>& arcs) {
  std::sort(arcs.begin(), arcs.end(), [](const Arc& a, const Arc& b) { return a.ends() < b.ends(); });
  size_t kept = 0;
  for (const Arc& arc : arcs) {
    if (kept > 0 && arcs[kept - 1].ends() == arc.ends()) {
      arcs[kept - 1].bytes_per_s += arc.bytes_per_s;
    } else {
      arcs[kept++] = arc;
    }
  }
  arcs.resize(kept);
}

int64_t capacity_of(const std::vector<Arc>& arcs, VertexId from, VertexId to) {
  const auto at =
      std::lower_bound(arcs.begin(), arcs.end(), std::pair(from, to),
                       [](const Arc& a, const std::pair<VertexId, VertexId>& e) { return a.ends() < e; });
  return at->bytes_per_s;
}

// Leaves out dead ends, and vertices between two others, whose narrower arc joins these. The flow stays the
// same: a cluster of equal nodes shrinks to its fabric. False where there was nothing to leave out.
bool shrink(std::vector<Arc>& arcs, VertexId vertices) {
  std::vector<size_t> first(vertices + 1);
  for (const Arc& arc : arcs) ++first[arc.from + 1];
  for (VertexId v = 0; v < vertices; ++v) first[v + 1] += first[v];
  std::vector<bool> gone(vertices), stays(vertices);
  stays[kSource] = stays[kSink] = true;
  std::vector<Arc> joined;
  bool any = false;
  for (VertexId v = 0; v < vertices; ++v) {
    const size_t neighbours = first[v + 1] - first[v];
    if (stays[v] || neighbours == 0 || neighbours > 2) continue;
    gone[v] = any = true;
    const Arc &to_a = arcs[first[v]], &to_b = arcs[first[v + 1] - 1];
    stays[to_a.to] = stays[to_b.to] = true;
    if (neighbours == 1) continue;
    joined.push_back({to_a.to, to_b.to, std::min(capacity_of(arcs, to_a.to, v), to_b.bytes_per_s)});
    joined.push_back({to_b.to, to_a.to, std::min(capacity_of(arcs, to_b.to, v), to_a.bytes_per_s)});
  }
  std::erase_if(arcs, [&](const Arc& arc) { return gone[arc.from] || gone[arc.to]; });
  arcs.insert(arcs.end(), joined.begin(), joined.end());
  merge_parallel(arcs);
  return any;
}

// The links between merged vertices, by their ends.
std::vector<Arc> arcs_of(std::span<const Link> links, const std::vector<VertexId>& merged, int shift) {
  std::vector<Arc> arcs;
  for (const Link& l : links) {
    const VertexId from = merged[l.from], to = merged[l.to];
    if (from == kNone || to == kNone || from == to) continue;
    arcs.push_back({from, to, l.up ? l.bandwidth.bytes_per_s().count >> shift : 0});
  }
  merge_parallel(arcs);
  return arcs;
}

}  // namespace

double max_flow(std::span<const Vertex> vertices, std::span<const Link> links,
                const std::vector<FlowEnd>& ends) {
  VertexId count = 2;
  std::vector<VertexId> merged(vertices.size(), kNone);
  for (VertexId v = 0; v < vertices.size(); ++v) {
    if (ends[v] == FlowEnd::kSource) merged[v] = kSource;
    if (ends[v] == FlowEnd::kSink) merged[v] = kSink;
    if (ends[v] == FlowEnd::kNone && relays(vertices[v])) merged[v] = count++;
  }
  double all_bytes_per_s = 0;
  for (const Link& l : links) all_bytes_per_s += static_cast<double>(l.bandwidth.bytes_per_s().count);
  int shift = 0;
  for (; all_bytes_per_s >= 0x1p62; all_bytes_per_s /= 2) ++shift;

  std::vector<Arc> arcs = arcs_of(links, merged, shift);
  while (shrink(arcs, count)) {
  }
  std::vector<std::pair<VertexId, VertexId>> edges;
  std::vector<int64_t> capacity;
  for (const Arc& arc : arcs) {
    edges.push_back(arc.ends());
    capacity.push_back(arc.bytes_per_s);
  }
  const Csr g(boost::edges_are_sorted, edges.begin(), edges.end(), count);
  std::vector<Edge> by_arc;
  for (const Edge& e : boost::make_iterator_range(boost::edges(g))) by_arc.push_back(e);
  // Every cable has two directions, so that each arc has one back.
  std::vector<Edge> reverse;
  for (const Arc& arc : arcs) {
    const auto back = std::lower_bound(edges.begin(), edges.end(), std::pair(arc.to, arc.from));
    reverse.push_back(by_arc[static_cast<size_t>(back - edges.begin())]);
  }
  std::vector<int64_t> residual(arcs.size()), distance(count);
  std::vector<Edge> before(count);
  std::vector<boost::default_color_type> colour(count);
  const auto index = boost::get(boost::edge_index, g);
  const auto vertex = boost::get(boost::vertex_index, g);
  const int64_t flow = boost::boykov_kolmogorov_max_flow(
      g, boost::make_iterator_property_map(capacity.begin(), index),
      boost::make_iterator_property_map(residual.begin(), index),
      boost::make_iterator_property_map(reverse.begin(), index),
      boost::make_iterator_property_map(before.begin(), vertex),
      boost::make_iterator_property_map(colour.begin(), vertex),
      boost::make_iterator_property_map(distance.begin(), vertex), vertex, kSource, kSink);
  return static_cast<double>(flow) * static_cast<double>(int64_t{1} << shift);
}

}  // namespace brigade
