// Routes that the user gives are taken as given, for their pair and direction only.
#include "tests/catch.h"
#include "tests/topology/clusters.h"

using namespace brigade;
using namespace brigade::testing;

namespace {

ClusterSpec two_nodes(const std::vector<WrittenRoute>& routes) {
  ClusterSpec spec = cluster({{node_type(NodeFamily::kSwitched, 2, 2), 4}}, leaf_spine(2, 2));
  spec.routes = routes;
  return spec;
}

const WrittenRoute kByTheFirstSpine{"node[0].gpu[0]",
                                    "node[2].gpu[1]",
                                    {"node[0].nic[0]", "leaf[0]", "spine[0]", "leaf[1]", "node[2].nic[1]"},
                                    {}};

bool uses(const Topology& t, const std::string& from, const std::string& to, const std::string& over,
          uint64_t flow) {
  const VertexId v = vertex(t, over);
  for (const LinkId l : route(t, t.router(), vertex(t, from), vertex(t, to), flow)) {
    if (t.links()[l].to == v) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("every flow of the pair takes the given route, and no other pair does") {
  const auto t = build(two_nodes({kByTheFirstSpine}));
  int back_over_0 = 0, other_over_0 = 0;
  for (uint64_t flow = 0; flow < 100; ++flow) {
    CHECK(uses(*t, "node[0].gpu[0]", "node[2].gpu[1]", "spine[0]", flow));
    back_over_0 += uses(*t, "node[2].gpu[1]", "node[0].gpu[0]", "spine[0]", flow);
    other_over_0 += uses(*t, "node[0].gpu[0]", "node[3].gpu[1]", "spine[0]", flow);
  }
  for (const int n : {back_over_0, other_over_0}) {
    CHECK(n > 20);
    CHECK(n < 80);
  }
}

TEST_CASE("a given route may be longer than any searched one, and is left while one of its links is dead") {
  const WrittenRoute round{
      "node[0].gpu[0]",
      "node[1].gpu[0]",
      {"node[0].nic[0]", "leaf[0]", "spine[0]", "leaf[1]", "spine[1]", "leaf[0]", "node[1].nic[0]"},
      {}};
  const auto t = build(two_nodes({round}));
  CHECK(route(*t, t->router(), vertex(*t, "node[0].gpu[0]"), vertex(*t, "node[1].gpu[0]"), 1).size() == 8);
  CHECK(t->router().hops_max() == 8);
  const auto cut = build(two_nodes({round}), {{"leaf[1] -> spine[1]", std::nullopt, true, {}}});
  CHECK(
      route(*cut, cut->router(), vertex(*cut, "node[0].gpu[0]"), vertex(*cut, "node[1].gpu[0]"), 1).size() ==
      4);
}

TEST_CASE("mistakes in routes") {
  struct Row {
    WrittenRoute route;
    std::string message;
  };
  for (const Row& row :
       std::vector<Row>{{{"node[0].gpu[0]", "node[1].gpu[0]", {"leaf[0]"}, {}},
                         "no cable joins node[0].gpu[0] and leaf[0], which follow on the route\n"
                         "no cable joins leaf[0] and node[1].gpu[0], which follow on the route"},
                        {{"node[0].gpu[0-1]", "node[1].gpu[0]", {"leaf[0]"}, {}},
                         "\"node[0].gpu[0-1]\" names 2 vertices; a route takes one"},
                        {{"node[0].nic[0]", "node[1].gpu[0]", {"leaf[0]", "node[1].nic[0]"}, {}},
                         "node[0].nic[0] neither sends nor receives"},
                        {{"node[0].gpu[0]", "node[0].gpu[0]", {"node[0].nic[0]"}, {}},
                         "a route from node[0].gpu[0] to itself"}}) {
    CHECK(errors_of(two_nodes({row.route})) == row.message);
  }
  CHECK(errors_of(two_nodes({kByTheFirstSpine, kByTheFirstSpine})) ==
        "another route leads from node[0].gpu[0] to node[2].gpu[1] already");
  CHECK(
      errors_of(two_nodes({{"node[9].gpu[0]", "node[1].gpu[0]", {"leaf[0]"}, {}}})).find("matches nothing") !=
      std::string::npos);
}
