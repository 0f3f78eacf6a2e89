// Names for the small integers that index our arrays. All dense from 0.
#pragma once
#include <cstdint>

namespace brigade {

using Rank = uint32_t;      // position in a communicator
using Round = uint32_t;     // step of an algorithm on one rank
using VertexId = uint32_t;  // vertex of the topology: device, switch, NIC
using LinkId = uint32_t;    // one direction of one cable
using JobId = uint16_t;     // job of a scenario, in file order

constexpr uint32_t kNone = UINT32_MAX;  // no rank, vertex or link

}  // namespace brigade
