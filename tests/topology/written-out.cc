// Graphs written vertex by vertex: nodes by name, transit, costs, parallel cables; random ones against Boost.
#include "absl/strings/str_cat.h"
#include "sim/base/random.h"
#include "tests/catch.h"
#include "tests/topology/clusters.h"

using namespace brigade;
using namespace brigade::testing;

namespace {

VertexSpec made(const std::string& name, const std::string& kind, bool forward = false) {
  return {name, kind, std::nullopt, forward, {}};
}

}  // namespace

TEST_CASE("a written cluster has nodes, indexes and models by its names") {
  ClusterSpec spec;
  spec.models["h"].name = "H100";
  spec.vertices = {made("node[0].gpu[0]", "gpu"), made("node[0].gpu[1]", "gpu"),
                   made("node[1].gpu[7]", "gpu"), made("tor", "switch")};
  spec.vertices[2].model = "h";
  for (const char* name : {"node[0].gpu[0]", "node[0].gpu[1]", "node[1].gpu[7]"}) {
    spec.cables.push_back({name, "tor", cable(50, 500)});
  }
  const auto t = build(spec);
  CHECK(t->nodes() == 2);
  CHECK(t->vertices()[2].node == 1);
  CHECK(t->vertices()[2].index == 7);
  CHECK(t->models()[t->vertices()[2].model].name == "H100");
  CHECK(t->vertices()[0].model == kNone);
  CHECK(t->vertices()[3].node == kNone);
  CHECK(t->link_name(0) == "node[0].gpu[0] -> tor");
  CHECK(t->router().hops_max() == 2);
  CHECK(vertex(*t, "tor") == 3);
}

TEST_CASE("cables: k is one link of k times the bandwidth") {
  ClusterSpec spec;
  spec.vertices = {made("a", "gpu"), made("b", "gpu")};
  spec.cables = {{"a", "b", cable(10, 100, 3)}};
  const auto t = build(spec);
  CHECK(t->links().size() == 2);
  CHECK(t->links()[0].bandwidth == Bandwidth::gb_per_s(30));
}

TEST_CASE("the least total cost wins, not the fewest links; a slow link costs no more") {
  ClusterSpec spec;
  spec.vertices = {made("a", "gpu"), made("b", "gpu"), made("s", "switch"), made("t", "switch")};
  spec.cables = {
      {"a", "b", cable(1, 9)}, {"a", "s", cable(9, 9)}, {"s", "t", cable(9, 9)}, {"t", "b", cable(9, 9)}};
  CHECK(route(*build(spec), build(spec)->router(), 0, 1, 3).size() == 1);
  spec.cables[0].cable.cost = 4;
  const auto t = build(spec);
  CHECK(route(*t, t->router(), 0, 1, 3).size() == 3);
}

TEST_CASE("devices do not relay unless they forward") {
  for (const char* kind : {"gpu", "host"}) {
    ClusterSpec spec;
    spec.vertices = {made("a", "gpu"), made("m", kind), made("b", "gpu")};
    spec.cables = {{"a", "m", cable(1, 1)}, {"m", "b", cable(1, 1)}};
    LinkId out[4];
    CHECK(build(spec)->router().route(0, 2, 0, out) == -1);
    spec.vertices[1].forward = true;
    CHECK(build(spec)->router().route(0, 2, 0, out) == 2);
  }
}

TEST_CASE("no route leads through a third node's NICs and PCIe") {
  ClusterSpec spec;
  spec.vertices = {made("node[0].gpu[0]", "gpu"), made("node[1].nic[0]", "nic"),
                   made("node[1].gpu[0]", "gpu"), made("node[1].pcie[0]", "pcie"),
                   made("node[1].nic[1]", "nic"), made("node[2].gpu[0]", "gpu")};
  const auto join = [&](size_t a, size_t b) {
    spec.cables.push_back({spec.vertices[a].name, spec.vertices[b].name, cable(1, 1)});
  };
  join(0, 1);
  join(1, 3);
  join(2, 3);
  join(3, 4);
  join(4, 5);
  const auto t = build(spec);
  LinkId out[8];
  CHECK(t->router().route(0, 2, 0, out) == 3);
  CHECK(t->router().route(0, 5, 0, out) == -1);
}

TEST_CASE("a ring of forwarding GPUs in nodes of their own relays, by the shorter way") {
  ClusterSpec spec;
  constexpr int kGpus = 11;
  for (int i = 0; i < kGpus; ++i)
    spec.vertices.push_back(made(absl::StrCat("node[", i, "].gpu[0]"), "gpu", true));
  for (int i = 0; i < kGpus; ++i) {
    spec.cables.push_back({spec.vertices[static_cast<size_t>(i)].name,
                           spec.vertices[static_cast<size_t>((i + 1) % kGpus)].name, cable(1, 1)});
  }
  const auto t = build(spec);
  for (VertexId to = 0; to < kGpus; ++to)
    CHECK(route(*t, t->router(), 0, to, 1).size() == std::min<size_t>(to, kGpus - to));
  CHECK(t->router().hops_max() == 5);
}

TEST_CASE("families and written cables mix") {
  ClusterSpec spec = cluster({{node_type(NodeFamily::kSwitched, 2, 2), 2}}, {});
  spec.vertices = {made("tor", "switch"), made("server", "host")};
  for (const char* nic : {"node[0].nic[0]", "node[0].nic[1]", "node[1].nic[0]", "node[1].nic[1]"}) {
    spec.cables.push_back({nic, "tor", cable(50, 100)});
  }
  spec.cables.push_back({"tor", "server", cable(25, 100)});
  const auto t = build(spec);
  CHECK(route(*t, t->router(), vertex(*t, "node[0].gpu[0]"), vertex(*t, "server"), 0).size() == 3);
  CHECK(route(*t, t->router(), vertex(*t, "node[0].gpu[0]"), vertex(*t, "node[1].gpu[1]"), 0).size() == 4);
}

TEST_CASE("random graphs: least cost by Boost, every hop real") {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const size_t n = 4 + random.below(12);
    ClusterSpec spec;
    for (size_t i = 0; i < n; ++i) {
      const bool device = i < 3 || random.below(2) == 0;
      spec.vertices.push_back(made(absl::StrCat("v", i), device ? "gpu" : "switch", random.below(3) == 0));
    }
    const auto join = [&](size_t a, size_t b) {
      spec.cables.push_back({spec.vertices[a].name, spec.vertices[b].name, cable(1, 1)});
      spec.cables.back().cable.cost = static_cast<int>(1 + random.below(4));
    };
    for (size_t i = 1; i < n; ++i) join(i, random.below(i));
    for (size_t i = 0; i < n; ++i) {
      const size_t a = random.below(n), b = random.below(n);
      if (a != b) join(a, b);
    }
    const auto t = build(spec);
    INFO("seed " << seed);
    for (const VertexId a : endpoints(*t)) {
      for (const VertexId b : endpoints(*t))
        CHECK(fault_of_route(*t, t->router(), a, b, random.next()) == "");
    }
  }
}
