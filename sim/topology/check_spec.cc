// Covered by tests/topology/errors.cc.
#include "sim/topology/check_spec.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sim/topology/check_fabric.h"
#include "sim/topology/grid_fabric.h"
#include "sim/topology/node_routes.h"
#include "sim/topology/reporter.h"

namespace brigade {
namespace {

// Whether they are small enough to be counted.
bool check_counts(const NodeType& t, const Reporter& r) {
  bool sound = r.range("gpus", t.gpus, 0, kGpusPerNodeMax);
  sound &= r.range("nics", t.nics, 0, NodeRoutes::kTableDevicesMax);
  sound &= r.range("pcie switches", t.pcie_switches, 0, kPcieSwitchesMax);
  sound &= r.range("sockets", t.sockets, 1, kSocketsMax);
  sound &=
      r.range("nvlink switches", t.nvswitches, t.family == NodeFamily::kSwitched ? 1 : 0, kNvswitchesMax);
  if (!sound) return false;

  if (t.gpus == 0 && t.family != NodeFamily::kNone) r.error("nvlink needs gpus, and there are none");
  if (t.family == NodeFamily::kHybridCubeMesh && t.gpus != 8) {
    r.error("the hybrid cube mesh joins 8 gpus, not ", t.gpus);
  }
  const bool table = t.gpus > 0 && (needs_route_table(t) || t.family == NodeFamily::kFullMesh);
  if (table && t.gpus > NodeRoutes::kTableDevicesMax) {
    r.error("gpus is ", t.gpus, "; allowed: up to ", NodeRoutes::kTableDevicesMax,
            " (more only on NVLink switches alone, without nics, host or pcie)");
  }
  return true;
}

void check_shares(const NodeType& t, const Reporter& r) {
  const int switches = t.pcie_switches;
  if (switches <= 0) {
    if (t.sockets > 1) r.error(t.sockets, " sockets need pcie switches to divide among them");
    return;
  }
  if (t.gpus % switches != 0) r.error(t.gpus, " gpus do not divide by ", switches, " pcie switches");
  if (t.nics % switches != 0) r.error(t.nics, " nics do not divide by ", switches, " pcie switches");
  if (t.sockets > 0 && switches % t.sockets != 0) {
    r.error(switches, " pcie switches do not divide by ", t.sockets, " sockets");
  }
}

// Whether each type can be counted.
std::vector<bool> check_types(const ClusterSpec& spec, Diagnostics& errors) {
  std::set<std::string> names;
  std::vector<bool> countable;
  for (const NodeType& t : spec.types) {
    const Reporter r{t.at, absl::StrCat("node type \"", t.name, "\""), errors};
    if (!names.insert(t.name).second) r.error("the name is taken");
    countable.push_back(check_counts(t, r));
    check_shares(t, r);
    if (t.family != NodeFamily::kNone) check_cable(t.nvlink, r.what + ": nvlink", t.at, errors);
    if (t.pcie_switches > 0 || (t.host && t.nics == 0)) check_cable(t.pcie, r.what + ": pcie", t.at, errors);
    if (t.sockets > 1) check_cable(t.socket_link, r.what + ": socket link", t.at, errors);
    if (t.nics > 0) check_cable(t.nic_host, r.what + ": nic host cable", t.at, errors);
    if (t.nics > 0) check_cable(t.nic_port, r.what + ": nic port cable", t.at, errors);
  }
  return countable;
}

int64_t cables_of(const NodeType& t) {
  const int64_t gpus = t.gpus;
  int64_t nvlinks = gpus;
  if (t.family == NodeFamily::kSwitched) nvlinks = gpus * t.nvswitches;
  if (t.family == NodeFamily::kFullMesh) nvlinks = gpus * (gpus - 1) / 2;
  return nvlinks + gpus + 3 * int64_t{t.nics} + t.pcie_switches + int64_t{t.sockets} * t.sockets;
}

void check_groups(const ClusterSpec& spec, const std::vector<bool>& countable, Diagnostics& errors) {
  std::vector<std::string> names;
  for (const NodeType& t : spec.types) names.push_back(t.name);
  int64_t vertices = 0, cables = 0, nics = 0;
  bool all_known = true;
  for (const NodeGroup& g : spec.nodes) {
    const Reporter r{g.at, absl::StrCat("nodes of type \"", g.type, "\""), errors};
    const bool sound = r.range("count", g.count, 1, kVerticesMax);
    const auto type = std::find(names.begin(), names.end(), g.type);
    all_known &= sound && type != names.end();
    if (type == names.end()) {
      errors.error(g.at, absl::StrCat("unknown node type \"", g.type, "\"", suggestion(g.type, names)));
    } else if (sound) {
      const auto number = static_cast<size_t>(type - names.begin());
      const NodeType& t = spec.types[number];
      // Beyond the limits the exact number does not matter, and may not fit.
      all_known &= countable[number];
      if (!countable[number] || vertices > kVerticesMax || cables > kCablesInAllMax) continue;
      vertices += int64_t{g.count} * (t.gpus + t.nvswitches + t.pcie_switches + t.sockets + t.nics);
      cables += int64_t{g.count} * cables_of(t);
      nics += int64_t{g.count} * t.nics;
    }
  }
  const Reporter cluster{spec.at, "cluster", errors};
  if (vertices > kVerticesMax) {
    cluster.error("about ", vertices, " devices, switches and nics; allowed: ", kVerticesMax);
  }
  if (cables > kCablesInAllMax) cluster.error("about ", cables, " cables; allowed: ", kCablesInAllMax);
  if (!spec.nodes.empty() && all_known && spec.fabric.family != FabricFamily::kNone && nics == 0 &&
      !is_grid(spec.fabric.family)) {
    errors.error(spec.fabric.at, "a fabric needs nodes with nics, and none has any");
  }
  if (spec.nodes.empty() && spec.vertices.empty())
    errors.error(spec.at, "the cluster has no nodes and no vertices");
}

}  // namespace

void check_cable(const CableSpec& c, const std::string& what, const Place& otherwise, Diagnostics& errors) {
  constexpr int kCostMax = 1'000'000;
  constexpr int64_t kBandwidthMax = int64_t{1} << 60;
  const Reporter r{c.at.file.empty() ? otherwise : c.at, what, errors};
  r.range("cables", c.cables, 1, kCablesMax);
  if (c.cost) r.range("cost", *c.cost, 1, kCostMax);
  if (c.latency < Duration{}) r.error("negative latency");
  if (c.bandwidth.bytes_per_s().count > kBandwidthMax / std::max(1, c.cables)) {
    r.error("cables times bandwidth is beyond 2^60 B/s");
  }
}

void check_spec(const ClusterSpec& spec, Diagnostics& errors) {
  const std::vector<bool> countable = check_types(spec, errors);
  check_groups(spec, countable, errors);
  check_fabric(spec.fabric, errors);
  for (const WrittenCable& w : spec.cables) {
    check_cable(w.cable, absl::StrCat("cable ", w.a, " - ", w.b), w.cable.at, errors);
  }
}

}  // namespace brigade
