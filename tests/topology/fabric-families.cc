// Leaves, rails, spines and what their cables carry.
#include "tests/catch.h"
#include "tests/topology/clusters.h"

using namespace brigade;
using namespace brigade::testing;

namespace {

const Link& link_between(const Topology& t, const std::string& a, const std::string& b) {
  Diagnostics errors;
  const std::vector<LinkId> found = t.select_links(a + " -> " + b, {}, errors);
  INFO(a << " -> " << b << " " << errors.text());
  REQUIRE(found.size() == 1);
  return t.links()[found[0]];
}

}  // namespace

TEST_CASE("uplinks carry the leaf's down bandwidth over oversubscription, in all") {
  struct Row {
    int nodes, nodes_per_leaf, nics, spines;
    double oversubscription;
    int64_t uplink_gb_per_s;
  };
  // 50 GB/s a NIC: e.g. 4 nodes x 2 NICs = 400 GB/s down.
  for (const Row& row : std::vector<Row>{{8, 4, 2, 2, 1, 200},
                                         {8, 4, 2, 2, 2, 100},
                                         {8, 4, 2, 8, 4, 12},
                                         {7, 4, 2, 2, 1, 200},
                                         {3, 0, 2, 1, 1, 300},
                                         {8, 4, 2, 1, 0.5, 800}}) {
    FabricSpec fabric = leaf_spine(row.nodes_per_leaf, row.spines);
    fabric.oversubscription = row.oversubscription;
    const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 2, row.nics), row.nodes}}, fabric));
    const Link& up = link_between(*t, "leaf[0]", "spine[0]");
    CHECK(up.bandwidth.bytes_per_s().count / 1'000'000'000 == row.uplink_gb_per_s);
    CHECK(up.latency == nanoseconds(400));
  }
}

TEST_CASE("an uplink given is used as it is") {
  FabricSpec fabric = leaf_spine(2, 2);
  fabric.uplink = cable(100, 900, 3);
  const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 2, 2), 4}}, fabric));
  CHECK(link_between(*t, "spine[1]", "leaf[1]").bandwidth == Bandwidth::gb_per_s(300));
  CHECK(link_between(*t, "spine[1]", "leaf[1]").latency == nanoseconds(900));
}

TEST_CASE("NIC i of a pod's nodes is on rail i of the pod") {
  const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 8, 8), 5}}, rail_optimised(2, 3)));
  CHECK(t->selectable() ==
        "node[0-4].gpu[0-7], node[0-4].nvswitch[0], node[0-4].nic[0-7], leaf[0-23], spine[0-2]");
  link_between(*t, "node[0].nic[5]", "leaf[5]");
  link_between(*t, "node[1].nic[5]", "leaf[5]");
  link_between(*t, "node[2].nic[5]", "leaf[13]");
  link_between(*t, "node[4].nic[0]", "leaf[16]");
  const auto hops = [&](const std::string& a, const std::string& b) {
    return route(*t, t->router(), vertex(*t, a), vertex(*t, b), 9).size();
  };
  CHECK(hops("node[0].gpu[5]", "node[1].gpu[5]") == 4);  // one rail
  CHECK(hops("node[0].gpu[5]", "node[1].gpu[6]") == 6);  // over a spine
  CHECK(hops("node[0].gpu[5]", "node[4].gpu[5]") == 6);
}

TEST_CASE("a third tier joins groups by cores, plane by plane") {
  struct Row {
    FabricSpec fabric;
    std::string switches;  // of 8 nodes with 2 NICs each
    // Links from node[0].gpu[0] to the other GPU of node 1, and to those of the last node.
    size_t next, last, last_other;
  };
  for (const Row& row : std::vector<Row>{
           {three_tiers(rail_optimised(2, 3), 2, 6), "leaf[0-7], spine[0-5], core[0-5]", 6, 8, 8},
           {three_tiers(rail_optimised(2, 3), 0, 3), "leaf[0-7], spine[0-2], core[0-2]", 6, 6, 6},
           {by_rail(three_tiers(rail_optimised(2, 3), 4, 6)), "leaf[0-7], spine[0-5], core[0-5]", 8, 6, 8},
           {by_rail(three_tiers(rail_optimised(2, 1), 2, 5)), "leaf[0-7], spine[0-3], core[0-4]", 8, 8, 8},
           {three_tiers(leaf_spine(2, 2), 2, 2), "leaf[0-3], spine[0-3], core[0-1]", 4, 8, 8},
           // 4 ports: two NICs a leaf, two leaves a group, two spines, two cores a spine.
           {fat_tree(4, 3), "leaf[0-7], spine[0-7], core[0-3]", 6, 8, 8},
           {fat_tree(16, 2), "leaf[0-1], spine[0-7]", 4, 6, 6},
           {xgft({4, 3, 5}, {1, 1, 2}), "leaf[0-3], spine[0-1], core[0-1]", 4, 8, 8}}) {
    const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 2, 2), 8}}, row.fabric));
    INFO(row.switches);
    CHECK(t->selectable() ==
          "node[0-7].gpu[0-1], node[0-7].nvswitch[0], node[0-7].nic[0-1], " + row.switches);
    const auto hops = [&](const std::string& to) {
      return route(*t, t->router(), vertex(*t, "node[0].gpu[0]"), vertex(*t, to), 5).size();
    };
    CHECK(hops("node[1].gpu[1]") == row.next);
    CHECK(hops("node[7].gpu[0]") == row.last);
    CHECK(hops("node[7].gpu[1]") == row.last_other);
  }
}

TEST_CASE("a spine of a group is cabled to the cores of its plane, with what its leaves bring up") {
  FabricSpec fabric = three_tiers(rail_optimised(2, 2), 2, 6);  // 3 cores a spine
  fabric.core_oversubscription = 2;
  const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 2, 2), 8}}, fabric));
  // A leaf has 2 NICs of 50 GB/s, so 50 GB/s to each of 2 spines; a spine 4 leaves, 200 GB/s, and half of it
  // up.
  CHECK(link_between(*t, "leaf[0]", "spine[1]").bandwidth == Bandwidth::gb_per_s(50));
  for (const char* core : {"core[3]", "core[4]", "core[5]"}) {
    for (const char* spine : {"spine[1]", "spine[3]"}) {
      const Link& up = link_between(*t, spine, core);
      CHECK(up.bandwidth.bytes_per_s().count == 33'333'333'333);
      CHECK(up.latency == nanoseconds(400));
    }
  }
  Diagnostics none;
  CHECK(t->select_links("spine[0] -> core[3]", {}, none).empty());
}

TEST_CASE("a fat tree's cables carry what its ports say, however few are used") {
  FabricSpec fabric = xgft({6, 4, 2}, {1, 3, 2});
  const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 1, 1), 30}}, fabric));
  CHECK(t->selectable().find("leaf[0-4], spine[0-5], core[0-5]") != std::string::npos);
  CHECK(link_between(*t, "leaf[4]", "spine[3]").bandwidth == Bandwidth::gb_per_s(100));  // 6 x 50 / 3
  CHECK(link_between(*t, "spine[5]", "core[4]").bandwidth == Bandwidth::gb_per_s(200));  // 4 x 100 / 2
}

TEST_CASE("links of one NIC lie next to each other, and reverse() turns round") {
  const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 4, 4), 3}}, leaf_spine(2, 2)));
  for (LinkId l = 0; l < t->links().size(); ++l) {
    const Link &there = t->links()[l], &back = t->links()[t->reverse(l)];
    CHECK(there.from == back.to);
    CHECK(there.to == back.from);
  }
}
