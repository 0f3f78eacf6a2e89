// nvidia-smi topo -m, ns-3, ASTRA-sim, GraphML: what each becomes, counted by hand.
#include "sim/topology/link_speed.h"
#include "tests/scenario/foreign.h"

using namespace brigade;
using Strings = std::vector<std::string>;

TEST_CASE("nvidia-smi: NVLink through switches, PCIe trees of two sockets") {
  const ImportResult r = import_ok(kSmiSwitched);
  CHECK(r.file.kind == "matrix of nvidia-smi topo -m");
  CHECK(r.topology->selectable() ==
        "node[0].gpu[0-3], node[0].nvswitch[0], node[0].nic[0-1], node[0].pcie[0-1], node[0].host[0-1], "
        "switch[0]");
  CHECK(r.has("node[0].gpu[3] - node[0].nvswitch[0]: 300 GB/s, 936.25 ns, cost 1"));  // 12 x 25
  CHECK(r.has("node[0].gpu[1] - node[0].pcie[0]: 31.51 GB/s, 450 ns, cost 2"));
  CHECK(r.has("node[0].nic[1] - node[0].pcie[1]: 31.51 GB/s, 450 ns, cost 2"));
  CHECK(r.has("node[0].pcie[1] - node[0].host[1]: 31.51 GB/s, 450 ns, cost 2"));
  CHECK(r.has("node[0].host[0] - node[0].host[1]: 16 GB/s, 450 ns, cost 2"));
  CHECK(r.has("node[0].nic[0] - switch[0]: 25 GB/s, 350 ns, cost 1"));
  CHECK(r.assumed("more than 18 NVLinks in a row"));
}

TEST_CASE("nvidia-smi: direct NVLinks, one host") {
  const ImportResult r = import_ok(kSmiDirect);
  CHECK(r.topology->selectable() == "node[0].gpu[0-3], node[0].host[0]");
  CHECK(r.has("node[0].gpu[0] - node[0].gpu[3]: 50 GB/s, 1.9 us, cost 1"));
  CHECK(r.topology->links().size() / 2 == 4 + 4);
  const ImportResult uneven = import_ok(replaced(kSmiDirect, "NV2  PHB  NV2  0-15", "NV1  PHB  NV2  0-15"));
  CHECK(uneven.assumed("1 pairs differ between row and column: fewer NVLinks"));
  CHECK(uneven.has("node[0].gpu[0] - node[0].gpu[1]: 25 GB/s, 1.9 us, cost 1"));
}

TEST_CASE("nvidia-smi: GPUs that see each other by NVLink alone share the host of their CPUs") {
  const ImportResult r = import_ok(
      "     GPU0 GPU1 CPU Affinity\n"
      "GPU0  X   NV4  0-15\n"
      "GPU1 NV4   X   0-15\n");
  CHECK(r.topology->selectable() == "node[0].gpu[0-1], node[0].host[0]");
}

TEST_CASE("nvidia-smi: a PCIe box") {
  const ImportResult r = import_ok(kSmiPcie);
  CHECK(r.cables() == Strings{"node[0].gpu[0] - node[0].pcie[0]: 15.75 GB/s, 450 ns, cost 2",
                              "node[0].gpu[1] - node[0].pcie[0]: 15.75 GB/s, 450 ns, cost 2",
                              "node[0].pcie[0] - node[0].host[0]: 15.75 GB/s, 450 ns, cost 2",
                              "node[0].gpu[2] - node[0].host[0]: 15.75 GB/s, 450 ns, cost 2",
                              "node[0].gpu[3] - node[0].host[1]: 15.75 GB/s, 450 ns, cost 2",
                              "node[0].host[0] - node[0].host[1]: 10 GB/s, 450 ns, cost 2"});
}

TEST_CASE("nvidia-smi: what is wrong is said at its line") {
  CHECK(import_errors(replaced(kSmiPcie, "GPU2\tNODE\tNODE\tX\tSYS\n", "")) ==
        Strings{"4:1: expected the row of GPU2, found GPU3"});
  CHECK(import_errors(replaced(kSmiPcie, "GPU3\tSYS\tSYS\tSYS\tX\n", "")) ==
        Strings{"1:1: the header names 4 devices, and there are 3 rows"});
  CHECK(import_errors(replaced(kSmiPcie, "SYS\tSYS\tX", "SYS\tX")) ==
        Strings{"5:1: the row has 3 entries; expected: 4",
                "5:1: unknown entry \"X\"; allowed: X, NV1 to NV64, PIX, PXB, PHB, NODE, SYS"});
  CHECK(import_errors(replaced(kSmiPcie, "PIX", "PIXX")) ==
        Strings{"2:1: unknown entry \"PIXX\"; allowed: X, NV1 to NV64, PIX, PXB, PHB, NODE, SYS"});
}

TEST_CASE("ns-3: hosts, switches, rates and delays in all their units") {
  CHECK(import_ok(kNs3).cables() == Strings{"node[0].gpu[0] - switch[0]: 25 GB/s, 5 us, cost 1",
                                            "node[1].gpu[0] - switch[0]: 25 GB/s, 5 us, cost 1",
                                            "node[2].gpu[0] - switch[1]: 12.5 GB/s, 5 us, cost 1",
                                            "switch[0] - switch[1]: 50 GB/s, 500 ns, cost 1",
                                            "switch[0] - switch[1]: 12.5 GB/s, 1 us, cost 1"});
  CHECK(import_ok(kNs3).assumed("error rates are left out"));
  const ImportResult simai = import_ok(kSimai);
  CHECK(simai.topology->selectable() == "node[0-1].gpu[0-1], nvswitch[0-1], switch[0]");
  CHECK(simai.has("node[1].gpu[1] - nvswitch[1]: 360 GB/s, 25 ns, cost 1"));
}

TEST_CASE("ns-3: what is wrong is said at its place") {
  CHECK(import_errors(replaced(kNs3, "5 2 5", "5 2 6")) ==
        Strings{"8:1: the first line counts 6 links; the file holds 5"});
  CHECK(import_ok(replaced(kNs3, "5 2 5", "5 2 4"))
            .assumed("what follows the 4 links that the first line counts"));
  CHECK(import_errors(replaced(kNs3, "0 3 200Gbps", "0 9 200Gbps")) ==
        Strings{"3:3: node 9 is out of range; the first line counts 5 nodes"});
  CHECK(import_errors(replaced(kNs3, "200Gbps", "200")) ==
        Strings{"3:5: expected a rate such as 400Gbps, found \"200\""});
  CHECK(import_errors(replaced(kNs3, "0 3 200Gbps", "1 3 200Gbps")) ==
        Strings{"1:1: no cable leads to \"node[0].gpu[0]\""});
  CHECK(import_errors(replaced(kNs3, "3 4 \n", "3 3 \n")) == Strings{"2:3: switch 3 is listed twice"});
}

TEST_CASE("ASTRA-sim: a dimension a list entry; GB/s are 2^30") {
  // 400 x 2^30 = 429.4967296e9.
  CHECK(import_ok(kAstra).cables() ==
        Strings{"node[0].gpu[0] - node[0].nvswitch[0]: 429.4967296 GB/s, 936.25 ns, cost 1",
                "node[0].gpu[1] - node[0].nvswitch[0]: 429.4967296 GB/s, 936.25 ns, cost 1",
                "node[1].gpu[0] - node[1].nvswitch[0]: 429.4967296 GB/s, 936.25 ns, cost 1",
                "node[1].gpu[1] - node[1].nvswitch[0]: 429.4967296 GB/s, 936.25 ns, cost 1",
                "node[2].gpu[0] - node[2].nvswitch[0]: 429.4967296 GB/s, 936.25 ns, cost 1",
                "node[2].gpu[1] - node[2].nvswitch[0]: 429.4967296 GB/s, 936.25 ns, cost 1",
                "node[0].gpu[0] - node[1].gpu[0]: 53.6870912 GB/s, 500 ns, cost 1",
                "node[1].gpu[0] - node[2].gpu[0]: 53.6870912 GB/s, 500 ns, cost 1",
                "node[2].gpu[0] - node[0].gpu[0]: 53.6870912 GB/s, 500 ns, cost 1",
                "node[0].gpu[1] - node[1].gpu[1]: 53.6870912 GB/s, 500 ns, cost 1",
                "node[1].gpu[1] - node[2].gpu[1]: 53.6870912 GB/s, 500 ns, cost 1",
                "node[2].gpu[1] - node[0].gpu[1]: 53.6870912 GB/s, 500 ns, cost 1"});
}

TEST_CASE("ASTRA-sim: cables of any shape, counted") {
  struct Row {
    std::string topology, npus;
    size_t cables;
  };
  for (const auto& [topology, npus, cables] :
       std::vector<Row>{{"[Ring]", "[1]", 0},
                        {"[Ring]", "[2]", 1},
                        {"[Ring]", "[5]", 5},
                        {"[FullyConnected]", "[7]", 21},
                        {"[Switch]", "[7]", 7},
                        {"Switch", "7", 7},
                        {"[Ring, Ring]", "[4, 8]", 64},  // a torus: two cables an NPU
                        {"[Ring, FullyConnected, Switch]", "[3, 4, 2]", 24 + 6 * 6 + 24}}) {
    const size_t n = npus.find(',') == std::string::npos ? 1 : npus.find(',') == npus.rfind(',') ? 2 : 3;
    const std::string values = n == 1 ? "[1]" : n == 2 ? "[1, 1]" : "[1, 1, 1]";
    INFO(topology << " " << npus);
    CHECK(import_ok("topology: " + topology + "\nnpus_count: " + npus + "\nbandwidth: " + values +
                    "\nlatency: " + values + "\n")
              .topology->links()
              .size() == 2 * cables);
  }
}

TEST_CASE("ASTRA-sim: what is wrong is said at its place") {
  CHECK(import_errors(replaced(kAstra, "Ring", "Rign")) ==
        Strings{"2:21: unknown topology \"Rign\"; did you mean \"Ring\"?"});
  CHECK(import_errors(replaced(kAstra, "[ 2, 3 ]", "[ 2 ]")) ==
        Strings{"3:13: npus_count has 1 values; expected: one a dimension, 2, at most 8"});
  CHECK(import_errors(replaced(kAstra, "400,", "-1,")) ==
        Strings{"4:14: \"-1\": allowed: a number of GB/s above 0"});
  CHECK(import_errors(replaced(kAstra, "latency: [ 936.25, 500 ]\n", "")) ==
        Strings{"2:1: missing key \"latency\""});
  CHECK(import_errors(replaced(kAstra, "[ 2, 3 ]", "[ 1024, 1024 ]"))[0].find("too many to be written out") !=
        std::string::npos);
}

TEST_CASE("GraphML: a map with speeds, labels and coordinates") {
  const ImportResult r = import_ok(kGraphmlMap);
  // 392.2 km (spherical law of cosines) on a sphere of 6371 km, at 0.2 km/us; OC-48 is 48 x 51.84 Mb/s.
  CHECK(r.cables() == Strings{"Paris - Lyon: 1.25 GB/s, 1.961 ms, cost 1",
                              "Paris - Lyon: 311.04 MB/s, 1.961 ms, cost 1",
                              "Lyon - New_place_far_: 1.25 GB/s, 1 ms, cost 1",
                              "node[0].gpu[0] - Paris: 2.81104 GB/s, 1 us, cost 1",
                              "node[1].gpu[0] - Lyon: 2.81104 GB/s, 1 us, cost 1",
                              "node[2].gpu[0] - New_place_far_: 2.81104 GB/s, 1 us, cost 1"});
  CHECK(r.assumed("the graph falls into 2 pieces: the largest is taken, 6 of 8 switches and GPUs"));
  CHECK(r.assumed("edges from a node to itself are left out"));
  CHECK(r.parameter("link_bandwidth") == "1.25 GB/s");
}

TEST_CASE("GraphML: a graph whose author typed it; directed edges make pairs") {
  CHECK(import_ok(kGraphmlTyped).cables() ==
        Strings{"node[0].gpu[0] - z: 50 GB/s, 1 us, cost 1", "node[1].gpu[0] - z: 50 GB/s, 2 us, cost 1"});
  CHECK(import_errors(replaced(kGraphmlTyped, "target=\"z\"", "target=\"w\"")) ==
        Strings{"8:6: an edge to a node that is not there: w"});
  CHECK(import_errors(replaced(kGraphmlTyped, ">gpu<", ">gpv<")) ==
        Strings{"5:6: unknown kind \"gpv\"; did you mean \"gpu\"?"});
  CHECK(import_errors("<graphml><graph/></graphml>") == Strings{"1:11: the graph has no nodes"});
  CHECK(import_errors("<graphml/>") == Strings{"1:2: holds no <graph>"});
}

TEST_CASE("speeds as maps label them") {
  struct Row {
    std::string label;
    double mb_per_s;  // megabits; 0: none
  };
  for (const auto& [label, expected] : std::vector<Row>{{"10 Gbps", 10'000},
                                                        {"<2.5 Gb/s", 2'500},
                                                        {"10GE", 10'000},
                                                        {"2 x 10G", 10'000},
                                                        {"155 Mbit/s", 155},
                                                        {"STM-64", 9'953.28},
                                                        {"OC-192c", 9'953.28},
                                                        {"oc3", 155.52},
                                                        {"GigE", 1'000},
                                                        {"34 Mbps", 34},
                                                        {"64Kbps", 0.064},
                                                        {"10 miles", 0},
                                                        {"Fibre", 0},
                                                        {"2004", 0},
                                                        {"", 0}}) {
    const std::optional<Bandwidth> speed = labelled_speed(label);
    INFO(label);
    CHECK((speed ? static_cast<double>(speed->bytes_per_s().count) * 8e-6 : 0) == Approx(expected));
  }
}

TEST_CASE("a text of no known kind is refused with the list of kinds") {
  for (const std::string text :
       {"", "hello", "<graphs version=\"1\"/>", "brigade: 1\n", "1 2\n", "<", "<!--"}) {
    INFO(text);
    CHECK(import_errors(text) == Strings{"its content is of no kind that can be imported; these "
                                         "are: NCCL topology XML, matrix "
                                         "of nvidia-smi topo -m, GraphML, ASTRA-sim network YAML, ns-3 text "
                                         "of nodes, switches and links"});
  }
}
