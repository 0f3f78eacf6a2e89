// What a cluster is made of, before it is built: plain data that `scenario` fills from YAML and `build` turns
// into a frozen Topology. No YAML here; every part carries the place it was read from, for errors.
//
// Words: a node is a server (GPUs, NVLink switches, PCIe switches, NICs, a host); a fabric joins the NICs. A
// cable is two directed links. Bandwidths are per direction; NIC bandwidths are the wire's (400 Gb/s = 50
// GB/s).
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/bandwidth.h"
#include "sim/base/bytes.h"
#include "sim/base/diagnostic.h"
#include "sim/base/time.h"

namespace brigade {

// One kind of accelerator (or host): what compute needs to know of it.
struct DeviceModel {
  std::string name;                               // "H100 SXM5 80GB"
  std::map<std::string, double> peak_flop_per_s;  // by dtype: fp32 tf32 bf16 fp16 fp8 ...; dense rates
  std::optional<Bytes> memory;
  std::optional<Bandwidth> memory_bandwidth;
  Place at;
};

// A kind of cable: each direction has this bandwidth and latency.
struct CableSpec {
  Bandwidth bandwidth = Bandwidth::gb_per_s(1);
  Duration latency{};
  int cables = 1;           // parallel cables that act as one link of `cables` times the bandwidth
  std::optional<int> cost;  // what a route pays for crossing it; without it 2 for PCIe (pcie, socket_link,
                            // nic_host), so that NVLink wins, and 1 for all else
  Place at;
};

enum class NodeFamily { kNone, kSwitched, kFullMesh, kRing, kHybridCubeMesh };

struct NodeType {
  std::string name;
  int gpus = 0;
  DeviceModel gpu;
  // NVLink among the GPUs. kSwitched: `nvlink` is the cable from each GPU to each of `nvswitches` switches.
  // kFullMesh, kRing: the cable of each GPU pair or of each pair of neighbours. kHybridCubeMesh: DGX-1's
  // eight GPUs, `nvlink` a single link, pairs with two links get `cables: 2`.
  NodeFamily family = NodeFamily::kNone;
  CableSpec nvlink;
  int nvswitches = 1;
  // PCIe: GPUs and NICs in equal, contiguous shares under `pcie_switches`; switches join at one host each
  // `pcie_switches / sockets`; hosts are joined in a full mesh by `socket_link`. 0: no PCIe tree.
  int pcie_switches = 0;
  CableSpec pcie;  // GPU or NIC to PCIe switch, and PCIe switch to host
  int sockets = 1;
  CableSpec socket_link;  // between hosts of one node
  // NICs. Without PCIe switches, GPU g is cabled by `nic_host` to NIC g * nics / gpus (several GPUs may share
  // a NIC, and a GPU may own several: then NIC n belongs to GPU n * gpus / nics). A node without GPUs cables
  // its host to each NIC.
  int nics = 0;
  CableSpec nic_host;  // GPU (or host) to NIC
  CableSpec nic_port;  // NIC to its fabric switch
  // Of equally near NICs a GPU uses only its own: NICs are shared out as without PCIe switches. Else all of
  // them.
  bool own_nics = false;
  // A CPU endpoint `host[0]` (a parameter server's place) even without PCIe switches; it is then cabled to
  // each NIC by `nic_host`, or where there are none to each GPU by `pcie`. Nodes without GPUs always have it.
  bool host = false;
  DeviceModel host_model;
  bool forward = false;  // GPUs may relay for others
  Place at;
};

struct NodeGroup {
  std::string type;
  int count = 1;
  Place at;
};

enum class FabricFamily {
  kNone,
  kSwitch,
  kLeafSpine,
  kRailOptimised,
  kFatTree,
  kTorus,
  kHypercube,
  kRing,
  kFullMesh,
  kDragonfly
};

// kSwitch: every NIC on one switch. kLeafSpine: `nodes_per_leaf` nodes share a leaf; the spines carry the
// leaf's down bandwidth / oversubscription in all. kRailOptimised: NIC i of each node of a pod of
// `nodes_per_leaf` nodes on rail leaf i; spines join the leaves. Both have a third tier where `cores` > 0:
// `group_size` leaves (or pods) share `spines` spines, and cores join spines of equal number.
// kFatTree: switches of `ports` ports in two or three `tiers` (k-ary), or ports `down` and `up` of each tier,
// NICs first (XGFT); NICs fill leaves one after another; only leaves that have NICs are built.
// kTorus, kHypercube, kRing, kFullMesh: a switch of `nodes_per_leaf` nodes at each point, joined by `link`;
// where nodes are a single device without NICs, the devices themselves are the points, and relay. kDragonfly:
// groups of `routers` switches in a full mesh, see dragonfly_fabric.h.
struct FabricSpec {
  FabricFamily family = FabricFamily::kNone;
  int nodes_per_leaf = 0;            // 0: all nodes
  int spines = 1;                    // of each group; 0 (rail-optimised, one pod only): rails are not joined
  int group_size = 0;                // leaves, or pods of rails, that share spines; 0: all
  bool group_by_rail = false;        // rail-optimised: spines join the leaves of one rail only
  int cores = 0;                     // a multiple of `spines`; 0: two tiers
  double oversubscription = 1;       // down bandwidth of a leaf / its up bandwidth
  std::optional<CableSpec> uplink;   // leaf to spine; without it: down bandwidth / oversubscription / spines
  Duration uplink_latency{};         // where `uplink` or `core_uplink` is not given
  double core_oversubscription = 1;  // down bandwidth of a spine / its up bandwidth
  std::optional<CableSpec> core_uplink;  // spine to core
  int ports = 0;                         // kFatTree: of each switch; 0: `down` and `up` say it
  int tiers = 3;                         // with `ports`
  std::vector<int> down, up;             // of leaf, spine, core; up[0] is the NIC's, 1
  std::optional<CableSpec> link;         // between neighbours of a grid, routers of a dragonfly's group
  std::vector<int> sides;  // kTorus, kFullMesh: points along each; else they follow from the nodes
  int routers = 0;         // kDragonfly: of a group
  int global_links = 1;    // kDragonfly: of a router, to other groups
  std::optional<CableSpec> global_link;  // kDragonfly: costs 2 where it names no cost
  bool pxn = false;  // rail-optimised: through NVLink to the GPU of the rail that the receiver is on
  Place at;
};

// Written out vertex by vertex, cable by cable. Kinds: gpu host nvswitch pcie nic switch. May stand beside
// families: cables then name their vertices too ("node[0].nic[0]"). The same pair cabled twice has two links
// to choose from.
struct VertexSpec {
  std::string name;  // without spaces, brackets only around numbers; "node[2].gpu[0]" puts it into node 2
  std::string kind;
  std::optional<std::string> model;  // of `models`, for gpu and host
  bool forward = false;
  Place at;
};
struct WrittenCable {
  std::string a, b;
  CableSpec cable;
};

// The way from one device to another, whatever would be cheaper: the vertices between them, in order, each
// pair of neighbours joined by a cable (of several, the flow chooses). Holds while its cables live.
struct WrittenRoute {
  std::string from, to;
  std::vector<std::string> via;
  Place at;
};

struct ClusterSpec {
  std::string name;
  std::vector<NodeType> types;
  std::vector<NodeGroup> nodes;
  FabricSpec fabric;
  std::map<std::string, DeviceModel> models;  // for written-out vertices
  std::vector<VertexSpec> vertices;
  std::vector<WrittenCable> cables;
  std::vector<WrittenRoute> routes;
  Place at;
};

// A slow or dead link, from the start of the run on, or (which acts in the engine) from `begins` to `ends`.
struct LinkChange {
  std::string links;                      // selector; of a vertex: all links that touch it
  std::optional<double> bandwidth_share;  // 0.25: slows to 25 %
  bool down = false;
  Place at;
  Time begins{}, ends = kNever;
  bool timed() const { return begins > Time{} || ends < kNever; }
};

}  // namespace brigade
