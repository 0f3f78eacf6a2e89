// Covered by tests/topology/bisections-equal-closed-forms.cc.
#include "sim/topology/max_flow.h"

#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/property_map/property_map.hpp>
#include <boost/range/iterator_range.hpp>
#include <utility>

#include "sim/topology/graph.h"

namespace brigade {
namespace {

using Csr = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, LinkId>;
using Edge = boost::graph_traits<Csr>::edge_descriptor;

// All sources are one vertex and all sinks another, so that no link of unlimited capacity is needed.
constexpr VertexId kSource = 0, kSink = 1;

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
  std::vector<std::pair<VertexId, VertexId>> edges;
  std::vector<LinkId> ids;
  // Both directions of a cable come together: each is the other's reverse edge.
  for (LinkId l = 0; l < links.size(); ++l) {
    const VertexId from = merged[links[l].from], to = merged[links[l].to];
    if (from == kNone || to == kNone || from == to) continue;
    edges.emplace_back(from, to);
    ids.push_back(l);
    all_bytes_per_s += static_cast<double>(links[l].bandwidth.bytes_per_s().count);
  }
  int shift = 0;
  while (all_bytes_per_s >= 0x1p62) {
    all_bytes_per_s /= 2;
    ++shift;
  }
  const Csr g(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), ids.begin(), count);
  const auto index = boost::get(boost::edge_index, g);
  const auto index_of = [&](const Edge& e) { return get(index, e); };
  std::vector<int64_t> capacity(edges.size()), residual(edges.size());
  std::vector<Edge> of_link(links.size()), reverse(edges.size());
  for (const Edge& e : boost::make_iterator_range(boost::edges(g))) {
    const Link& l = links[g[e]];
    capacity[index_of(e)] = l.up ? l.bandwidth.bytes_per_s().count >> shift : 0;
    of_link[g[e]] = e;
  }
  for (const Edge& e : boost::make_iterator_range(boost::edges(g))) reverse[index_of(e)] = of_link[g[e] ^ 1];
  std::vector<Edge> before(count);
  std::vector<boost::default_color_type> colour(count);
  std::vector<int64_t> distance(count);
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
