// Folding: of many units that are alike (the nodes of a cluster, or the GPUs of one NVLink switch) two are
// simulated, and stand for all.
//
// Exact, never an estimate. Two units and N units of equal links, whose ranks send alike and start at once,
// cover the same graph of one unit whose peers are itself, so that each of N links sees what its likeness
// sees, at the same picosecond (sim/collective/representatives.h). What is needed for it is looked for, never
// assumed:
//   before the run  one type of node, one switch between the nodes (or one pod of rails), nothing changed,
//                   late, slow or drawn, jobs on all nodes alike and in one group (FSDP's may be by node),
//                   plans whose units are alike (equal chunks), routes that no flow hash decides
//   after the run   no link outside the units carried anything; the two units agree link by link; nowhere was
//                   an order settled by rank numbers, in which units differ
// Otherwise what is alike in a part of it is folded there (partial_fold.h), and the rest simulated. Not
// folded at all: what watches every rank (timelines, data that is verified, --paranoid), messages with an
// overhead.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/base/ids.h"
#include "sim/network/spec.h"
#include "sim/topology/spec.h"
#include "sim/topology/topology.h"
#include "sim/workload/spec.h"

namespace brigade {

// How many units there are, and how many of them run. Without folding the one unit is the whole cluster.
struct Fold {
  static constexpr uint32_t kSimulated = 2, kUnitsMin = kSimulated + 1;
  enum class Unit : uint8_t { kNode, kGpu };
  Unit unit = Unit::kNode;
  uint32_t units = 1, simulated = 1;

  bool used() const { return units != simulated; }
  // A sum over the simulated units as the sum over all.
  template <class T>
  T all(T of_simulated) const {
    return static_cast<T>(of_simulated / simulated * units);
  }
};

// The cluster with another number of units.
ClusterSpec with_units(const ClusterSpec& cluster, const Fold& fold, uint32_t units);

// The cluster's units, if they are alike: what a fold of all of them would be.
std::optional<Fold> find_units(const ClusterSpec& cluster, const NetworkSpec& network);

// Whether the job is of a kind whose ranks all do the same, unit by unit, wherever these are.
bool ranks_are_alike(const JobSpec& job, Fold::Unit unit);

// How the scenario could be folded, as far as shows before its cluster is built; nothing if it cannot, or has
// fewer units than `units_min`. `changed`: there are changes of links or ranks.
std::optional<Fold> find_fold(const ClusterSpec& cluster, bool changed, const NetworkSpec& network,
                              const std::vector<JobSpec>& jobs, uint32_t units_min);

// Of the cluster with the simulated units: no flow decides among its routes.
bool routes_are_alike(const Topology& simulated, const Fold& fold);
// Links of one unit. Those of unit u are u times as many and on, in the whole cluster too.
LinkId links_of_unit(const Topology& simulated, const Fold& fold);

}  // namespace brigade
