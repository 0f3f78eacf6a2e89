// 400 GB/s on a NIC is allowed, but hardly meant.
#include "sim/report/suspicious.h"
#include "tests/report/small_scenarios.h"

using namespace brigade;

namespace {

std::string warnings(Bandwidth port, Duration latency = microseconds(5)) {
  Scenario scenario;
  NodeType type;
  type.gpus = type.nics = 8;
  type.family = NodeFamily::kSwitched;
  type.nvlink.bandwidth = Bandwidth::gb_per_s(450);
  type.nic_host.bandwidth = Bandwidth::gb_per_s(200);
  type.nic_port.bandwidth = port;
  type.nic_port.latency = latency;
  scenario.cluster.types = {type};
  Diagnostics out;
  warn_of_suspicious_values(scenario, out);
  CHECK(out.ok());
  return out.text();
}

}  // namespace

TEST_CASE("values that exist pass") {
  for (const int64_t gb_per_s : {1, 12, 25, 50, 100, 200})
    CHECK(warnings(Bandwidth::gb_per_s(gb_per_s)) == "");
}

TEST_CASE("values that look like a slip") {
  CHECK(warnings(Bandwidth::gb_per_s(400)) ==
        "warning: a NIC port of 400 GB/s is 3200 Gb/s; are bits (Gb/s) meant?\n");
  CHECK(warnings(Bandwidth::per_second(kilobytes(400))) == "warning: a NIC port of 400 KB/s is very slow\n");
  CHECK(warnings(Bandwidth::gb_per_s(50), milliseconds(5000)) ==
        "warning: a NIC port with a latency of 5 s is very long\n");
}

TEST_CASE("a NIC behind a slower cable, a PCIe tree and a fabric of impossible speed") {
  Scenario scenario;
  NodeType type;
  type.gpus = type.nics = 8;
  type.nic_host.bandwidth = Bandwidth::gb_per_s(31);
  type.nic_port.bandwidth = Bandwidth::gb_per_s(25);
  type.nic_port.cables = 2;
  NodeType tree = type;
  tree.pcie_switches = 2;
  tree.pcie.bandwidth = Bandwidth::gb_per_s(400);
  scenario.cluster.types = {type, tree};
  scenario.cluster.fabric.uplink.emplace().bandwidth = Bandwidth::gb_per_s(800);
  Diagnostics out;
  warn_of_suspicious_values(scenario, out);
  CHECK(out.text() ==
        "warning: a NIC port of 50 GB/s behind a cable of 31 GB/s carries no more than that\n"
        "warning: PCIe of 400 GB/s is 3200 Gb/s; are bits (Gb/s) meant?\n"
        "warning: a cable of the fabric of 800 GB/s is 6400 Gb/s; are bits (Gb/s) meant?\n");
}

TEST_CASE("devices without a route, and cables that are not the same both ways") {
  // b does not relay between a and c.
  ClusterSpec spec;
  for (const char* name : {"a", "b", "c"}) spec.vertices.push_back({name, "gpu", {}, false, {}});
  for (const auto& [a, b] : {std::pair{"a", "b"}, std::pair{"b", "c"}}) spec.cables.push_back({a, b, {}});
  const auto warnings = [&](const std::vector<LinkChange>& changes) {
    Diagnostics errors, out;
    const auto topology = build_topology(spec, changes, errors);
    REQUIRE(topology != nullptr);
    warn_of_suspicious_topology(*topology, {}, out);
    return out.text();
  };
  CHECK(warnings({}) == "warning: 2 pairs of devices have no route, e.g. a to c\n");
  CHECK(warnings({{"b -> c", 0.5, false, {}}}) ==
        "warning: 1 cable is not the same both ways, e.g. b -> c: 500 MB/s, and 1 GB/s back\n"
        "warning: 2 pairs of devices have no route, e.g. a to c\n");
  CHECK(warnings({{"b -> c", std::nullopt, true, {}}}) ==
        "warning: 1 cable is not the same both ways, e.g. b -> c: down, and 1 GB/s back\n"
        "warning: 3 pairs of devices have no route, e.g. a to c\n");
  spec.vertices[1].forward = true;
  CHECK(warnings({}) == "");
}

TEST_CASE("a warning does not stop a session") {
  const Scratch scratch;
  const std::string file = scratch.write("a.yaml", kTwoGpus + kBench);
  Diagnostics errors;
  const auto session =
      Session::open({.file = file, .overrides = {"cluster.models.g.peak.fp32=1000 PFLOP/s"}}, errors);
  CHECK(session != nullptr);
  CHECK(errors.ok());
  CHECK(errors.list().size() >= 1);
}
