// The keys of cables, and of the fabric that joins nodes.
#pragma once
#include "sim/scenario/fields.h"
#include "sim/topology/spec.h"

namespace brigade {

// Beyond these a cluster is a slip of the pen: its arrays alone would fill the memory.
constexpr int kCountMax = 1 << 20;
constexpr int kPerNodeMax = 1024;

void read_cable(Fields& in, CableSpec& out);
void read_fabric(Fields& in, FabricSpec& out);

}  // namespace brigade
