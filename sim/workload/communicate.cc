#include "sim/workload/communicate.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sim/collective/execution.h"
#include "sim/collective/representatives.h"

namespace brigade {
namespace {

constexpr Rank kAllPairsMax =
    256;  // above, only the peers that logarithmic and ring algorithms have are looked at

// Ranks on each node, if all nodes have as many and stand one after the other.
struct Grouping {
  Rank group = 0;
  std::string error;
};
Grouping group_by_node(std::span<const VertexId> devices, const Topology& topology) {
  const auto node = [&](size_t r) { return topology.vertices()[devices[r]].node; };
  std::vector<uint32_t> seen;
  Rank group = 0, run = 0;
  for (size_t r = 0; r <= devices.size(); ++r) {
    if (r > 0 && r < devices.size() && node(r) == node(r - 1)) {
      ++run;
      continue;
    }
    if (r > 0) {
      if (group == 0) group = run;
      if (run != group)
        return {0, absl::StrCat("hierarchical needs equal nodes: node[", node(0), "] has ", group,
                                " of the ranks, node[", node(r - 1), "] has ", run)};
    }
    if (r == devices.size()) break;
    if (node(r) == kNone) return {0, absl::StrCat(topology.vertex_name(devices[r]), " belongs to no node")};
    if (std::find(seen.begin(), seen.end(), node(r)) != seen.end())
      return {0,
              absl::StrCat("hierarchical needs ranks listed node by node: node[", node(r), "] comes twice")};
    seen.push_back(node(r));
    run = 1;
  }
  return {group, ""};
}

// Finds out whether all routes that it is shown cost the same.
class Uniform {
 public:
  explicit Uniform(const Topology& topology)
      : topology_(topology), route_(static_cast<size_t>(std::max(1, topology.router().hops_max()))) {}
  void add(VertexId a, VertexId b) {
    if (a == b || !same_) return;
    const int hops = topology_.router().route(a, b, 0, route_.data());
    if (hops <= 0) {
      same_ = false;
      return;
    }
    Cost cost{{}, topology_.links()[route_[0]].bandwidth};
    for (int i = 0; i < hops; ++i) {
      const Link& l = topology_.links()[route_[static_cast<size_t>(i)]];
      cost.latency += l.latency;
      cost.bandwidth = std::min(cost.bandwidth, l.bandwidth);
    }
    if (!cost_) cost_ = cost;
    same_ = cost.latency == cost_->latency && cost.bandwidth == cost_->bandwidth;
  }
  // Both directions between ranks of a strided group. All pairs, or where there are many and each rank has
  // few peers, those at distances of powers of two.
  void add_group(std::span<const VertexId> devices, Rank first, Rank stride, Rank n, bool all_pairs) {
    const auto at = [&](Rank i) { return devices[first + stride * i]; };
    for (Rank i = 0; i < n && same_; ++i)
      for (Rank d = 1; d < n; d = all_pairs || n <= kAllPairsMax ? d + 1 : 2 * d) {
        add(at(i), at((i + d) % n));
        add(at((i + d) % n), at(i));
      }
  }
  bool same() const { return same_; }
  // Of the routes; of no route at all where there was none.
  Cost cost() const { return cost_.value_or(Cost{{}, Bandwidth::gb_per_s(1)}); }

 private:
  const Topology& topology_;
  std::vector<LinkId> route_;
  bool same_ = true;
  std::optional<Cost> cost_;
};

}  // namespace

CommunicateResult communicate(const CommunicateRequest& request, std::span<const VertexId> devices,
                              const Topology& topology) {
  CommunicateResult result;
  result.call.lockstep = request.algorithm.rounds == RoundsMode::kLockstep;
  PlanRequest plan{.algorithm = find_algorithm(request.collective, request.algorithm.algorithm),
                   .ranks = request.fold.all(static_cast<Rank>(devices.size())),
                   .elements = 0,
                   .element_bytes = request.element_bytes,
                   .root = request.root,
                   .group = 0,
                   .inner = request.algorithm.inner,
                   .outer = request.algorithm.outer,
                   .pairs = request.sends,
                   .receives = request.receives};
  if (const auto ranks = static_cast<Rank>(devices.size()); ranks > Execution::kRanksMax) {
    result.error = absl::StrCat(ranks, " ranks; allowed: ", Execution::kRanksMax,
                                ", or more where all do alike and are folded");
    return result;
  }
  if (plan.algorithm == nullptr) {
    result.error = absl::StrCat("unknown algorithm \"", request.algorithm.algorithm, "\" of ",
                                name_of(request.collective),
                                suggestion(request.algorithm.algorithm, algorithm_names(request.collective)));
    return result;
  }
  if (request.algorithm.algorithm == "hierarchical") {
    const Grouping grouping = group_by_node(devices, topology);
    result.error = grouping.error;
    if (!result.error.empty()) return result;
    plan.group = grouping.group == devices.size() ? plan.ranks : grouping.group;  // all on one node
  }
  const int64_t channels = request.algorithm.channels;
  for (int64_t c = 0, first = 0; c < channels; ++c) {
    plan.elements = request.elements / channels + (c < request.elements % channels);
    for (uint32_t e = 0; e < static_cast<uint32_t>(plan.algorithm->executions); ++e) {
      const PlanResult made = make_plan(plan, e);
      if (!made.plan) {
        result.error = made.error;
        return result;
      }
      if (made.plan->rounds() > Execution::kRoundsMax) {
        result.error = absl::StrCat(made.plan->rounds(), " rounds; allowed: ", Execution::kRoundsMax);
        return result;
      }
      auto placed = std::make_shared<Plan>(*made.plan);
      placed->slice_first += first;
      result.call.plans.push_back(std::move(placed));
      if (!request.fold.used()) continue;
      std::shared_ptr<const Plan>& folded = result.call.plans.back();
      folded = plan_of_representatives(folded, static_cast<Rank>(devices.size()) / request.fold.simulated);
      if (folded == nullptr) {
        result.error = absl::StrCat(request.algorithm.algorithm, " does not do alike on all ranks");
        return result;
      }
    }
    first += plan.elements;
  }
  return result;
}

std::optional<Duration> closed_form_of(const CollectiveCall& call, const NetworkSpec& network,
                                       std::span<const VertexId> devices, const Topology& topology) {
  if (call.plans.size() != 1 || network.overhead.ps != 0 || network.window) return std::nullopt;
  const Plan& plan = whole_of(*call.plans.front());
  const auto ranks = static_cast<Rank>(devices.size());
  // Messages of unlike chunks may overlap at a receiver: there they share, and do not queue.
  if (network.model == NetworkModel::kFluid && plan.elements % ranks != 0) return std::nullopt;
  if (plan.algorithm->closed_form == nullptr || (!call.lockstep && !plan.in_step())) return std::nullopt;
  Uniform inner(topology), outer(topology);
  const bool several_peers = plan.rounds() > 0 && plan.step(0, 0).sends > 1;
  if (plan.group > 1) {
    const Rank g = std::min(plan.group, ranks), nodes = ranks / g;
    for (Rank n = 0; n < nodes; ++n) inner.add_group(devices, n * g, 1, g, true);
    for (Rank i = 0; i < g; ++i) outer.add_group(devices, i, g, nodes, false);
  } else if (plan.parts.empty()) {
    inner.add_group(devices, 0, 1, ranks, several_peers);
  } else {
    outer.add_group(devices, 0, 1, ranks, several_peers);
  }
  if (!inner.same() || !outer.same()) return std::nullopt;
  return plan.closed_form(inner.cost(), outer.cost());
}

}  // namespace brigade
