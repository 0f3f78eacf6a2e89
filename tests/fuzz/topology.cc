// The topology builder, past the front door: bytes become a specification that no reader would make. What is
// built has a route, or none, between any two endpoints, and describes itself.
#include <string>
#include <vector>

#include "sim/base/check.h"
#include "sim/topology/topology.h"
#include "tests/fuzz/target.h"

namespace {

using namespace brigade;

class Input {
 public:
  Input(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  uint8_t next() { return at_ == end_ ? 0 : *at_++; }
  bool more() const { return at_ != end_; }
  int small(int low, int high) { return low + next() % (high - low + 1); }
  // Once in a while something absurd.
  int count(int high) {
    const uint8_t b = next();
    if (b == 255) return -1;
    if (b == 254) return 1'000'000'000;
    return b % (high + 1);
  }

 private:
  const uint8_t *at_, *end_;
};

CableSpec cable(Input& in) {
  CableSpec c;
  c.bandwidth = Bandwidth::per_second({1 + in.next() * int64_t{1'000'003}});
  c.latency = nanoseconds(in.next());
  c.cables = in.count(4);
  if (in.next() % 4 == 0) c.cost = in.count(9);
  return c;
}

std::string name(Input& in) {
  static const char* const kNames[] = {
      "a",       "b",  "gpu[0]", "gpu[1]", "node[0].gpu[0]",           "node[1].nic[0]", "switch[0]",
      "leaf[0]", "x[", "",       "a b",    "node[99999999999].gpu[0]", "nic[3]",         "host[0]"};
  return kNames[in.next() % std::size(kNames)];
}

NodeType node_type(Input& in, int number) {
  NodeType t;
  t.name = "n" + std::to_string(number);
  t.gpus = in.count(9);
  t.family = static_cast<NodeFamily>(in.next() % 5);
  t.nvlink = cable(in);
  t.nvswitches = in.count(4);
  t.pcie_switches = in.count(4);
  t.pcie = cable(in);
  t.sockets = in.count(3);
  t.socket_link = cable(in);
  t.nics = in.count(9);
  t.nic_host = cable(in);
  t.nic_port = cable(in);
  t.host = in.next() % 2 == 0;
  t.forward = in.next() % 3 == 0;
  return t;
}

std::vector<int> numbers(Input& in) {
  std::vector<int> all;
  for (int i = in.small(0, 3); i > 0; --i) all.push_back(in.count(5));
  return all;
}

FabricSpec fabric(Input& in) {
  FabricSpec f;
  f.family = static_cast<FabricFamily>(in.next() % (static_cast<int>(FabricFamily::kDragonfly) + 1));
  f.nodes_per_leaf = in.count(5);
  f.spines = in.count(4);
  f.oversubscription = in.next() / 16.0;
  if (in.next() % 3 == 0) f.uplink = cable(in);
  f.core_oversubscription = in.next() % 4 == 0 ? in.next() / 16.0 : 1;
  if (in.next() % 4 == 0) f.core_uplink = cable(in);
  if (in.next() % 4 != 0) f.link = cable(in);
  if (in.next() % 4 != 0) f.global_link = cable(in);
  f.cores = in.next() % 2 == 0 ? 0 : in.count(8);
  f.group_size = in.count(3);
  f.group_by_rail = in.next() % 4 == 0;
  f.pxn = in.next() % 4 == 0;
  f.ports = in.next() % 2 == 0 ? 0 : in.count(8);
  f.tiers = in.count(3);
  f.down = numbers(in);
  f.up = numbers(in);
  f.sides = numbers(in);
  f.routers = in.count(4);
  f.global_links = in.count(3);
  return f;
}

ClusterSpec cluster(Input& in) {
  ClusterSpec c;
  for (int i = in.small(0, 2); i > 0; --i) c.types.push_back(node_type(in, i));
  for (int i = in.small(0, 2); i > 0; --i)
    c.nodes.push_back({"n" + std::to_string(in.small(0, 3)), in.count(6), {}});
  c.fabric = fabric(in);
  static const char* const kKinds[] = {"gpu", "host", "nvswitch", "pcie", "nic", "switch", "gpv"};
  for (int i = in.small(0, 6); i > 0 && in.more(); --i) {
    VertexSpec v;
    v.name = name(in);
    v.kind = kKinds[in.next() % std::size(kKinds)];
    v.forward = in.next() % 3 == 0;
    c.vertices.push_back(std::move(v));
  }
  for (int i = in.small(0, 8); i > 0 && in.more(); --i) c.cables.push_back({name(in), name(in), cable(in)});
  return c;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input in(data, size);
  const ClusterSpec spec = cluster(in);
  std::vector<LinkChange> changes;
  for (int i = in.small(0, 2); i > 0; --i) {
    LinkChange change;
    change.links = name(in);
    change.down = in.next() % 2 == 0;
    if (!change.down) change.bandwidth_share = in.next() / 256.0 + 0.001;
    changes.push_back(change);
  }
  Diagnostics errors;
  const auto topology = build_topology(spec, changes, errors);
  BRIGADE_CHECK((topology != nullptr) == errors.ok(), "built with errors, or not without: ", errors.text());
  if (!topology || topology->vertices().size() > 400) return 0;
  std::vector<LinkId> route(static_cast<size_t>(std::max(1, topology->router().hops_max())));
  const auto vertices = static_cast<VertexId>(topology->vertices().size());
  for (VertexId a = 0; a < vertices; ++a)
    for (VertexId b = 0; b < vertices; ++b) {
      if (!topology->is_endpoint(a) || !topology->is_endpoint(b)) continue;
      const int hops = topology->router().route(a, b, a * 7 + b, route.data());
      BRIGADE_CHECK((hops == 0) == (a == b), topology->vertex_name(a), " to ", topology->vertex_name(b));
      VertexId at = a;
      for (int i = 0; i < hops; ++i) {
        const Link& l = topology->links()[route[static_cast<size_t>(i)]];
        BRIGADE_CHECK(l.from == at && l.up, "a route that is broken");
        at = l.to;
      }
      BRIGADE_CHECK(hops < 0 || at == b, "a route to elsewhere");
    }
  return 0;
}
