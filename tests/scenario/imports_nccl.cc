// NCCL's and RCCL's topology XML: bandwidths by PCI Express' and NVLink's public rates, counted by hand.
#include "tests/scenario/foreign.h"

using namespace brigade;
using Strings = std::vector<std::string>;

TEST_CASE("GPUs with direct NVLinks, bridges, a NIC of two ports, two sockets") {
  const ImportResult r = import_ok(kNcclDirect);
  CHECK(r.file.kind == "NCCL topology XML");
  // PCIe 3.0 x16: 8 GT/s x 16 x 128/130 / 8 = 15.75 GB/s; x8 half of it. NVLink 2.0: 25 GB/s each.
  CHECK(r.cables() == Strings{"node[0].pcie[0] - node[0].host[0]: 15.75 GB/s, 450 ns, cost 2",
                              "node[0].nic[0] - node[0].pcie[0]: 15.75 GB/s, 450 ns, cost 2",
                              "node[0].host[0] - node[0].host[1]: 6 GB/s, 450 ns, cost 2",
                              "node[0].gpu[0] - node[0].pcie[0]: 15.75 GB/s, 450 ns, cost 2",
                              "node[0].gpu[1] - node[0].pcie[0]: 7.88 GB/s, 450 ns, cost 2",
                              "node[0].gpu[2] - node[0].host[1]: 15.75 GB/s, 450 ns, cost 2",
                              "node[0].gpu[0] - node[0].gpu[1]: 50 GB/s, 1.9 us, cost 1",
                              "node[0].gpu[1] - node[0].gpu[2]: 25 GB/s, 1.9 us, cost 1",
                              "node[0].nic[0] - switch[0]: 12.5 GB/s, 350 ns, cost 1",
                              "node[0].nic[0] - switch[0]: 15.75 GB/s, 3 us, cost 1"});
  CHECK(r.assumed("where the file gives no PCIe speed, 8 GT/s"));
  CHECK(r.assumed("where the file gives no PCIe width, 16 lanes"));
  CHECK(r.assumed("links of node[0].gpu[2] to 0000:99:00.0 are left out: no such GPU is in the file"));
  CHECK(r.assumed(
      "between node[0].gpu[1] and node[0].gpu[2] the file counts 1 links one way and 3 the other: 1 taken"));
}

TEST_CASE("NVLink switches are one, a GPU's links to them add up") {
  const ImportResult r = import_ok(kNcclSwitched);
  CHECK(r.has("node[0].gpu[0] - node[0].nvswitch[0]: 450 GB/s, 936.25 ns, cost 1"));
  CHECK(r.has("node[0].nic[0] - switch[0]: 50 GB/s, 350 ns, cost 1"));
  // 32 GT/s x 16 x 128/130 / 8.
  CHECK(r.has("node[0].nic[1] - switch[0]: 63.02 GB/s, 350 ns, cost 1"));
  CHECK(r.parameter("port_bandwidth") == "63.02 GB/s");
  CHECK(r.topology->selectable() ==
        "node[0].gpu[0-1], node[0].host[0], node[0].pcie[0-1], node[0].nic[0-1], node[0].nvswitch[0], "
        "switch[0]");
}

TEST_CASE("NVLink and xGMI by generation") {
  struct Row {
    std::string from, to, bandwidth;
  };
  // Data sheets, GB/s each way: P100 20, V100 A100 H100 25, RTX A6000 14.0625, B200 50 a link.
  for (const auto& [from, to, bandwidth] : std::vector<Row>{{"sm=\"70\"", "sm=\"60\"", "40 GB/s"},
                                                            {"sm=\"70\"", "sm=\"80\"", "50 GB/s"},
                                                            {"sm=\"70\"", "sm=\"86\"", "28.125 GB/s"},
                                                            {"sm=\"70\"", "sm=\"100\"", "100 GB/s"}}) {
    std::string text = kNcclDirect;
    for (int i = 0; i < 3; ++i) text = replaced(text, from, to);
    INFO(to);
    CHECK(import_ok(text).has("node[0].gpu[0] - node[0].gpu[1]: " + bandwidth + ", 1.9 us, cost 1"));
  }
  CHECK(import_ok(kNcclXgmi).has("node[0].gpu[0] - node[0].gpu[2]: 64 GB/s, 1.9 us, cost 1"));
  const std::string mi250 = absl::StrReplaceAll(kNcclXgmi, {{"gfx942", "910"}});
  CHECK(import_ok(mi250).has("node[0].gpu[1] - node[0].gpu[2]: 50 GB/s, 1.9 us, cost 1"));
}

TEST_CASE("what was assumed is one line to change") {
  const ImportResult r = import_ok(kNcclSwitched, 1, {"nvlink_bandwidth=20 GB/s", "pcie_latency=1 us"});
  CHECK(r.has("node[0].gpu[0] - node[0].nvswitch[0]: 360 GB/s, 936.25 ns, cost 1"));
  CHECK(r.has("node[0].gpu[0] - node[0].pcie[0]: 63.02 GB/s, 1 us, cost 2"));
}

TEST_CASE("one server becomes several on one network") {
  const ImportResult r = import_ok(kNcclSwitched, 3);
  CHECK(r.topology->nodes() == 3);
  CHECK(r.topology->links().size() / 2 == 3 * import_ok(kNcclSwitched).topology->links().size() / 2);
  CHECK(r.has("node[2].nic[1] - switch[0]: 63.02 GB/s, 350 ns, cost 1"));
  CHECK(import_errors(kNcclXgmi, 2) == Strings{"has no NIC, so that its node cannot be repeated (--nodes)"});
  CHECK(import_errors(kNs3, 2) ==
        Strings{"holds 3 nodes; only a file of one node can be repeated (--nodes)"});
}

TEST_CASE("GPUs that were removed leave no gaps") {
  const size_t begin = kNcclDirect.find("      <pci busid=\"0000:07:00.0\""),
               end = kNcclDirect.find("      <pci busid=\"0000:08");
  const ImportResult r = import_ok(std::string(kNcclDirect).erase(begin, end - begin));
  CHECK(r.topology->selectable() ==
        "node[0].gpu[0-1], node[0].host[0-1], node[0].pcie[0], node[0].nic[0], switch[0]");
  CHECK(r.has("node[0].gpu[0] - node[0].gpu[1]: 25 GB/s, 1.9 us, cost 1"));
}

TEST_CASE("Grace: a GPU joined to its CPU; servers by their hash") {
  const std::string grace = R"(<system version="1">
    <cpu host_hash="0x1" numaid="0" arch="arm64"><pci busid="1" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
      <gpu dev="0" sm="100"><nvlink target="e" count="18" tclass="0x068000"/><c2c bw="450000" count="1"/></gpu></pci></cpu>
    <cpu host_hash="0x2" numaid="0" arch="arm64"><pci busid="1" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
      <gpu dev="0" sm="100"><nvlink target="e" count="18" tclass="0x068000"/><c2c bw="450000" count="1"/></gpu></pci></cpu>
  </system>)";
  const ImportResult r = import_ok(grace);
  CHECK(r.topology->nodes() == 2);
  CHECK(r.has("node[1].gpu[0] - nvswitch[0]: 900 GB/s, 936.25 ns, cost 1"));
  CHECK(r.has("node[0].gpu[0] - node[0].host[0]: 450 GB/s, 450 ns, cost 1"));
}

TEST_CASE("what is wrong is said at its place") {
  CHECK(import_errors("<system version=\"1\">\n  <cpu>\n") ==
        Strings{"2:8: not valid XML: Start-end tags mismatch"});
  CHECK(import_errors("<system/>") == Strings{"1:2: holds no <cpu>"});
  CHECK(import_errors("<system><cpu/></system>") == Strings{"1:10: holds no GPU"});
  CHECK(import_errors(replaced(kNcclDirect, "count=\"2\"", "count=\"0\"")) ==
        Strings{"9:14: count is \"0\"; allowed: 1 to 1024 links from one GPU to one target"});
  CHECK(import_errors(replaced(kNcclDirect, "0000:07:00.0\" class", "0000:06:00.0\" class")) ==
        Strings{"14:8: the busid 0000:06:00.0 is given twice"});
  std::string deep = "<system><cpu>";
  for (int i = 0; i < 20'000; ++i) deep += "<pci>";
  for (int i = 0; i < 20'000; ++i) deep += "</pci>";
  REQUIRE(import_errors(deep + "</cpu></system>").size() == 1);
  CHECK(import_errors(deep + "</cpu></system>")[0].find("more than 32 PCI bridges inside each other") !=
        std::string::npos);
}

TEST_CASE("files that NCCL completes on the machine get their NVLinks on request") {
  const std::string bare =
      R"(<system><cpu><pci busid="a" class="0x030200" link_speed="32 GT/s" link_width="16"/>
      <pci busid="b" class="0x030200" link_speed="32 GT/s" link_width="16"/>
      <pci busid="c" class="0x020700" link_speed="32 GT/s" link_width="16"/></cpu></system>)";
  CHECK(import_ok(bare).assumed("GPUs are joined by PCIe only"));
  const ImportResult r = import_ok(bare, 2, {}, 18);
  CHECK(r.has("node[1].gpu[1] - node[1].nvswitch[0]: 450 GB/s, 936.25 ns, cost 1"));
  CHECK(r.assumed("each GPU has 18 NVLinks"));
  CHECK(
      import_errors(kNcclSwitched, 1, 18) ==
      Strings{"joins node[0].gpu[0] and node[0].nvswitch[0] already: --nvlinks is for files without NVLink"});
}
