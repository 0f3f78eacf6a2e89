// Hosts that serve their ranks: the optimizer on the host of each rank (ZeRO-Offload: Ren et al., USENIX ATC
// 2021), and what lies in its memory or on its NVMe drives (ZeRO-Infinity: Rajbhandari et al., SC 2021,
// arXiv:2104.07857).
//
// A task of a rank goes up the cable to its host, through three servers, and down again; any of these may be
// missing. The servers are the drives that read, the optimizer, and the drives that write; each serves one
// task at a time, in the order in which they arrive, whatever they are: an optimizer's states and parameters
// wait for each other. Whoever shares a cable to the host shares its bandwidth, message by message.
//
//   gradients up, a bucket's share when it has been reduced
//   update    when all gradients are there: states read, parameters too where they are on NVMe and have no
//             master copy; the optimizer moves its bytes through the host's memory; what was read is written;
//             parameters down, unless the host keeps them
//   store     parameters up, and written to NVMe if that is their place: the optimizer is on the device
//   read      of a gather's share, from NVMe into a buffer of the host
//   copy      of that share, down to the device
//
// Gradients of several micro-batches are added up on the host (DeepSpeed copies the sum down for that, and up
// again: stage3.py, partition_grads). Left out: shares that are cut into pieces to overlap the servers, the
// host's memory as a limit to copies (they stream through it at the rate of their cable).
#pragma once
#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/simulation.h"
#include "sim/workload/job.h"
#include "sim/workload/shard_program.h"

namespace brigade {

struct HostTask {
  Bytes up{}, down{};
  std::array<Duration, 3> service{};  // read, update, write
};

struct HostPlan {
  std::vector<VertexId> hosts;         // in the order of their first ranks
  std::vector<Rank> host_of_rank;      // index into hosts
  std::vector<HostTask> tasks;         // the same for every rank; numbered as below
  Bytes host_memory{}, nvme_memory{};  // of the host with most ranks

  static constexpr uint32_t kUpdate = 0, kStore = 1, kOthers = 2;
  size_t reads = 0, calls = 0;
  static uint32_t task_of_read(uint32_t read) { return kOthers + read; }
  uint32_t task_of_copy(uint32_t call) const { return kOthers + static_cast<uint32_t>(reads) + call; }
  uint32_t task_of_gradients(uint32_t call) const {
    return task_of_copy(static_cast<uint32_t>(calls)) + call;
  }
};

// A rank's host is the nearest one of its node, or of the cluster where it belongs to no node. Reports ranks
// without one. `state_bytes`: of the optimizer's states, a parameter.
std::optional<HostPlan> plan_hosts(const ShardInput& in, const StepProgram& program, int64_t state_bytes,
                                   const JobContext& context, Diagnostics& errors);

class HostServers {
 public:
  explicit HostServers(HostPlan plan) : plan_(std::move(plan)), queues_(plan_.hosts.size()) {}
  void begin(const JobContext& context, Simulation& simulation);
  // The rank's task begins now. At most once at a time.
  void submit(Rank r, uint32_t task, Simulation& simulation);
  // Timers of the job with this token belong to its ranks, all others are the hosts'.
  static constexpr uint8_t kRankTimer = 0;
  bool concerns(const Notice& notice) const;
  struct Done {
    Rank rank;
    uint32_t task;
  };
  // The task that has ended now, if that is what the notice says.
  std::optional<Done> on(const Notice& notice, Simulation& simulation);
  const HostPlan& plan() const { return plan_; }

 private:
  static constexpr size_t kStages = 3;
  // A task enters a server of its host, or has passed the last one.
  std::optional<Done> enter(size_t host, size_t stage, Done task, Simulation& simulation);
  void serve(size_t host, size_t stage, Simulation& simulation);
  Rank ranks() const { return static_cast<Rank>(plan_.host_of_rank.size()); }

  HostPlan plan_;
  std::vector<std::array<std::deque<Done>, kStages>> queues_;  // by host
  JobId job_ = 0;
  CommId comm_ = 0;
};

}  // namespace brigade
