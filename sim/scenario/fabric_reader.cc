#include "sim/scenario/fabric_reader.h"

#include "sim/topology/grid_fabric.h"

namespace brigade {
namespace {

// Whether it was there.
bool read_cable_at(Fields& in, const char* key, const char* meaning, std::optional<CableSpec>& out) {
  CableSpec cable;
  const bool given =
      in.map(key, Need::kOptional, meaning, [&](Fields& fields) { read_cable(fields, cable); });
  if (given) out = cable;
  return given;
}

void read_third_tier(Fields& in, FabricSpec& out) {
  std::optional<int> group_size, cores;
  in.optional(
      "group_size", whole<int>(0, kCountMax), group_size,
      "leaves, or pods of rails, that share spines, where there are several groups; all without, or 0");
  in.optional("cores", whole<int>(0, kCountMax), cores,
              "switches that join the groups, a third tier: a multiple of spines; two tiers without, or 0");
  out.group_size = group_size.value_or(0);
  out.cores = cores.value_or(0);
}

void read_grid(Fields& in, FabricSpec& out) {
  in.list("sides", Need::kOptional, whole<int>(1, kCountMax), out.sides,
          "points along each side of a torus or full_mesh; without it a full_mesh has one");
}

void read_dragonfly(Fields& in, FabricSpec& out) {
  in.required("routers", whole<int>(1, kPerNodeMax), out.routers, "switches of a group, in a full mesh");
  in.defaulted("global_links", whole<int>(1, kPerNodeMax), out.global_links,
               "cables of each switch to other groups");
  read_cable_at(in, "global_link", "cable between groups; costs 2 where it names no cost", out.global_link);
}

void read_fat_tree(Fields& in, FabricSpec& out) {
  in.defaulted("ports", whole<int>(0, kPerNodeMax), out.ports,
               "of every switch, half of them down; 0: down and up say it");
  in.defaulted("tiers", whole<int>(2, 3), out.tiers, "with ports");
  in.list("down", Need::kOptional, whole<int>(1, kCountMax), out.down,
          "ports down of leaf, spine, core: NICs of a leaf, leaves of a group, groups");
  in.list("up", Need::kOptional, whole<int>(1, kCountMax), out.up,
          "ports up of NIC (1), leaf, spine: 1, spines of a group, cores of a spine");
}

// What `family` has besides the keys of all.
void read_family(Fields& in, FabricSpec& out) {
  using F = FabricFamily;
  const F f = out.family;
  const bool leaves = f == F::kLeafSpine || f == F::kRailOptimised, tree = f == F::kFatTree;
  in.when("family: leaf_spine or rail_optimised", leaves, [&] { read_third_tier(in, out); });
  in.when("family: rail_optimised", f == F::kRailOptimised, [&] {
    std::optional<bool> by_rail, pxn;
    in.optional("group_by_rail", flag(), by_rail,
                "spines join the leaves of one rail only, and cores the rails");
    in.optional("pxn", flag(), pxn,
                "through NVLink to the GPU of the receiver's rail, where that saves switches");
    out.group_by_rail = by_rail.value_or(false);
    out.pxn = pxn.value_or(false);
  });
  in.when("family: fat_tree", tree, [&] { read_fat_tree(in, out); });
  in.when("family: leaf_spine, rail_optimised or fat_tree", leaves || tree, [&] {
    std::optional<double> share;
    if (in.optional("core_oversubscription", number(0.001), share,
                    "bandwidth down from a spine / bandwidth up; 1 without"))
      out.core_oversubscription = *share;
    read_cable_at(in, "core_uplink", "cable from spine to core, instead of core_oversubscription",
                  out.core_uplink);
  });
  in.when("family: torus or full_mesh", f == F::kTorus || f == F::kFullMesh, [&] { read_grid(in, out); });
  in.when("family: dragonfly", f == F::kDragonfly, [&] { read_dragonfly(in, out); });
  in.when("family: torus, hypercube, ring, full_mesh or dragonfly", is_grid(f) || f == F::kDragonfly,
          [&] { read_cable_at(in, "link", "cable between neighbours, or switches of one group", out.link); });
}

}  // namespace

void read_cable(Fields& in, CableSpec& out) {
  out.at = in.place();
  in.required("bandwidth", bandwidth(), out.bandwidth, "of each direction");
  in.required("latency", duration(), out.latency, "of each direction");
  in.defaulted("cables", whole<int>(1, kPerNodeMax), out.cables, "parallel cables that act as one link");
  in.optional(
      "cost", whole<int>(1, kPerNodeMax), out.cost,
      "what a route pays for crossing it; without it 2 for the PCIe of a node type and 1 for all else");
}

void read_fabric(Fields& in, FabricSpec& out) {
  using F = FabricFamily;
  out.at = in.place();
  in.required("family",
              choice<F>({{"switch", F::kSwitch},
                         {"leaf_spine", F::kLeafSpine},
                         {"rail_optimised", F::kRailOptimised},
                         {"fat_tree", F::kFatTree},
                         {"torus", F::kTorus},
                         {"hypercube", F::kHypercube},
                         {"ring", F::kRing},
                         {"full_mesh", F::kFullMesh},
                         {"dragonfly", F::kDragonfly}}),
              out.family, "how switches join the NICs");
  in.defaulted("nodes_per_leaf", whole<int>(0, kCountMax), out.nodes_per_leaf,
               "nodes that share a leaf, or a pod of rails; 0: all, or one in grids and dragonflies");
  in.defaulted("spines", whole<int>(0, kCountMax), out.spines,
               "spine switches (of each group); 0: rails are not joined");
  in.defaulted("oversubscription", number(0.001), out.oversubscription,
               "bandwidth down from a leaf / bandwidth up");
  read_cable_at(in, "uplink", "cable from leaf to spine, instead of oversubscription", out.uplink);
  in.defaulted("uplink_latency", duration(), out.uplink_latency,
               "latency from leaf to spine and spine to core, where their cable is not given");
  read_family(in, out);
}

}  // namespace brigade
