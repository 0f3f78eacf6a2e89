// The optimizer on the host of each rank: ZeRO-Offload (Ren et al., USENIX ATC 2021), with its states on NVMe
// drives ZeRO-Infinity (Rajbhandari et al., SC 2021).
//
// After backward each rank sends its share of the gradients to its host, which takes the shares in the order
// in which they arrive: states are read from the drives, the optimizer moves its bytes through the host's
// memory, states are written back; each of the three serves one share at a time. Then the parameters go back.
// Whoever shares a cable to the host shares its bandwidth. Left out: gradients that leave during backward,
// shares that are cut into pieces to overlap the three, parameters on the host.
#pragma once
#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/simulation.h"
#include "sim/workload/job.h"

namespace brigade {

struct HostPlan {
  std::vector<VertexId> hosts;         // in the order of their first ranks
  std::vector<Rank> host_of_rank;      // index into hosts
  Bytes gradients{}, parameters{};     // of a rank's share, as they are sent
  std::array<Duration, 3> service{};   // of a share: read, update, write
  Bytes host_memory{}, nvme_memory{};  // of the host with most ranks
};

// `share`: parameters of a rank; `state_bytes`: of the optimizer's states, a parameter. A rank's host is the
// nearest one of its node, or of the cluster where it belongs to no node. Reports ranks without one.
std::optional<HostPlan> plan_hosts(const ShardedJobSpec& spec, int64_t share, int64_t state_bytes,
                                   const JobContext& context, Diagnostics& errors);

class HostOptimizer {
 public:
  explicit HostOptimizer(HostPlan plan) : plan_(std::move(plan)), queues_(plan_.hosts.size()) {}
  void begin(const JobContext& context, Simulation& simulation);
  // The rank's gradients leave now.
  void submit(Rank r, Simulation& simulation);
  // Timers of the job with this token belong to its ranks, all others are the hosts'.
  static constexpr uint8_t kRankTimer = 0;
  bool concerns(const Notice& notice) const;
  // The rank that has its parameters now, if that is what the notice says.
  std::optional<Rank> on(const Notice& notice, Simulation& simulation);
  const HostPlan& plan() const { return plan_; }

 private:
  static constexpr size_t kStages = 3;
  // A share enters a stage of its host, or has passed the last one.
  void enter(size_t host, size_t stage, Rank r, Simulation& simulation);
  void serve(size_t host, size_t stage, Simulation& simulation);
  Rank ranks() const { return static_cast<Rank>(plan_.host_of_rank.size()); }

  HostPlan plan_;
  std::vector<std::array<std::deque<Rank>, kStages>> queues_;  // by host
  JobId job_ = 0;
  CommId comm_ = 0;
};

}  // namespace brigade
