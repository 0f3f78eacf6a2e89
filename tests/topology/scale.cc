// 65,536 GPUs: what the arrays hold, and routes that are still found.
#include "sim/base/random.h"
#include "tests/catch.h"
#include "tests/topology/clusters.h"

using namespace brigade;
using namespace brigade::testing;

TEST_CASE("65,536 GPUs in 8,192 nodes build within 300 MB") {
  for (const FabricSpec& fabric : {rail_optimised(32, 64), leaf_spine(32, 64)}) {
    const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 8, 8), 8192}}, fabric));
    const size_t leaves = fabric.family == FabricFamily::kRailOptimised ? 256 * 8 : 256;
    CHECK(endpoints(*t).size() == 65'536);
    CHECK(t->vertices().size() == 8192 * 17 + leaves + 64);
    CHECK(t->links().size() == 2 * (8192 * 24 + leaves * 64));
    CHECK(t->links().size() * sizeof(Link) + t->vertices().size() * sizeof(Vertex) < 300'000'000);
    Random random(1);  // the seed
    std::vector<LinkId> out(static_cast<size_t>(t->router().hops_max()));
    for (int i = 0; i < 10'000; ++i) {
      const VertexId from = static_cast<VertexId>(random.below(8192) * 17 + random.below(8));
      VertexId at = from;
      const VertexId to = static_cast<VertexId>(random.below(8192) * 17 + random.below(8));
      const int hops = t->router().route(from, to, random.next(), out.data());
      bool whole = hops >= 0;
      for (int h = 0; whole && h < hops; ++h) {
        whole = t->links()[out[static_cast<size_t>(h)]].from == at;
        at = t->links()[out[static_cast<size_t>(h)]].to;
      }
      if (!whole || at != to) FAIL_CHECK("route " << i);
    }
  }
}

TEST_CASE("65,536 GPUs on rails of three tiers of 64-port switches: routes of up to 8 links") {
  const FabricSpec fabric = three_tiers(rail_optimised(32, 32), 4, 1024);
  const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 8, 8), 8192}}, fabric));
  CHECK(t->vertices().size() == 8192 * 17 + 2048 + 2048 + 1024);
  CHECK(t->links().size() == 2 * (8192 * 24 + 2048 * 32 + 2048 * 32));
  CHECK(t->router().hops_max() == 8);
  std::vector<int> ports(t->vertices().size());
  for (const Link& l : t->links()) ++ports[l.from];
  for (VertexId v = 8192 * 17; v < t->vertices().size(); ++v) {
    if (ports[v] != 64) FAIL_CHECK(t->vertex_name(v) << " has " << ports[v] << " ports");
  }
  CHECK(route(*t, t->router(), vertex(*t, "node[0].gpu[3]"), vertex(*t, "node[31].gpu[3]"), 1).size() == 4);
  CHECK(route(*t, t->router(), vertex(*t, "node[0].gpu[3]"), vertex(*t, "node[127].gpu[3]"), 1).size() == 6);
  CHECK(route(*t, t->router(), vertex(*t, "node[0].gpu[3]"), vertex(*t, "node[8191].gpu[3]"), 1).size() == 8);
}

TEST_CASE("65,536 GPUs on one NVLink switch, and a dead NIC in a big cluster") {
  const auto flat = build(cluster({{node_type(NodeFamily::kSwitched, 65'536, 0), 1}}, {}));
  CHECK(route(*flat, flat->router(), 0, 65'535, 1).size() == 2);
  NodeType four = node_type(NodeFamily::kSwitched, 8, 8);
  const auto t = build(cluster({{four, 1024}}, leaf_spine(32, 8)), {{"spine[0]", std::nullopt, true, {}}});
  for (uint64_t flow = 0; flow < 100; ++flow) {
    CHECK(route(*t, t->router(), 0, vertex(*t, "node[1000].gpu[3]"), flow).size() == 6);
  }
}
