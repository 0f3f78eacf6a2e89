// Clusters that several tests build, and a slow judge of routes.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/topology/topology.h"

namespace brigade::testing {

CableSpec cable(int64_t gb_per_s, int64_t latency_ns, int cables = 1);

// NVLink family with `nics` NICs, all cables different enough to be told apart.
NodeType node_type(NodeFamily family, int gpus, int nics);
// The same under `switches` PCIe switches and `sockets` hosts.
NodeType pcie_node_type(NodeFamily family, int gpus, int nics, int switches, int sockets);

FabricSpec one_switch();
FabricSpec leaf_spine(int nodes_per_leaf, int spines);
FabricSpec rail_optimised(int nodes_per_leaf, int spines);
FabricSpec three_tiers(FabricSpec two_tiers, int group_size, int cores);
FabricSpec by_rail(FabricSpec rails);
// With a cable of 100 GB/s and 400 ns between neighbours.
FabricSpec grid(FabricFamily family, std::vector<int> sides = {});
FabricSpec dragonfly(int nodes_per_router, int routers, int global_links);
FabricSpec fat_tree(int ports, int tiers);
FabricSpec xgft(std::vector<int> down, std::vector<int> up);

ClusterSpec cluster(const std::vector<std::pair<NodeType, int>>& nodes, const FabricSpec& fabric);

// Fails the test with the diagnostics if it does not build.
std::unique_ptr<const Topology> build(const ClusterSpec& spec, const std::vector<LinkChange>& changes = {});
// The messages of a build that must fail, joined by newlines.
std::string errors_of(const ClusterSpec& spec, const std::vector<LinkChange>& changes = {});

std::vector<VertexId> endpoints(const Topology& t);
VertexId vertex(const Topology& t, const std::string& name);
std::vector<LinkId> route(const Topology& t, const Router& r, VertexId from, VertexId to, uint64_t flow);

// Least cost by Boost's Dijkstra over what a route may use: for devices of one node that node alone, if this
// joins them; else both nodes and everything outside nodes. -1 if there is none.
int64_t least_cost(const Topology& t, VertexId from, VertexId to);

// Empty, or what is wrong with the route: a gap, a dead link, a device that does not forward, a third node, a
// cost that is not the least, more links than hops_max().
std::string fault_of_route(const Topology& t, const Router& r, VertexId from, VertexId to, uint64_t flow);

}  // namespace brigade::testing
