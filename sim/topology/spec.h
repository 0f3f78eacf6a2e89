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

enum class FabricFamily { kNone, kSwitch, kLeafSpine, kRailOptimised };

// kSwitch: every NIC on one switch. kLeafSpine: `nodes_per_leaf` nodes share a leaf; the spines carry the
// leaf's down bandwidth / oversubscription in all. kRailOptimised: NIC i of each node of a pod of
// `nodes_per_leaf` nodes on rail leaf i; spines join the leaves.
struct FabricSpec {
  FabricFamily family = FabricFamily::kNone;
  int nodes_per_leaf = 0;           // 0: all nodes
  int spines = 1;                   // 0 (rail-optimised, one pod only): rails are not joined
  double oversubscription = 1;      // down bandwidth of a leaf / its up bandwidth
  std::optional<CableSpec> uplink;  // leaf to spine; without it: down bandwidth / oversubscription / spines
  Duration uplink_latency{};        // where `uplink` is not given
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

struct ClusterSpec {
  std::string name;
  std::vector<NodeType> types;
  std::vector<NodeGroup> nodes;
  FabricSpec fabric;
  std::map<std::string, DeviceModel> models;  // for written-out vertices
  std::vector<VertexSpec> vertices;
  std::vector<WrittenCable> cables;
  Place at;
};

// From the start of the run: a slow or dead link (timed ones act in the network).
struct LinkChange {
  std::string links;                      // selector; of a vertex: all links that touch it
  std::optional<double> bandwidth_share;  // 0.25: slows to 25 %
  bool down = false;
  Place at;
};

}  // namespace brigade
