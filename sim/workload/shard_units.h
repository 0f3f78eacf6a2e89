// Which parameters are gathered together, and which pieces of compute need them.
//
// Blocks (FSDP2, torch.distributed.fsdp.fully_shard on each block and on the model): a unit is what has the
// same name up to its first number ("h.3", "model.layers.3", "layer1.0"); all else is the root's own. Modules
// (DeepSpeed's hooks): a unit is a layer with parameters. Of written-out models each layer with parameters is
// a unit either way. Layers without parameters compute with the unit before them.
#pragma once
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/workload/model.h"

namespace brigade {

struct ShardUnit {
  std::string name;
  std::vector<TensorIndex> tensors;  // in the order of the layers that own them
  int64_t elements = 0;
  bool root = false;
};
// Layers [first, last) of the model, all of one unit.
struct Segment {
  uint32_t unit = 0;
  size_t first = 0, last = 0;
};
struct ShardUnits {
  std::vector<ShardUnit> units;
  std::vector<Segment> segments;  // in forward order; a unit may have several
};

enum class UnitRule : uint8_t { kBlocks, kModules };
ShardUnits shard_units(const Model& model, UnitRule rule);

// "h.3" of "h.3.attn.c_attn"; empty where no part of the name is a number.
std::string block_of(const std::string& layer);

// The next multiple of n.
int64_t padded(int64_t elements, int64_t n);
// FSDP2 cuts a tensor along its first dimension into n parts of equally many rows, the last ones padded.
int64_t padded_rows(const ParameterTensor& tensor, Rank n);

}  // namespace brigade
