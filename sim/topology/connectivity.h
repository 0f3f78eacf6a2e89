// Whether all devices are in one piece.
#pragma once
#include <span>
#include <vector>

#include "sim/topology/topology.h"

namespace brigade {

// One device of each connected piece that has devices, in id order. Dead links count as cables.
std::vector<VertexId> one_device_a_piece(std::span<const Vertex> vertices, std::span<const Link> links);

}  // namespace brigade
