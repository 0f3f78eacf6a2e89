// Which NIC a GPU uses: its own among equally near ones, or by PXN the one on the receiver's rail.
#include <set>

#include "tests/catch.h"
#include "tests/topology/clusters.h"

using namespace brigade;
using namespace brigade::testing;

namespace {

// "gpu[0] nvswitch[0] gpu[1] nic[1] leaf[1] nic[1] gpu[1]"
std::string way(const Topology& t, const std::string& from, const std::string& to, uint64_t flow = 1) {
  const VertexId a = vertex(t, from);
  std::string text = from;
  for (const LinkId l : route(t, t.router(), a, vertex(t, to), flow))
    text += " " + t.vertex_name(t.links()[l].to);
  return text;
}

// The first NIC of routes of many flows.
std::set<std::string> nics_used(const Topology& t, const std::string& from, const std::string& to) {
  std::set<std::string> used;
  for (uint64_t flow = 0; flow < 200; ++flow) {
    for (const LinkId l : route(t, t.router(), vertex(t, from), vertex(t, to), flow)) {
      const VertexId v = t.links()[l].to;
      if (t.vertices()[v].kind != VertexKind::kNic) continue;
      used.insert(t.vertex_name(v));
      break;
    }
  }
  return used;
}

}  // namespace

TEST_CASE("of the NICs under its PCIe switch a GPU uses all, or with affinity its own") {
  struct Row {
    int gpus, nics, switches;
    std::set<std::string> nearest, own;  // of node[0].gpu[1]
  };
  for (const Row& row :
       std::vector<Row>{{8, 8, 4, {"node[0].nic[0]", "node[0].nic[1]"}, {"node[0].nic[1]"}},
                        {8, 4, 4, {"node[0].nic[0]"}, {"node[0].nic[0]"}},
                        {4,
                         8,
                         2,
                         {"node[0].nic[0]", "node[0].nic[1]", "node[0].nic[2]", "node[0].nic[3]"},
                         {"node[0].nic[2]", "node[0].nic[3]"}}}) {
    NodeType type = pcie_node_type(NodeFamily::kSwitched, row.gpus, row.nics, row.switches, 1);
    INFO(row.gpus << " GPUs, " << row.nics << " NICs");
    const auto nearest = build(cluster({{type, 2}}, one_switch()));
    CHECK(nics_used(*nearest, "node[0].gpu[1]", "node[1].gpu[0]") == row.nearest);
    type.own_nics = true;
    const auto own = build(cluster({{type, 2}}, one_switch()));
    CHECK(nics_used(*own, "node[0].gpu[1]", "node[1].gpu[0]") == row.own);
  }
}

TEST_CASE("PXN reaches another rail through NVLink, not over a spine") {
  const NodeType hgx = node_type(NodeFamily::kSwitched, 4, 4);
  FabricSpec rails = rail_optimised(2, 2);
  const auto without = build(cluster({{hgx, 4}}, rails));
  CHECK(route(*without, without->router(), vertex(*without, "node[0].gpu[0]"),
              vertex(*without, "node[1].gpu[3]"), 1)
            .size() == 6);
  rails.pxn = true;
  const auto t = build(cluster({{hgx, 4}}, rails));
  CHECK(way(*t, "node[0].gpu[0]", "node[1].gpu[3]") ==
        "node[0].gpu[0] node[0].nvswitch[0] node[0].gpu[3] node[0].nic[3] leaf[3] node[1].nic[3] "
        "node[1].gpu[3]");
  CHECK(way(*t, "node[0].gpu[2]", "node[1].gpu[2]") ==
        "node[0].gpu[2] node[0].nic[2] leaf[2] node[1].nic[2] node[1].gpu[2]");
  CHECK(way(*t, "node[0].gpu[2]", "node[0].gpu[1]") == "node[0].gpu[2] node[0].nvswitch[0] node[0].gpu[1]");
  // Another pod lies behind the spines either way: no detour.
  const std::string far = way(*t, "node[0].gpu[0]", "node[3].gpu[3]");
  CHECK(far.find("node[0].gpu[3]") == std::string::npos);
  CHECK(t->router().hops_max() >= 8);
}

TEST_CASE("on rails that nothing joins, PXN is the only way to another rail") {
  FabricSpec rails = rail_optimised(0, 0);
  const NodeType hgx = node_type(NodeFamily::kSwitched, 8, 8);
  LinkId out[16];
  const auto without = build(cluster({{hgx, 3}}, rails));
  CHECK(without->router().route(vertex(*without, "node[0].gpu[1]"), vertex(*without, "node[2].gpu[6]"), 1,
                                out) == -1);
  rails.pxn = true;
  const auto t = build(cluster({{hgx, 3}}, rails));
  for (const VertexId from : endpoints(*t)) {
    for (const VertexId to : endpoints(*t)) {
      const std::vector<LinkId> links = route(*t, t->router(), from, to, from * 7 + to);
      CHECK(links.size() <= static_cast<size_t>(t->router().hops_max()));
      VertexId at = from;
      for (const LinkId l : links) {
        if (t->links()[l].from != at) FAIL_CHECK("a gap before " << t->link_name(l));
        at = t->links()[l].to;
      }
      CHECK(at == to);
    }
  }
}

TEST_CASE("PXN and affinity are refused where they cannot be kept") {
  ClusterSpec spec = cluster({{node_type(NodeFamily::kSwitched, 2, 2), 2}}, rail_optimised(0, 1));
  spec.fabric.pxn = true;
  spec.types[0].own_nics = true;
  spec.types[0].name = "n";
  spec.nodes[0].type = "n";
  spec.cables.push_back({"node[0].gpu[0]", "node[1].gpu[0]", cable(1, 1)});
  CHECK(errors_of(spec) ==
        "fabric: pxn is not for clusters with written-out cables\n"
        "node type \"n\": affinity own is not for clusters with written-out cables");
  CHECK(errors_of([] {
          ClusterSpec s = cluster({{node_type(NodeFamily::kSwitched, 2, 2), 2}}, leaf_spine(1, 1));
          s.fabric.pxn = true;
          return s;
        }()) == "fabric: pxn needs rails: family rail_optimised");
}
