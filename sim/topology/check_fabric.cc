// Covered by tests/topology/errors.cc.
#include "sim/topology/check_fabric.h"

#include <algorithm>
#include <cmath>

#include "sim/topology/check_spec.h"
#include "sim/topology/dragonfly_fabric.h"
#include "sim/topology/grid_fabric.h"
#include "sim/topology/reporter.h"
#include "sim/topology/tree_fabric.h"

namespace brigade {
namespace {

constexpr int kSidesMax = 24;
// With the links at both ends still a route that a message can carry.
constexpr int kGridHopsMax = 200;

void check_share(const char* name, double value, const Reporter& r) {
  if (std::isfinite(value) && value > 0) return;
  r.error(name, " is ", value, "; it must be above 0 (1 for full bandwidth)");
}

void check_uplinks(const FabricSpec& f, const Reporter& r) {
  check_share("oversubscription", f.oversubscription, r);
  check_share("core_oversubscription", f.core_oversubscription, r);
  if (f.uplink && f.oversubscription != 1) r.error("give uplink or oversubscription, not both");
  if (f.core_uplink && f.core_oversubscription != 1) {
    r.error("give core_uplink or core_oversubscription, not both");
  }
  if (f.uplink) check_cable(*f.uplink, "fabric: uplink", f.at, r.errors);
  if (f.core_uplink) check_cable(*f.core_uplink, "fabric: core_uplink", f.at, r.errors);
  if (f.link) check_cable(*f.link, "fabric: link", f.at, r.errors);
  if (f.global_link) check_cable(*f.global_link, "fabric: global_link", f.at, r.errors);
}

void check_groups(const FabricSpec& f, const Reporter& r) {
  r.range("group_size", f.group_size, 0, kVerticesMax);
  const int least = f.family == FabricFamily::kLeafSpine || f.cores > 0 ? 1 : 0;
  bool sound = r.range("spines", f.spines, least, kSpinesMax);
  sound &= r.range("cores", f.cores, 0, kVerticesMax);
  if (sound && f.cores > 0 && f.cores % f.spines != 0) {
    r.error(f.cores, " cores do not divide by ", f.spines,
            " spines: each spine of a group has cores of its own");
  }
  if (f.group_by_rail && f.family != FabricFamily::kRailOptimised) {
    r.error("group_by_rail needs rails: family rail_optimised");
  }
}

void check_fat_tree(const FabricSpec& f, const Reporter& r) {
  if (f.nodes_per_leaf != 0)
    r.error("nodes_per_leaf has no place in a fat tree: NICs fill the ports of a leaf");
  if (f.spines != 1) r.error("spines has no place in a fat tree: its ports say how many there are");
  if (f.ports != 0) {
    r.range("tiers", f.tiers, 2, 3);
    if (r.range("ports", f.ports, 2, kPortsMax) && f.ports % 2 != 0) {
      r.error(f.ports, " ports do not divide into as many down as up");
    }
    if (!f.down.empty() || !f.up.empty()) r.error("give ports, or down and up, not both");
    return;
  }
  if (f.down.size() != f.up.size() || f.down.size() < 2 || f.down.size() > 3) {
    return r.error("needs ports, or down and up with one number a tier, for two or three tiers; given: ",
                   f.down.size(), " down, ", f.up.size(), " up");
  }
  for (const int ports : f.down) r.range("down", ports, 1, kSpinesMax);
  for (const int ports : f.up) r.range("up", ports, 1, kSpinesMax);
  if (f.up[0] != 1) r.error("up starts with ", f.up[0], "; allowed: 1, a NIC has one port");
}

void check_grid(const FabricSpec& f, const Reporter& r) {
  if (!f.link) r.error("needs the cable between neighbours: link");
  if (f.family == FabricFamily::kTorus && f.sides.empty()) r.error("a torus needs the lengths of its sides");
  if (!f.sides.empty() && f.family != FabricFamily::kTorus && f.family != FabricFamily::kFullMesh) {
    r.error("sides follow from the nodes here; only torus and full_mesh take them");
  }
  r.range("sides", static_cast<int64_t>(f.sides.size()), 0, kSidesMax);
  for (const int length : f.sides) r.range("side", length, 1, kVerticesMax);
}

void check_dragonfly(const FabricSpec& f, const Reporter& r) {
  if (!f.link) r.error("needs the cable between the routers of a group: link");
  if (!f.global_link) r.error("needs the cable between groups: global_link");
  r.range("routers", f.routers, 1, kPortsMax);
  r.range("global_links", f.global_links, 1, kPortsMax);
  if (!f.link || !f.global_link) return;
  const uint32_t local = cost_of(*f.link, kCostDefault), global = cost_of(*f.global_link, kCostGlobalDefault);
  if (global < 2 * local) {
    r.error("a global link costs ", global, " and a local one ", local,
            "; allowed: at least twice as much, or ways through a third group would be as cheap");
  }
}

void check_grid_size(const FabricSpec& f, const std::vector<NodePorts>& nodes, const Reporter& r) {
  const uint32_t points = points_for(f, static_cast<uint32_t>(nodes.size()));
  int64_t room = 1, hops = 0;
  const std::vector<int> sides = grid_sides(f, static_cast<uint32_t>(nodes.size()));
  for (const int length : sides) {
    room = std::min(room * length, kVerticesMax + 1);
    hops += f.family == FabricFamily::kFullMesh ? 1 : length / 2;
  }
  const bool direct = std::all_of(nodes.begin(), nodes.end(), [](const NodePorts& n) { return n.nics == 0; });
  if (f.family == FabricFamily::kHypercube && room != points) {
    r.error(points, " points are no hypercube; allowed: a power of two");
  } else if (points > room || (direct && points != room)) {
    r.error("its sides make ", room, " points, and the nodes need ", points);
  }
  if (hops > kGridHopsMax) r.error("ways of up to ", hops, " links; allowed: ", kGridHopsMax);
  if (!direct) return;
  if (f.nodes_per_leaf > 1)
    r.error("nodes without NICs stand at a point each: nodes_per_leaf is ", f.nodes_per_leaf);
  const bool single =
      std::all_of(nodes.begin(), nodes.end(), [](const NodePorts& n) { return n.vertices == 1; });
  if (!single) r.error("joins NICs, or nodes that are a single device; these have neither");
}

void check_dragonfly_size(const FabricSpec& f, const std::vector<NodePorts>& nodes, const Reporter& r) {
  const int64_t groups = dragonfly_groups(f, static_cast<uint32_t>(nodes.size()));
  const int64_t ports = int64_t{f.routers} * f.global_links;
  if (groups - 1 > ports) {
    r.error(groups, " groups, and ", f.routers, " routers of ", f.global_links, " global links reach ", ports,
            " other ones");
  }
}

}  // namespace

void check_fabric(const FabricSpec& f, Diagnostics& errors) {
  if (f.family == FabricFamily::kNone) return;
  const Reporter r{f.at, "fabric", errors};
  r.range("nodes_per_leaf", f.nodes_per_leaf, 0, kVerticesMax);
  if (f.pxn && f.family != FabricFamily::kRailOptimised) r.error("pxn needs rails: family rail_optimised");
  switch (f.family) {
    case FabricFamily::kNone:
    case FabricFamily::kSwitch:
      return;
    case FabricFamily::kLeafSpine:
    case FabricFamily::kRailOptimised:
      check_groups(f, r);
      break;
    case FabricFamily::kFatTree:
      check_fat_tree(f, r);
      break;
    case FabricFamily::kTorus:
    case FabricFamily::kHypercube:
    case FabricFamily::kRing:
    case FabricFamily::kFullMesh:
      check_grid(f, r);
      break;
    case FabricFamily::kDragonfly:
      check_dragonfly(f, r);
      break;
  }
  check_uplinks(f, r);
}

void check_fabric_size(const FabricSpec& f, const std::vector<NodePorts>& nodes, Diagnostics& errors) {
  const Reporter r{f.at, "fabric", errors};
  if (is_grid(f.family)) return check_grid_size(f, nodes, r);
  if (f.family == FabricFamily::kDragonfly) return check_dragonfly_size(f, nodes, r);
  if (f.family != FabricFamily::kFatTree) return;
  const FatTreeShape shape = fat_tree_shape(f);
  const int64_t room = int64_t{shape.leaf_down} * shape.spine_down * shape.groups_max;
  int64_t asked = 0;
  for (const NodePorts& node : nodes) asked += node.nics;
  if (asked > room) r.error(asked, " NICs, and the fat tree has ports for ", room);
}

}  // namespace brigade
