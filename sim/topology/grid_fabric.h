// Torus, hypercube, ring and full mesh: switches (or, direct, the nodes' devices themselves) at the points of
// a grid with any number of sides of any length.
//
// Along each side a torus is a ring, of one cable where the side has two points; a full mesh of several sides
// (HyperX: Ahn et al., SC 2009) joins all points that differ in one coordinate. A hypercube is a torus of
// sides of two. Point numbers count the first side fastest. A way corrects one coordinate after another, as
// dimension-ordered routing does; `flow` decides with which it begins, and which way round where both are
// equally long.
#pragma once
#include "sim/topology/fabric.h"

namespace brigade {

class GridFabric : public Fabric {
 public:
  GridFabric(const FabricSpec& spec, const std::vector<uint32_t>& nics);

  int64_t cables() const override;
  void add_cables(VertexId switch0, const Load& load, Graph& graph) const override;
  RouteCost cost(uint32_t from, uint32_t to) const override;
  int route(uint32_t from, uint32_t to, uint64_t flow, LinkId link0, LinkId* out) const override;
  int hops_max() const override;

 private:
  struct Side {
    uint32_t length = 1, stride = 1;
    uint32_t cable0 = 0, cables = 0;  // the first along this side, and how many each line of it has
    uint32_t at(uint32_t point) const { return point / stride % length; }
    // Lines along the side, each with its own cables.
    uint32_t line(uint32_t point) const { return point / (stride * length) * stride + point % stride; }
  };
  int walk(const Side& side, uint32_t from, uint32_t to, uint64_t flow, LinkId link0, LinkId* out) const;
  uint32_t mesh_cable(const Side& side, uint32_t low, uint32_t high) const;
  uint32_t steps(const Side& side, uint32_t from, uint32_t to) const;

  CableSpec link_;
  bool mesh_ = false;
  std::vector<Side> sides_;
  uint32_t points_ = 1;
  uint32_t link_cost_ = kCostDefault;
};

bool is_grid(FabricFamily family);
// Lengths of the sides for so many nodes; those of a hypercube, ring and plain full mesh follow from the
// nodes.
std::vector<int> grid_sides(const FabricSpec& spec, uint32_t nodes);
// Points that so many nodes need.
uint32_t points_for(const FabricSpec& spec, uint32_t nodes);

}  // namespace brigade
