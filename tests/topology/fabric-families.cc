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

TEST_CASE("links of one NIC lie next to each other, and reverse() turns round") {
  const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 4, 4), 3}}, leaf_spine(2, 2)));
  for (LinkId l = 0; l < t->links().size(); ++l) {
    const Link &there = t->links()[l], &back = t->links()[t->reverse(l)];
    CHECK(there.from == back.to);
    CHECK(there.to == back.from);
  }
}
