// Routes of a cluster built from families, by arithmetic: inside a node by its type's NodeRoutes; between
// nodes device -> NIC -> fabric -> NIC -> device. Every link id is computed from base offsets; nothing
// allocates.
//
// Devices of one node keep inside it if they can. Otherwise the least total cost decides: the NICs nearest to
// each device and the switches between them, or other NICs whose switches are nearer, whichever is cheaper in
// all (in a rail-optimised pod a common rail; the fewer switches on a tie).
//
// PXN (NCCL 2.12, "PCI x NVLink"), on request: a GPU that is not on the receiver's rail sends through NVLink
// to the GPU of its node that is, and by that one's NIC, where this saves switches (or is the only way). Left
// out: that GPU's memory as a stop on the way.
#pragma once
#include <memory>
#include <vector>

#include "sim/topology/fabric.h"
#include "sim/topology/node_routes.h"
#include "sim/topology/topology.h"

namespace brigade {

class ClusterRouter : public Router {
 public:
  struct Node {
    VertexId vertex0 = 0;
    LinkId link0 = 0;  // the links inside the node, then one cable per NIC to the fabric
    uint32_t type = 0;
    uint32_t port0 = 0;  // Fabric::port0_of
  };
  // `node_of` has an entry for every vertex inside nodes; `fabric` may be null; `fabric_link0` is its first
  // link between switches.
  ClusterRouter(std::vector<NodeRoutes> types, std::vector<Node> nodes, std::vector<uint32_t> node_of,
                std::unique_ptr<const Fabric> fabric, LinkId fabric_link0, bool pxn);

  int route(VertexId from, VertexId to, uint64_t flow, LinkId* out) const override;
  int hops_max() const override { return hops_max_; }

 private:
  struct Nics {
    uint32_t from = kNone, to = kNone;
  };
  Nics nearest_nics(const Node& a, uint32_t device_a, const Node& b, uint32_t device_b, uint64_t flow) const;
  Nics choose_nics(const Node& a, uint32_t device_a, const Node& b, uint32_t device_b, uint64_t flow) const;
  // Of all pairs of NICs; those with the least cost between switches first, `flow` among the rest.
  Nics cheapest_nics(const Node& a, uint32_t device_a, const Node& b, uint32_t device_b, uint64_t flow) const;

  // From NIC to NIC, both ports included.
  int route_between(const Node& a, const Node& b, Nics nics, uint64_t flow, LinkId* out) const;
  // By PXN; -1 where it does not help.
  int route_by_peer(const Node& a, uint32_t device_a, const Node& b, uint32_t device_b, uint64_t flow,
                    LinkId* out) const;

  std::vector<NodeRoutes> types_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> node_of_;
  std::unique_ptr<const Fabric> fabric_;
  LinkId fabric_link0_;
  bool pxn_;
  int hops_max_ = 0;
};

}  // namespace brigade
