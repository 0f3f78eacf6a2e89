// Covered by tests/topology/closed-form-equals-search.cc and grids.cc.
#include "sim/topology/grid_fabric.h"

#include <algorithm>

#include "sim/topology/choice.h"

namespace brigade {
namespace {

constexpr uint64_t kStageFirstSide = 8, kStageWayRound = 16;

}  // namespace

bool is_grid(FabricFamily family) {
  return family == FabricFamily::kTorus || family == FabricFamily::kHypercube ||
         family == FabricFamily::kRing || family == FabricFamily::kFullMesh;
}

uint32_t points_for(const FabricSpec& spec, uint32_t nodes) {
  const uint32_t nodes_a_point = static_cast<uint32_t>(std::max(1, spec.nodes_per_leaf));
  return (nodes + nodes_a_point - 1) / nodes_a_point;
}

std::vector<int> grid_sides(const FabricSpec& spec, uint32_t nodes) {
  if (!spec.sides.empty()) return spec.sides;
  const uint32_t points = points_for(spec, nodes);
  if (spec.family != FabricFamily::kHypercube) return {static_cast<int>(points)};
  std::vector<int> sides;
  for (uint32_t n = 1; n < points; n *= 2) sides.push_back(2);
  return sides;
}

GridFabric::GridFabric(const FabricSpec& spec, const std::vector<uint32_t>& nics)
    : link_(*spec.link),
      mesh_(spec.family == FabricFamily::kFullMesh),
      link_cost_(cost_of(link_, kCostDefault)) {
  const uint32_t nodes = static_cast<uint32_t>(nics.size());
  for (const int length : grid_sides(spec, nodes)) {
    sides_.push_back({.length = static_cast<uint32_t>(length), .stride = points_});
    points_ *= static_cast<uint32_t>(length);
  }
  uint32_t cable = 0;
  for (Side& side : sides_) {
    const uint32_t n = side.length;
    side.cable0 = cable;
    side.cables = mesh_ || n <= 2 ? n * (n - 1) / 2 : n;
    cable += side.cables * (points_ / n);
  }
  direct_ = std::all_of(nics.begin(), nics.end(), [](uint32_t n) { return n == 0; });
  if (!direct_) tiers_ = {{"switch", points_}};
  const uint32_t nodes_a_point = static_cast<uint32_t>(std::max(1, spec.nodes_per_leaf));
  for (uint32_t n = 0; n < nodes; ++n) port0_.push_back(n / nodes_a_point);
}

int64_t GridFabric::cables() const {
  int64_t cables = 0;
  for (const Side& side : sides_) cables += int64_t{side.cables} * (points_ / side.length);
  return cables;
}

void GridFabric::add_cables(VertexId switch0, const Load&, Graph& graph) const {
  for (const Side& side : sides_) {
    for (uint32_t line = 0; line < points_ / side.length; ++line) {
      const VertexId first = switch0 + line / side.stride * side.stride * side.length + line % side.stride;
      const auto cable = [&](uint32_t a, uint32_t b) {
        graph.cable(first + a * side.stride, first + b * side.stride, link_, kCostDefault);
      };
      if (mesh_) {
        for (uint32_t a = 0; a < side.length; ++a) {
          for (uint32_t b = a + 1; b < side.length; ++b) cable(a, b);
        }
      } else {
        for (uint32_t a = 0; a < side.cables; ++a) cable(a, (a + 1) % side.length);
      }
    }
  }
}

uint32_t GridFabric::steps(const Side& side, uint32_t from, uint32_t to) const {
  const uint32_t a = side.at(from), b = side.at(to);
  const uint32_t apart = a < b ? b - a : a - b;
  return mesh_ ? apart != 0 : std::min(apart, side.length - apart);
}

RouteCost GridFabric::cost(uint32_t from, uint32_t to) const {
  RouteCost cost = 0;
  for (const Side& side : sides_) cost += RouteCost{steps(side, from, to)} * link_cost_;
  return cost;
}

int GridFabric::hops_max() const {
  int hops = 0;
  for (const Side& side : sides_) hops += mesh_ ? side.length > 1 : static_cast<int>(side.length / 2);
  return hops;
}

int GridFabric::route(uint32_t from, uint32_t to, uint64_t flow, LinkId link0, LinkId* out) const {
  int hops = 0;
  const uint32_t sides = static_cast<uint32_t>(sides_.size());
  if (from == to) return 0;
  const uint32_t first = choose(flow, kStageFirstSide, sides);
  for (uint32_t i = 0; i < sides; ++i) {
    const Side& side = sides_[(first + i) % sides];
    if (side.at(from) == side.at(to)) continue;
    hops += walk(side, from, to, flow, link0, out + hops);
    from = from - side.at(from) * side.stride + side.at(to) * side.stride;
  }
  return hops;
}

// Along one side, from the coordinate of `from` to that of `to`, which differ.
int GridFabric::walk(const Side& side, uint32_t from, uint32_t to, uint64_t flow, LinkId link0,
                     LinkId* out) const {
  const LinkId line0 = link0 + 2 * (side.cable0 + side.line(from) * side.cables);
  const uint32_t a = side.at(from), b = side.at(to), n = side.length;
  if (mesh_ || n == 2) {
    out[0] = line0 + 2 * mesh_cable(side, std::min(a, b), std::max(a, b)) + (a > b);
    return 1;
  }
  const uint32_t up = a < b ? b - a : b + n - a;  // steps upwards
  const bool upwards = 2 * up < n || (2 * up == n && choose(flow, kStageWayRound + side.stride, 2) == 0);
  const uint32_t hops = upwards ? up : n - up;
  for (uint32_t i = 0; i < hops; ++i) {
    // Cable c leads from coordinate c up to the next.
    out[i] = upwards ? line0 + 2 * ((a + i) % n) : line0 + 2 * ((a + 2 * n - i - 1) % n) + 1;
  }
  return static_cast<int>(hops);
}

uint32_t GridFabric::mesh_cable(const Side& side, uint32_t low, uint32_t high) const {
  return low * (2 * side.length - low - 1) / 2 + high - low - 1;
}

}  // namespace brigade
