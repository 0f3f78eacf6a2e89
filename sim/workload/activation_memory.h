// The rows of memory_model.h that depend on the batch: activations and logits, by the formulas given there.
#pragma once
#include "sim/workload/memory_model.h"

namespace brigade {

MemoryRow activation_row(const MemoryRequest& request);
MemoryRow logits_row(const MemoryRequest& request);
// Both, in floating point: at least as much, and never overflowing.
double rough_activations(const MemoryRequest& request);

// Kept of one layer for its backward, without recomputation.
Bytes layer_activations(const MemoryRequest& request);

}  // namespace brigade
