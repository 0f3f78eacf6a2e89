#include "sim/report/suspicious.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"

namespace brigade {
namespace {

// Beyond what is sold: NIC ports have up to 800 Gb/s, NVLink 5 has 900 GB/s per direction and GPU.
constexpr Bytes kNicPerSecondMax = gigabytes(200);
constexpr Bytes kCablePerSecondMax = gigabytes(10'000);
// PCIe 7.0 x16 will have 242 GB/s.
constexpr Bytes kPciePerSecondMax = gigabytes(256);
constexpr Bytes kCablePerSecondMin = megabytes(10);
// Light needs 5 ms for 1000 km of fibre.
constexpr Duration kLatencyMax = milliseconds(100);
constexpr double kPeakFlopPerSMax = 1e17;
// Routes looked at in search of pairs that have none.
constexpr size_t kPairsMax = 4'000'000;

void check_cable(const char* what, const CableSpec& cable, Bytes per_second_max, Diagnostics& out) {
  const Bytes rate = cable.bandwidth.bytes_per_s();
  if (rate > per_second_max) {
    out.warning(cable.at, absl::StrCat(what, " of ", to_string(cable.bandwidth), " is ",
                                       rate.count / 125'000'000, " Gb/s; are bits (Gb/s) meant?"));
  } else if (rate < kCablePerSecondMin) {
    out.warning(cable.at, absl::StrCat(what, " of ", to_string(cable.bandwidth), " is very slow"));
  }
  if (cable.latency > kLatencyMax)
    out.warning(cable.at,
                absl::StrCat(what, " with a latency of ", to_string(cable.latency), " is very long"));
}

void check_device(const DeviceModel& device, Diagnostics& out) {
  for (const auto& [dtype, rate] : device.peak_flop_per_s) {
    if (rate <= kPeakFlopPerSMax) continue;
    out.warning(device.at, absl::StrCat(device.name, " with ", rate * 1e-12, " TFLOP/s of ", dtype,
                                        " is faster than any device known"));
  }
}

Bytes rate_of(const CableSpec& cable) { return cable.cables * cable.bandwidth.bytes_per_s(); }

void check_node(const NodeType& type, Diagnostics& out) {
  if (type.family != NodeFamily::kNone) check_cable("NVLink", type.nvlink, kCablePerSecondMax, out);
  if (type.pcie_switches > 0) check_cable("PCIe", type.pcie, kPciePerSecondMax, out);
  if (type.sockets > 1) check_cable("a link between sockets", type.socket_link, kPciePerSecondMax, out);
  if (type.gpus > 0) check_device(type.gpu, out);
  if (type.nics == 0) return;
  check_cable("a NIC port", type.nic_port, kNicPerSecondMax, out);
  const CableSpec& host = type.pcie_switches > 0 ? type.pcie : type.nic_host;
  if (type.pcie_switches == 0) check_cable("the cable to a NIC", host, kPciePerSecondMax, out);
  if (rate_of(host) >= rate_of(type.nic_port) || type.nic_port.bandwidth.bytes_per_s() > kNicPerSecondMax)
    return;
  out.warning(type.nic_port.at,
              absl::StrCat("a NIC port of ", to_string(Bandwidth::per_second(rate_of(type.nic_port))),
                           " behind a cable of ", to_string(Bandwidth::per_second(rate_of(host))),
                           " carries no more than that"));
}

void check_fabric(const FabricSpec& fabric, Diagnostics& out) {
  for (const auto& cable : {fabric.uplink, fabric.core_uplink, fabric.link, fabric.global_link}) {
    if (cable) check_cable("a cable of the fabric", *cable, kNicPerSecondMax, out);
  }
}

void warn_of_asymmetry(const Topology& topology, const Place& at, Diagnostics& out) {
  size_t count = 0;
  LinkId example = kNone;
  for (LinkId l = 0; l < topology.links().size(); l += 2) {
    const Link &there = topology.links()[l], &back = topology.links()[topology.reverse(l)];
    if (there.bandwidth == back.bandwidth && there.up == back.up) continue;
    if (count++ == 0) example = l;
  }
  if (count == 0) return;
  const auto rate = [&](LinkId l) {
    return topology.links()[l].up ? to_string(topology.links()[l].bandwidth) : std::string("down");
  };
  out.warning(at, absl::StrCat(count, count == 1 ? " cable is" : " cables are",
                               " not the same both ways, e.g. ", topology.link_name(example), ": ",
                               rate(example), ", and ", rate(topology.reverse(example)), " back"));
}

}  // namespace

void warn_of_suspicious_topology(const Topology& topology, const Place& at, Diagnostics& out) {
  warn_of_asymmetry(topology, at, out);
  std::vector<VertexId> devices;
  for (VertexId v = 0; v < topology.vertices().size(); ++v) {
    if (topology.is_endpoint(v)) devices.push_back(v);
  }
  const size_t step = devices.size() * devices.size() / kPairsMax + 1;
  std::vector<LinkId> route(static_cast<size_t>(std::max(1, topology.router().hops_max())));
  size_t cut_off = 0;
  std::string example;
  for (size_t from = 0; from < devices.size(); from += step) {
    for (const VertexId to : devices) {
      if (topology.router().route(devices[from], to, 0, route.data()) >= 0) continue;
      if (cut_off++ == 0) {
        example = absl::StrCat(topology.vertex_name(devices[from]), " to ", topology.vertex_name(to));
      }
    }
  }
  if (cut_off == 0) return;
  out.warning(at, absl::StrCat(cut_off, cut_off == 1 ? " pair" : " pairs", " of devices ",
                               cut_off == 1 ? "has" : "have", " no route, e.g. ", example,
                               step == 1 ? "" : absl::StrCat(" (of one device in ", step, " to all)")));
}

void warn_of_suspicious_values(const Scenario& scenario, Diagnostics& out) {
  for (const NodeType& type : scenario.cluster.types) check_node(type, out);
  check_fabric(scenario.cluster.fabric, out);
  for (const WrittenCable& written : scenario.cluster.cables)
    check_cable("a cable", written.cable, kCablePerSecondMax, out);
  for (const auto& [name, device] : scenario.cluster.models) check_device(device, out);
}

}  // namespace brigade
