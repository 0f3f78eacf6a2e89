// DeepSpeed's stage 3: which modules' parameters are gathered when, from the recorded order of a micro-batch
// (partitioned_param_coordinator.py: fetch_sub_module, release_sub_module).
#pragma once
#include <vector>

#include "sim/workload/shard_program.h"

namespace brigade {

class ModuleFetcher {
 public:
  explicit ModuleFetcher(const ShardInput& in);

  void begin_micro_batch(std::vector<ShardUse> uses);
  // Adds the operation of the next use, `op`: gathers what it needs and is not there, prefetches beside it,
  // and releases its parameters after it unless they are kept.
  uint32_t add(StepOp op, const ShardUse& use, ProgramBuilder& out);
  // What is still there is released.
  void end_micro_batch(ProgramBuilder& out);

  // Parameters below the threshold are never released.
  int64_t persistent_elements() const { return persistent_elements_; }
  int64_t persistent_padded() const { return persistent_padded_; }

 private:
  struct Module {
    int64_t elements = 0, padded = 0;  // of what is not persistent
    bool available = false, waited = false;
    uint32_t gather = 0;
    size_t prefetch_passed = 0;  // one more than the last use that the prefetcher has gone by
  };
  uint32_t module_of(const ShardUse& use) const { return in_.units.segments[use.segment].unit; }
  StepCall gather_of(const std::vector<uint32_t>& modules, const char* what);
  void set_off(const std::vector<uint32_t>& modules, uint32_t call);
  std::vector<uint32_t> next_to_prefetch();
  bool is_kept(uint32_t module) const;

  const ShardInput& in_;
  std::vector<Module> modules_;
  int64_t persistent_elements_ = 0, persistent_padded_ = 0;
  std::vector<ShardUse> uses_;
  std::vector<int64_t> elements_before_;  // by use, of the modules used before it
  std::vector<size_t> next_use_;          // by use, of the same module; the number of uses if there is none
  size_t at_ = 0, queue_ = 0;             // uses: the current one; the next that the prefetcher looks at
  int64_t available_elements_ = 0;
};

}  // namespace brigade
