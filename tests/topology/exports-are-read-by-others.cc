// Our GraphML, read by Boost's reader: the same vertices, edges and attributes.
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <sstream>

#include "sim/topology/export.h"
#include "sim/topology/imported.h"
#include "tests/catch.h"
#include "tests/topology/clusters.h"

using namespace brigade;
using namespace brigade::testing;

namespace {

struct Node {
  std::string name, kind;
  bool forward = false;
};
struct Edge {
  std::string bandwidth, latency;
  int cost = 0;
};
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, Node, Edge>;

}  // namespace

TEST_CASE("Boost reads what we write as GraphML") {
  const auto t =
      build(cluster({{pcie_node_type(NodeFamily::kSwitched, 4, 2, 2, 2), 3}}, rail_optimised(3, 2)));
  Diagnostics errors;
  std::istringstream text(graphml_of(*t, errors).text);
  REQUIRE(errors.ok());
  Graph g;
  boost::dynamic_properties properties;
  properties.property("name", boost::get(&Node::name, g));
  properties.property("kind", boost::get(&Node::kind, g));
  properties.property("forward", boost::get(&Node::forward, g));
  properties.property("bandwidth", boost::get(&Edge::bandwidth, g));
  properties.property("latency", boost::get(&Edge::latency, g));
  properties.property("cost", boost::get(&Edge::cost, g));
  boost::read_graphml(text, g, properties);
  REQUIRE(boost::num_vertices(g) == t->vertices().size());
  REQUIRE(boost::num_edges(g) == t->links().size() / 2);
  for (VertexId v = 0; v < t->vertices().size(); ++v) {
    CHECK(g[v].name == t->vertex_name(v));
    CHECK(g[v].forward == t->vertices()[v].forward);
  }
  LinkId l = 0;
  for (auto [e, end] = boost::edges(g); e != end; ++e, l += 2) {
    const Link& link = t->links()[l];
    CHECK(boost::source(*e, g) == link.from);
    CHECK(boost::target(*e, g) == link.to);
    CHECK(g[*e].bandwidth == exact_text(link.bandwidth));
    CHECK(g[*e].latency == exact_text(link.latency));
    CHECK(g[*e].cost == static_cast<int>(link.cost));
  }
}
