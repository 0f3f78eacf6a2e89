// What is exported to another tool's format imports as the same cluster, as far as the format can tell.
#include "sim/topology/export.h"
#include "tests/scenario/foreign.h"
#include "tests/source_dir.h"

using namespace brigade;
using Strings = std::vector<std::string>;

namespace {

Strings sorted(Strings lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::unique_ptr<const Topology> shipped(const std::string& name, const Strings& parameters) {
  Diagnostics errors;
  const auto file = load_cluster(source_dir() + "/topologies/" + name, parameters, errors);
  INFO(errors.text());
  REQUIRE(file);
  return build_topology(file->cluster, {}, errors);
}

ImportResult through(Exported (*format)(const Topology&, Diagnostics&), const Topology& t) {
  Diagnostics errors;
  const Exported exported = format(t, errors);
  INFO(errors.text());
  REQUIRE(errors.ok());
  return import_ok(exported.text);
}

}  // namespace

TEST_CASE("GraphML keeps every vertex and every cable") {
  for (const NamedText& file : foreign_files()) {
    INFO(file.name);
    const ImportResult before = import_ok(file.text), after = through(graphml_of, *before.topology);
    CHECK(after.cables() == before.cables());
    CHECK(after.topology->selectable() == before.topology->selectable());
  }
  for (const std::string machine : {"hgx_h100_rail.yaml", "dgx1_v100.yaml", "dgx_a100.yaml"}) {
    INFO(machine);
    const auto before = shipped(machine, {"nodes=2"});
    const ImportResult after = through(graphml_of, *before);
    CHECK(after.topology->links().size() == before->links().size());
    CHECK(after.topology->selectable() == before->selectable());
  }
}

TEST_CASE("NCCL's XML keeps PCIe, NVLink and ports of one server") {
  for (const std::string& text : {kNcclSwitched, kNcclXgmi, kSmiPcie}) {
    const ImportResult before = import_ok(text), after = through(nccl_xml_of, *before.topology);
    INFO(before.file.yaml);
    Strings expected = before.cables(), found = after.cables();
    // NCCL guesses what is between sockets.
    const auto socket = [](const std::string& cable) {
      return cable.find("host[0] - node[0].host[1]") != std::string::npos;
    };
    std::erase_if(expected, socket);
    std::erase_if(found, socket);
    CHECK(sorted(found) == sorted(expected));
  }
  // A DGX-1 has 16 pairs of GPUs with NVLink, and 8 + 4 + 4 + 1 PCIe cables; its four ports have their speed.
  const ImportResult dgx1 = through(nccl_xml_of, *shipped("dgx1_v100.yaml", {"nodes=1"}));
  CHECK(dgx1.topology->links().size() / 2 == 16 + 17 + 4);
  CHECK(dgx1.has("node[0].gpu[0] - node[0].gpu[3]: 50 GB/s, 1.9 us, cost 1"));
  CHECK(dgx1.has("node[0].nic[3] - switch[0]: 12.5 GB/s, 350 ns, cost 1"));
  // Without a PCIe tree GPU and NIC share a bridge, which the export says.
  const ImportResult a100 = through(nccl_xml_of, *shipped("dgx_a100.yaml", {"nodes=1"}));
  CHECK(a100.has("node[0].gpu[7] - node[0].nvswitch[0]: 300 GB/s, 936.25 ns, cost 1"));
  CHECK(a100.topology->selectable() ==
        "node[0].gpu[0-7], node[0].host[0], node[0].pcie[0-7], node[0].nic[0-7], node[0].nvswitch[0], "
        "switch[0]");
}

TEST_CASE("what NCCL's XML cannot express is refused or listed") {
  Diagnostics errors;
  nccl_xml_of(*shipped("dgx_a100.yaml", {"nodes=2"}), errors);
  CHECK(errors.text().find("describes one server with GPUs; this cluster has 2 nodes") != std::string::npos);
  Diagnostics more;
  const Exported a100 = nccl_xml_of(*shipped("dgx_a100.yaml", {"nodes=1"}), more);
  CHECK(a100.losses == Strings{"GPUs without a PCIe tree hang below bridges of their own",
                               "compute capabilities are guessed from the NVLinks: sm 80",
                               "latencies and the bandwidth between CPUs are left out: NCCL has its own"});
}
