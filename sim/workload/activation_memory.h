// The rows of memory_model.h that depend on the batch: activations and logits, by the formulas given there.
#pragma once
#include "sim/workload/memory_model.h"

namespace brigade {

MemoryRow activation_row(const MemoryRequest& request);
MemoryRow logits_row(const MemoryRequest& request);
// Both, in floating point: at least as much, and never overflowing.
double rough_activations(const MemoryRequest& request);

// Of one layer: kept from its forward, and held only from its recomputation to the end of its backward. The
// request needs a shape, as for the next.
struct LayerActivations {
  Bytes kept{}, recomputed{};
};
LayerActivations layer_activations(const MemoryRequest& request);
// Kept beside the layers.
Bytes other_activations(const MemoryRequest& request);

}  // namespace brigade
