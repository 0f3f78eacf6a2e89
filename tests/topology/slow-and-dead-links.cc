// Changes from the start: slow links keep their routes, dead ones are gone round.
#include <map>

#include "sim/base/random.h"
#include "tests/catch.h"
#include "tests/topology/families.h"

using namespace brigade;
using namespace brigade::testing;

namespace {
LinkChange down(const std::string& links) { return {links, std::nullopt, true, {}}; }
LinkChange slow(const std::string& links, double share) { return {links, share, false, {}}; }
}  // namespace

TEST_CASE("a slow NIC slows all its links and no other, and keeps routes") {
  const ClusterSpec spec = cluster({{node_type(NodeFamily::kSwitched, 4, 4), 2}}, one_switch());
  const auto healthy = build(spec), sick = build(spec, {slow("node[1].nic[2]", 0.25)});
  for (LinkId l = 0; l < healthy->links().size(); ++l) {
    const bool touched = sick->link_name(l).find("node[1].nic[2]") != std::string::npos;
    const int64_t whole = healthy->links()[l].bandwidth.bytes_per_s().count;
    CHECK(sick->links()[l].bandwidth.bytes_per_s().count == (touched ? whole / 4 : whole));
  }
  for (const VertexId a : endpoints(*healthy)) {
    for (const VertexId b : endpoints(*healthy)) {
      CHECK(route(*healthy, healthy->router(), a, b, 5) == route(*sick, sick->router(), a, b, 5));
    }
  }
}

TEST_CASE("dead spines and rails are gone round") {
  const auto t =
      build(cluster({{node_type(NodeFamily::kSwitched, 2, 2), 4}}, leaf_spine(2, 3)), {down("spine[1]")});
  std::map<VertexId, int> through;
  const VertexId from = vertex(*t, "node[0].gpu[0]"), to = vertex(*t, "node[3].gpu[1]");
  for (uint64_t flow = 0; flow < 300; ++flow) {
    CHECK(fault_of_route(*t, t->router(), from, to, flow) == "");
    ++through[t->links()[route(*t, t->router(), from, to, flow)[2]].to];
  }
  CHECK(through.size() == 2);
  for (const auto& [spine, n] : through) CHECK(n > 100);
}

TEST_CASE("where no route is left, there is none") {
  const auto t =
      build(cluster({{node_type(NodeFamily::kSwitched, 2, 2), 2}}, one_switch()), {down("node[1].nic[0]")});
  std::vector<LinkId> out(static_cast<size_t>(t->router().hops_max()));
  const VertexId cut = vertex(*t, "node[1].gpu[0]");
  CHECK(t->router().route(vertex(*t, "node[0].gpu[0]"), cut, 1, out.data()) == -1);
  CHECK(t->router().route(cut, vertex(*t, "node[0].gpu[0]"), 1, out.data()) == -1);
  CHECK(t->router().route(cut, vertex(*t, "node[1].gpu[1]"), 1, out.data()) == 2);  // NVLink lives
}

TEST_CASE("one direction can die alone") {
  const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 2, 2), 2}}, one_switch()),
                       {down("switch[0] -> node[1].nic[0]")});
  std::vector<LinkId> out(static_cast<size_t>(t->router().hops_max()));
  CHECK(t->router().route(0, vertex(*t, "node[1].gpu[0]"), 1, out.data()) == -1);
  CHECK(t->router().route(vertex(*t, "node[1].gpu[0]"), 0, 1, out.data()) == 4);
}

TEST_CASE("random dead links in every family: the rest is still routed at least cost") {
  Random random(77);  // the seed
  for (const NamedCluster& c : all_families()) {
    const auto healthy = build(c.spec);
    if (healthy->links().empty()) continue;  // a single device
    std::vector<LinkChange> changes;
    for (int i = 0; i < 3; ++i) {
      changes.push_back(down(healthy->link_name(static_cast<LinkId>(random.below(healthy->links().size())))));
    }
    const auto t = build(c.spec, changes);
    const std::vector<VertexId> devices = endpoints(*t);
    std::string fault;
    for (int i = 0; i < 25 && fault.empty(); ++i) {
      const VertexId from = devices[random.below(devices.size())], to = devices[random.below(devices.size())];
      fault = fault_of_route(*t, t->router(), from, to, random.next());
    }
    INFO(c.name << ", dead: " << changes[0].links << "; " << changes[1].links << "; " << changes[2].links);
    CHECK(fault == "");
  }
}
