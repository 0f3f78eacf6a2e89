// Dragonfly (Kim, Dally, Scott, Abts; ISCA 2008): groups of `routers` switches in a full mesh, each with
// `nodes_per_leaf` nodes and `global_links` cables to other groups.
//
// There are as many groups as the nodes need, and every two are joined by the same number of global cables,
// routers x global_links / (groups - 1) rounded down; ports left over stay empty. Port t (groups - 1) + j of
// a group leads to its j-th other group (the absolute arrangement), and belongs to router port /
// global_links. Ways are minimal: at most one local link, one global, one local. For that a global link must
// cost at least as much as two local ones (2 and 1 by default), else a way through a third group could be as
// cheap. Left out: Valiant's detours.
#pragma once
#include "sim/topology/fabric.h"

namespace brigade {

class DragonflyFabric : public Fabric {
 public:
  DragonflyFabric(const FabricSpec& spec, const std::vector<uint32_t>& nics);

  int64_t cables() const override;
  void add_cables(VertexId switch0, const Load& load, Graph& graph) const override;
  RouteCost cost(uint32_t from, uint32_t to) const override;
  int route(uint32_t from, uint32_t to, uint64_t flow, LinkId link0, LinkId* out) const override;
  int hops_max() const override;

 private:
  // The t-th cable between two groups: the routers at its ends, and what a way over it costs.
  struct Way {
    uint32_t exit = 0, entry = 0;
    RouteCost cost = 0;
  };
  uint32_t router_to(uint32_t group, uint32_t other, uint32_t t) const;
  Way way(uint32_t from, uint32_t to, uint32_t t) const;
  LinkId local_link(uint32_t from, uint32_t to) const;
  LinkId global_link(uint32_t from_group, uint32_t to_group, uint32_t t) const;

  CableSpec local_, global_;
  uint32_t routers_ = 1, ports_ = 1, groups_ = 1;  // ports: global ones of a router
  uint32_t cables_a_pair_ = 0;
  uint32_t local_cost_ = kCostDefault, global_cost_ = 2 * kCostDefault;
};

uint32_t dragonfly_groups(const FabricSpec& spec, uint32_t nodes);
// What a global link costs where its spec names no cost.
constexpr uint32_t kCostGlobalDefault = 2 * kCostDefault;

}  // namespace brigade
