// Topology files of other tools, written by hand in their formats, and what an import makes of them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/scenario/import.h"
#include "sim/topology/topology.h"
#include "tests/catch.h"
#include "tests/scenario/scratch.h"

namespace brigade {

// Two V100 with two NVLinks between them, one to the other socket's GPU, a NIC of two ports; a third GPU
// alone on socket 1. A bridge with one child, one without any, a disk.
inline const std::string kNcclDirect = R"(<?xml version="1.0"?>
<!-- by hand -->
<system version="1">
  <cpu numaid="0" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="79">
    <pci busid="0000:02:00.0" class="0x060400" link_speed="8 GT/s" link_width="16">
      <pci busid="0000:04:00.0" class="0x060400" link_speed="8 GT/s" link_width="8">
        <pci busid="0000:06:00.0" class="0x030200" link_speed="8 GT/s" link_width="16">
          <gpu dev="1" sm="70" rank="1" gdr="1">
            <nvlink target="0000:07:00.0" count="2" tclass="0x030200"/>
            <nvlink target="0000:86:00.0" count="1" tclass="0x030200"/>
          </gpu>
        </pci>
      </pci>
      <pci busid="0000:07:00.0" class="0x030200" link_speed="8 GT/s" link_width="16">
        <gpu dev="0" sm="70" rank="0" gdr="1">
          <nvlink target="0000:06:00.0" count="2" tclass="0x030200"/>
        </gpu>
      </pci>
      <pci busid="0000:08:00.0" class="0x020000" link_speed="8 GT/s" link_width="16">
        <nic>
          <net name="mlx5_0" dev="0" speed="100000" port="1" latency="0" guid="0x1"/>
          <net name="mlx5_1" dev="1" speed="-1" port="2" latency="3.0" guid="0x1"/>
        </nic>
      </pci>
    </pci>
    <pci busid="0000:0a:00.0" class="0x060400" link_speed="8 GT/s" link_width="16">
      <pci busid="0000:0b:00.0" class="0x060400" link_speed="8 GT/s" link_width="4"/>
    </pci>
  </cpu>
  <cpu numaid="1" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="79">
    <pci busid="0000:86:00.0" class="0x030200" link_speed="Unknown" link_width="0">
      <gpu dev="2" sm="70" rank="2" gdr="1">
        <nvlink target="0000:06:00.0" count="3" tclass="0x030200"/>
        <nvlink target="0000:99:00.0" count="1" tclass="0x030200"/>
      </gpu>
    </pci>
  </cpu>
</system>
)";

// Two H100 on two NVLink switches, a NIC each.
inline const std::string kNcclSwitched = R"(<system version="1">
  <cpu numaid="0" arch="x86_64" vendor="AuthenticAMD" familyid="25" modelid="17">
    <pci busid="0000:01:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:02:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="90" rank="0"><nvlink target="0000:e1:00.0" count="10" tclass="0x068000"/>
          <nvlink target="0000:e2:00.0" count="8" tclass="0x068000"/></gpu>
      </pci>
      <pci busid="0000:03:00.0" class="0x020700" link_speed="32.0 GT/s PCIe" link_width="16">
        <nic><net name="a" speed="400000"/></nic>
      </pci>
    </pci>
    <pci busid="0000:11:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:12:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="1" sm="90" rank="1"><nvlink target="0000:e1:00.0" count="10" tclass="0x068000"/>
          <nvlink target="0000:e2:00.0" count="8" tclass="0x068000"/></gpu>
      </pci>
      <pci busid="0000:13:00.0" class="0x020700" link_speed="32.0 GT/s PCIe" link_width="16"/>
    </pci>
  </cpu>
</system>
)";

// Three MI300X, each joined to each.
inline const std::string kNcclXgmi =
    R"(<system version="2"><cpu numaid="0" arch="x86_64" vendor="AuthenticAMD">
  <pci busid="a" class="0x120000" link_speed="32.0 GT/s PCIe" link_width="16"><gpu dev="0" gcn="gfx942">
    <xgmi target="b" count="1" tclass="0x120000"/><xgmi target="c" count="1" tclass="0x120000"/></gpu></pci>
  <pci busid="b" class="0x120000" link_speed="32.0 GT/s PCIe" link_width="16"><gpu dev="1" gcn="gfx942">
    <xgmi target="a" count="1" tclass="0x120000"/><xgmi target="c" count="1" tclass="0x120000"/></gpu></pci>
  <pci busid="c" class="0x120000" link_speed="32.0 GT/s PCIe" link_width="16"><gpu dev="2" gcn="gfx942">
    <xgmi target="a" count="1" tclass="0x120000"/><xgmi target="b" count="1" tclass="0x120000"/></gpu></pci>
</cpu></system>
)";

// Eight A100 as nvidia-smi sees them through switches; two NICs; the header underlined by the terminal.
inline const std::string kSmiSwitched =
    "$ nvidia-smi topo -m\n"
    "\t\x1b[4mGPU0\tGPU1\tGPU2\tGPU3\tmlx5_0\tmlx5_1\tCPU Affinity\tNUMA Affinity\x1b[0m\n"
    "GPU0\t X \tNV12\tNV12\tNV12\tPXB\tSYS\t0-63\t0\n"
    "GPU1\tNV12\t X \tNV12\tNV12\tPXB\tSYS\t0-63\t0\n"
    "GPU2\tNV12\tNV12\t X \tNV12\tSYS\tPXB\t64-127\t1\n"
    "GPU3\tNV12\tNV12\tNV12\t X \tSYS\tPXB\t64-127\t1\n"
    "mlx5_0\tPXB\tPXB\tSYS\tSYS\t X \tSYS\n"
    "mlx5_1\tSYS\tSYS\tPXB\tPXB\tSYS\t X \n"
    "\nLegend:\n\n  X    = Self\n  SYS  = Connection traversing PCIe\n";

// Four V100, two links between neighbours, none across; no NIC.
inline const std::string kSmiDirect =
    "     GPU0 GPU1 GPU2 GPU3 CPU Affinity\n"
    "GPU0  X   NV2  PHB  NV2  0-15\n"
    "GPU1 NV2   X   NV2  PHB  0-15\n"
    "GPU2 PHB  NV2   X   NV2  0-15\n"
    "GPU3 NV2  PHB  NV2   X   0-15\n";

// A PCIe box: two GPUs below one bridge, one behind another host bridge, one on the other socket.
inline const std::string kSmiPcie =
    "\tGPU0\tGPU1\tGPU2\tGPU3\n"
    "GPU0\tX\tPIX\tNODE\tSYS\n"
    "GPU1\tPIX\tX\tNODE\tSYS\n"
    "GPU2\tNODE\tNODE\tX\tSYS\n"
    "GPU3\tSYS\tSYS\tSYS\tX\n";

inline const std::string kNs3 =
    "5 2 5\n"
    "3 4 \n"
    "0 3 200Gbps 0.005ms 0\n"
    "1 3 200Gbps 5us 0\n"
    "2 4 100000Mbps 0.000005s 0.01\n"
    "3 4 400Gbps 500ns 0\n"
    "3 4 12.5GBps 1us 0\n";

inline const std::string kSimai =
    "7 2 2 1 6 H100\n"
    "4 5 6 \n"
    "0 4 2880Gbps 0.000025ms 0\n1 4 2880Gbps 0.000025ms 0\n2 5 2880Gbps 0.000025ms 0\n3 5 2880Gbps "
    "0.000025ms 0\n"
    "4 6 400Gbps 0.0005ms 0\n5 6 400Gbps 0.0005ms 0\n";

inline const std::string kAstra =
    "# two dimensions\n"
    "topology: [ Switch, Ring ]\n"
    "npus_count: [ 2, 3 ]\n"
    "bandwidth: [ 400, 50.0 ]\n"
    "latency: [ 936.25, 500 ]\n";

// A map: Paris and Lyon are 392 km apart, the third place has no coordinates, the fourth no link.
inline const std::string kGraphmlMap = R"(<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="d1"/>
  <key attr.name="LinkLabel" attr.type="string" for="edge" id="d2"/>
  <key attr.name="label" attr.type="string" for="node" id="d3"/>
  <key attr.name="Longitude" attr.type="double" for="node" id="d4"/>
  <key attr.name="Latitude" attr.type="double" for="node" id="d5"/>
  <graph edgedefault="undirected">
    <node id="0"><data key="d3">Paris</data><data key="d5">48.8567</data><data key="d4">2.3508</data></node>
    <node id="1"><data key="d3">Lyon</data><data key="d5">45.7600</data><data key="d4">4.8400</data></node>
    <node id="2"><data key="d3">New place, "far"</data></node>
    <node id="3"><data key="d3">Island</data></node>
    <edge source="0" target="1"><data key="d1">10000000000.0</data></edge>
    <edge source="0" target="1"><data key="d2">OC-48c</data></edge>
    <edge source="1" target="2"></edge>
    <edge source="2" target="2"/>
  </graph>
</graphml>
)";

// Typed by its author, each cable as two directed edges.
inline const std::string kGraphmlTyped = R"(<graphml>
  <key id="k" for="node" attr.name="kind" attr.type="string"/><key id="n" for="node" attr.name="name" attr.type="string"/>
  <key id="b" for="edge" attr.name="bandwidth" attr.type="string"/><key id="l" for="edge" attr.name="latency" attr.type="string"/>
  <graph edgedefault="directed">
    <node id="x"><data key="k">gpu</data><data key="n">node[0].gpu[0]</data></node>
    <node id="y"><data key="k">gpu</data><data key="n">node[1].gpu[0]</data></node>
    <node id="z"><data key="k">switch</data></node>
    <edge source="x" target="z"><data key="b">50 GB/s</data><data key="l">1 us</data></edge>
    <edge source="z" target="x"><data key="b">50 GB/s</data><data key="l">1 us</data></edge>
    <edge source="y" target="z"><data key="b">400 Gb/s</data><data key="l">2 us</data></edge>
    <edge source="z" target="y"><data key="b">400 Gb/s</data><data key="l">2 us</data></edge>
  </graph>
</graphml>
)";

struct NamedText {
  std::string name, text;
};
inline std::vector<NamedText> foreign_files() {
  return {{"direct.xml", kNcclDirect},
          {"switched.xml", kNcclSwitched},
          {"xgmi.xml", kNcclXgmi},
          {"smi_switched.txt", kSmiSwitched},
          {"smi_direct.txt", kSmiDirect},
          {"smi_pcie.txt", kSmiPcie},
          {"ns3.txt", kNs3},
          {"simai.txt", kSimai},
          {"astra.yml", kAstra},
          {"map.graphml", kGraphmlMap},
          {"typed.graphml", kGraphmlTyped}};
}

// An import that went well, as what a scenario would then see.
struct ImportResult {
  ImportedFile file;
  std::unique_ptr<const Topology> topology;
  // "a - b: 50 GB/s, 1 us, cost 2", in file order.
  std::vector<std::string> cables() const {
    std::vector<std::string> lines;
    for (LinkId l = 0; l < topology->links().size(); l += 2) {
      const Link& x = topology->links()[l];
      lines.push_back(absl::StrCat(topology->vertex_name(x.from), " - ", topology->vertex_name(x.to), ": ",
                                   exact_text(x.bandwidth), ", ", exact_text(x.latency), ", cost ", x.cost));
    }
    return lines;
  }
  bool has(const std::string& cable) const {
    for (const std::string& line : cables()) {
      if (line == cable) return true;
    }
    return false;
  }
  bool assumed(const std::string& part) const {
    for (const std::string& sentence : file.assumptions) {
      if (sentence.find(part) != std::string::npos) return true;
    }
    return false;
  }
  std::string parameter(const std::string& name) const {
    for (const ImportParameter& p : file.parameters) {
      if (p.name == name) return p.value;
    }
    return "none";
  }
};

inline ImportResult import_ok(const std::string& text, int nodes = 1,
                              const std::vector<std::string>& parameters = {}, int nvlinks = 0) {
  const Scratch scratch;
  Diagnostics errors;
  std::optional<ImportedFile> file =
      import_topology(text, "machine.xml", {.nodes = nodes, .nvlinks = nvlinks}, errors);
  INFO(errors.text());
  REQUIRE(file);
  ImportResult result{std::move(*file), nullptr};
  const std::optional<ClusterFile> cluster =
      load_cluster(scratch.write("machine.yaml", result.file.yaml), parameters, errors);
  INFO(errors.text());
  REQUIRE(cluster);
  result.topology = build_topology(cluster->cluster, {}, errors);
  REQUIRE(result.topology);
  return result;
}

// Why a text is not imported: "LINE:COLUMN: message" a line.
inline std::vector<std::string> import_errors(const std::string& text, int nodes = 1, int nvlinks = 0) {
  const Scratch scratch;
  Diagnostics errors;
  const std::optional<ImportedFile> file =
      import_topology(text, "machine.xml", {.nodes = nodes, .nvlinks = nvlinks}, errors);
  CHECK(file.has_value() == errors.ok());
  return lines_of(errors, "machine.xml", scratch);
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace brigade
