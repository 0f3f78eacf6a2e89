// What is cabled to what inside a node, and the routes that follow from it.
#include <map>

#include "tests/catch.h"
#include "tests/topology/clusters.h"

using namespace brigade;
using namespace brigade::testing;

namespace {

// "a > b > c" of the vertices that the route passes.
std::string path(const Topology& t, const std::string& from, const std::string& to, uint64_t flow = 0) {
  std::string text = from;
  for (const LinkId l : route(t, t.router(), vertex(t, from), vertex(t, to), flow)) {
    text += " > " + t.vertex_name(t.links()[l].to);
  }
  return text;
}

size_t cables(NodeFamily family, int gpus) {
  return build(cluster({{node_type(family, gpus, 0), 1}}, {}))->links().size() / 2;
}

}  // namespace

TEST_CASE("cables of NVLink families at every size") {
  for (int gpus = 2; gpus <= 20; ++gpus) {
    const size_t n = static_cast<size_t>(gpus);
    CHECK(cables(NodeFamily::kSwitched, gpus) == n);
    CHECK(cables(NodeFamily::kFullMesh, gpus) == n * (n - 1) / 2);
    CHECK(cables(NodeFamily::kRing, gpus) == (n == 2 ? 1 : n));
  }
}

TEST_CASE("the hybrid cube mesh has six NVLinks a GPU, and double ones where DGX-1 V100 has them") {
  const auto t = build(cluster({{node_type(NodeFamily::kHybridCubeMesh, 8, 0), 1}}, {}));
  std::map<VertexId, int64_t> sum;
  for (const Link& l : t->links()) sum[l.from] += l.bandwidth.bytes_per_s().count / 450'000'000'000;
  CHECK(sum.size() == 8);
  for (const auto& [gpu, links] : sum) CHECK(links == 6);
  const auto links_between = [&](uint32_t a, uint32_t b) {
    for (const Link& l : t->links()) {
      if (l.from == a && l.to == b) return l.bandwidth.bytes_per_s().count / 450'000'000'000;
    }
    return int64_t{0};
  };
  // Row of GPU 0 as nvidia-smi prints it for such a machine: X NV1 NV1 NV2 NV2 and no link to 5, 6, 7.
  const std::vector<int64_t> row = {0, 1, 1, 2, 2, 0, 0, 0};
  for (uint32_t b = 0; b < 8; ++b) CHECK(links_between(0, b) == row[b]);
}

TEST_CASE("GPUs of the cube mesh without a link between them go over PCIe, in one socket or across") {
  const auto t = build(cluster({{pcie_node_type(NodeFamily::kHybridCubeMesh, 8, 4, 4, 2), 1}}, one_switch()));
  CHECK(path(*t, "node[0].gpu[0]", "node[0].gpu[3]") == "node[0].gpu[0] > node[0].gpu[3]");
  CHECK(path(*t, "node[0].gpu[0]", "node[0].gpu[5]") ==
        "node[0].gpu[0] > node[0].pcie[0] > node[0].host[0] > node[0].host[1] > node[0].pcie[2] > "
        "node[0].gpu[5]");
}

TEST_CASE("PCIe trees share out GPUs, NICs and sockets") {
  const auto t = build(cluster({{pcie_node_type(NodeFamily::kNone, 8, 4, 4, 2), 2}}, one_switch()));
  CHECK(path(*t, "node[0].gpu[0]", "node[0].gpu[1]") == "node[0].gpu[0] > node[0].pcie[0] > node[0].gpu[1]");
  CHECK(path(*t, "node[0].gpu[0]", "node[0].gpu[2]") ==
        "node[0].gpu[0] > node[0].pcie[0] > node[0].host[0] > node[0].pcie[1] > node[0].gpu[2]");
  CHECK(path(*t, "node[0].gpu[5]", "node[1].gpu[0]") ==
        "node[0].gpu[5] > node[0].pcie[2] > node[0].nic[2] > switch[0] > node[1].nic[0] > node[1].pcie[0] > "
        "node[1].gpu[0]");
  CHECK(path(*t, "node[1].host[1]", "node[1].gpu[0]") ==
        "node[1].host[1] > node[1].host[0] > node[1].pcie[0] > node[1].gpu[0]");
}

TEST_CASE("a GPU prefers NVLink to PCIe and to a shared NIC") {
  for (const NodeType& node :
       {pcie_node_type(NodeFamily::kSwitched, 4, 4, 2, 1), node_type(NodeFamily::kSwitched, 4, 1)}) {
    const auto t = build(cluster({{node, 2}}, one_switch()));
    for (uint64_t flow = 0; flow < 50; ++flow) {
      CHECK(path(*t, "node[0].gpu[0]", "node[0].gpu[1]", flow) ==
            "node[0].gpu[0] > node[0].nvswitch[0] > node[0].gpu[1]");
    }
  }
}

TEST_CASE("which NIC serves which GPU") {
  struct Row {
    int gpus, nics;
    std::vector<std::vector<uint32_t>> nics_of_gpu;
  };
  const std::vector<Row> rows = {{4, 4, {{0}, {1}, {2}, {3}}}, {4, 2, {{0}, {0}, {1}, {1}}},
                                 {2, 4, {{0, 1}, {2, 3}}},     {3, 2, {{0}, {0}, {1}}},
                                 {2, 3, {{0, 1}, {2}}},        {1, 3, {{0, 1, 2}}}};
  for (const Row& row : rows) {
    const auto t = build(cluster({{node_type(NodeFamily::kSwitched, row.gpus, row.nics), 1}}, one_switch()));
    std::vector<std::vector<uint32_t>> found(static_cast<size_t>(row.gpus));
    for (const Link& l : t->links()) {
      const Vertex &a = t->vertices()[l.from], &b = t->vertices()[l.to];
      if (a.kind == VertexKind::kGpu && b.kind == VertexKind::kNic) found[a.index].push_back(b.index);
    }
    INFO(row.gpus << " gpus, " << row.nics << " nics");
    CHECK(found == row.nics_of_gpu);
  }
}

TEST_CASE("GPUs do not relay unless they forward; then rings and rails use them") {
  NodeType ring = node_type(NodeFamily::kRing, 6, 6);
  CHECK(path(*build(cluster({{ring, 1}}, one_switch())), "node[0].gpu[0]", "node[0].gpu[2]") ==
        "node[0].gpu[0] > node[0].nic[0] > switch[0] > node[0].nic[2] > node[0].gpu[2]");
  ring.forward = true;
  CHECK(path(*build(cluster({{ring, 1}}, one_switch())), "node[0].gpu[0]", "node[0].gpu[2]") ==
        "node[0].gpu[0] > node[0].gpu[1] > node[0].gpu[2]");

  NodeType hgx = node_type(NodeFamily::kSwitched, 4, 4);
  const auto rails = build(cluster({{hgx, 2}}, rail_optimised(0, 0)));
  std::vector<LinkId> out(16);
  CHECK(rails->router().route(vertex(*rails, "node[0].gpu[0]"), vertex(*rails, "node[1].gpu[1]"), 1,
                              out.data()) == -1);
  hgx.forward = true;  // PXN: over NVLink to the GPU of the right rail
  const auto pxn = build(cluster({{hgx, 2}}, rail_optimised(0, 0)));
  CHECK(
      route(*pxn, pxn->router(), vertex(*pxn, "node[0].gpu[0]"), vertex(*pxn, "node[1].gpu[1]"), 1).size() ==
      6);
}

TEST_CASE("a host beside GPUs reaches them and the fabric; a node of a host alone too") {
  NodeType gpus = node_type(NodeFamily::kSwitched, 2, 2);
  gpus.host = true;
  NodeType server = node_type(NodeFamily::kNone, 0, 1);
  const auto t = build(cluster({{gpus, 1}, {server, 1}}, one_switch()));
  CHECK(path(*t, "node[0].gpu[1]", "node[1].host[0]") ==
        "node[0].gpu[1] > node[0].nic[1] > switch[0] > node[1].nic[0] > node[1].host[0]");
  CHECK(path(*t, "node[0].host[0]", "node[0].gpu[0]") == "node[0].host[0] > node[0].nic[0] > node[0].gpu[0]");
  CHECK(t->nodes() == 2);
  NodeType alone = node_type(NodeFamily::kFullMesh, 3, 0);
  alone.host = true;
  CHECK(path(*build(cluster({{alone, 1}}, {})), "node[0].host[0]", "node[0].gpu[2]") ==
        "node[0].host[0] > node[0].gpu[2]");
}
