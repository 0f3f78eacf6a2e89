// DeepSpeed's stage 3: which modules' parameters are gathered when, from the recorded order of a micro-batch
// (partitioned_param_coordinator.py: fetch_sub_module, release_sub_module).
//
// With offloaded parameters each gather copies the rank's share from the host first (partition_parameters.py,
// all_gather_coalesced). What lies on NVMe is read into a buffer before that: when compute gets to the
// module, or ahead (__prefetch_nvme_param_partitions): after the prefetch of gathers, which stops before the
// first module that has not been read, modules that come next are read until more than twice what is being
// gathered has been looked at, and while there are buffers; one of a parameter, until it is released. Taken
// by modules, not by parameters; a read that is waited for holds up what needs it, not the host.
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
  // What a gather of so many elements copies from the host.
  Bytes copied(int64_t padded) const;
  // The most that were in use where compute could not have gone on with fewer.
  int64_t buffers_needed() const { return buffers_needed_; }

 private:
  struct Module {
    int64_t elements = 0, padded = 0;  // of what is not persistent
    int64_t buffers = 0, on_nvme = 0;  // parameters on NVMe, and their elements in a rank's share
    bool available = false, waited = false, has_read = false;
    uint32_t gather = 0, read = 0;
    size_t prefetch_passed = 0;  // one more than the last use that the prefetcher has gone by
  };
  uint32_t module_of(const ShardUse& use) const { return in_.units.segments[use.segment].unit; }
  StepCall gather_of(const std::vector<uint32_t>& modules, const char* what);
  void set_off(const std::vector<uint32_t>& modules, uint32_t call);
  bool must_be_read(const Module& m) const { return m.buffers > 0 && !m.has_read; }
  void has_read(Module& m, uint32_t read);
  void read_ahead(uint32_t op, ProgramBuilder& out);
  void release(Module& m, StepOp& op);
  std::vector<uint32_t> next_to_prefetch();
  bool is_kept(uint32_t module) const;

  const ShardInput& in_;
  std::vector<Module> modules_;
  int64_t persistent_elements_ = 0, persistent_padded_ = 0;
  std::vector<ShardUse> uses_;
  std::vector<int64_t> elements_before_;  // by use, of the modules used before it
  std::vector<size_t> next_use_;          // by use, of the same module; the number of uses if there is none
  size_t at_ = 0, queue_ = 0;             // uses: the current one; the next that the prefetcher looks at
  int64_t available_elements_ = 0, in_flight_elements_ = 0;
  int64_t buffers_used_ = 0, buffers_needed_ = 0;
};

}  // namespace brigade
