// Routes of a cluster built from families, by arithmetic: inside a node by its type's NodeRoutes; between
// nodes device -> NIC -> fabric -> NIC -> device. Every link id is computed from base offsets; nothing
// allocates.
//
// Devices of one node keep inside it if they can. Otherwise the least total cost decides: the NICs nearest to
// each device and the spines between, or in a rail-optimised pod a common rail, whichever is cheaper (the
// rail on a tie).
#pragma once
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
    uint32_t leaf0 = 0;  // of NIC 0
  };
  // `node_of` has an entry for every vertex inside nodes; `uplink0` is the first leaf-to-spine link.
  ClusterRouter(std::vector<NodeRoutes> types, std::vector<Node> nodes, std::vector<uint32_t> node_of,
                Fabric fabric, LinkId uplink0);

  int route(VertexId from, VertexId to, uint64_t flow, LinkId* out) const override;
  int hops_max() const override { return hops_max_; }

 private:
  struct Nics {
    uint32_t from = kNone, to = kNone;
  };
  Nics choose_nics(const Node& a, uint32_t device_a, const Node& b, uint32_t device_b, uint64_t flow) const;
  // The cheapest NIC number that both devices reach, and what both ways cost.
  uint32_t common_rail(const NodeRoutes& a, uint32_t device_a, const NodeRoutes& b, uint32_t device_b,
                       uint64_t flow, RouteCost* cost) const;

  std::vector<NodeRoutes> types_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> node_of_;
  Fabric fabric_;
  LinkId uplink0_;
  int hops_max_ = 0;
};

}  // namespace brigade
