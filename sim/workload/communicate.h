// From what a scenario asks of a collective to the plans that run it, and to the closed form that it should
// take.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/collective/algorithm.h"
#include "sim/engine/simulation.h"
#include "sim/network/spec.h"
#include "sim/topology/topology.h"
#include "sim/workload/fold.h"
#include "sim/workload/spec.h"

namespace brigade {

struct CommunicateRequest {
  Collective collective = Collective::kAllReduce;
  AlgorithmSpec algorithm;
  int64_t elements = 0;
  int64_t element_bytes = 1;
  Rank root = 0;
  std::vector<Pair> sends;  // send_recv
  std::optional<std::vector<Pair>> receives;
  Fold fold = {};  // `devices` are those of its simulated units
};
struct CommunicateResult {
  CollectiveCall call;
  std::string error;  // a sentence, empty if all is well
};

// The plans of all channels; of a fold, those of its representatives. Hierarchical groups are the nodes of
// `devices`, which must be listed node by node, as many from each.
CommunicateResult communicate(const CommunicateRequest& request, std::span<const VertexId> devices,
                              const Topology& topology);

// The time that the call takes on an idle flat network (hierarchical: on two levels); nothing where there is
// no such form: routes of unequal latency or bandwidth (within a level), several channels, a double binary
// tree, free-running rounds with folded ranks, per-message overhead, a window.
std::optional<Duration> closed_form_of(const CollectiveCall& call, const NetworkSpec& network,
                                       std::span<const VertexId> devices, const Topology& topology);

}  // namespace brigade
