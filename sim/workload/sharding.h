// The names of ways to shard model states over ranks, and to count and recompute activations: memory_model.h
// says what each holds, step_program.h what each does.
#pragma once
#include <cstdint>

namespace brigade {

enum class ShardPreset : uint8_t { kDeepspeed, kFsdp2, kMegatron, kHorovod };
enum class ActivationCount : uint8_t { kZeroPaper, kStandard, kFlash };
enum class Recompute : uint8_t { kNone, kSelective, kFull };
// Of FSDP2's reshard_after_forward: automatic keeps the root's own parameters only; to fewer ranks, each of
// them keeps a part between forward and backward.
enum class Reshard : uint8_t { kAuto, kAlways, kNever, kToFewer };
// Ranks that share one copy of the model states: of hybrid sharding, those of a node or so many.
enum class ShardGroup : uint8_t { kAll, kNode, kRanks };

const char* name_of(ShardPreset preset);
const char* name_of(ActivationCount count);
const char* name_of(Recompute recompute);

}  // namespace brigade
