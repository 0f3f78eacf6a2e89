// Hierarchical all-reduce (Jia et al. 2018): reduce-scatter inside each node, all-reduce of each share across
// nodes, all-gather inside. Only 1/g of the buffer crosses nodes for each of a node's g ranks.
//
// Rank r = node * group + local. The plan's parts are plans themselves: [0] the reduce-scatter and [1] the
// all-gather of one node, [2] and [3] the all-reduce of one share across nodes (shares differ by one element:
// the larger and the smaller). A local rank that owns no share (folded by halving-doubling) passes the outer
// rounds at once.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "sim/base/check.h"
#include "sim/base/diagnostic.h"
#include "sim/collective/catalogue.h"

namespace brigade {
namespace {

struct Inner {
  const char* name;
  const Algorithm* reduce_scatter;
  const Algorithm* all_gather;
};
constexpr Inner kInner[] = {{"ring", &kRingReduceScatter, &kRingAllGather},
                            {"halving_doubling", &kHalvingReduceScatter, &kDoublingAllGather},
                            {"direct", &kDirectReduceScatter, &kDirectAllGather}};

struct Seat {
  Rank node, local;
};
Seat seat_of(const Plan& plan, Rank r) {
  // r / group by multiplication: exact for every 32-bit r (Lemire, Kaser, Kurz 2019).
  const Rank node = plan.group_inverse == 0
                        ? r
                        : static_cast<Rank>((static_cast<unsigned __int128>(plan.group_inverse) * r) >> 64);
  return {node, r - node * plan.group};
}

// The part that runs in round k, its own round, and where a rank sits in it.
struct Level {
  const Plan* part;  // null: nothing to do
  Round round;
  Rank self;
  bool across;
  Seat seat;
  Rank rank_of(const Plan& plan, Rank peer) const {
    return across ? peer * plan.group + seat.local : seat.node * plan.group + peer;
  }
};
Level level_of(const Plan& plan, Rank self, Round k) {
  const Seat seat = seat_of(plan, self);
  const Plan& inside = *plan.parts[0];
  if (k < plan.outer_begin) return {&inside, k, seat.local, false, seat};
  if (k >= plan.outer_end) return {plan.parts[1].get(), k - plan.outer_end, seat.local, false, seat};
  const Plan* outer = plan.parts[int64_t{seat.local} < inside.part_rest ? 2 : 3].get();
  return {seat.local < inside.shares ? outer : nullptr, k - plan.outer_begin, seat.node, true, seat};
}

Round rounds(const Plan& plan) { return plan.outer_end + plan.parts[1]->rounds(); }

Step step(const Plan& plan, Rank self, Round k) {
  const Level level = level_of(plan, self, k);
  return level.part ? level.part->step(level.self, level.round) : Step{};
}

Send send(const Plan& plan, Rank self, Round k, uint32_t i) {
  const Level level = level_of(plan, self, k);
  Send send = level.part->send(level.self, level.round, i);
  send.to = level.rank_of(plan, send.to);
  if (level.across) send.range.first += plan.parts[0]->part(level.seat.local).first;
  return send;
}

Rank from(const Plan& plan, Rank self, Round k, uint32_t i) {
  const Level level = level_of(plan, self, k);
  return level.rank_of(plan, level.part->from(level.self, level.round, i));
}

std::optional<Duration> closed_form(const Plan& plan, const Cost& inner, const Cost& outer) {
  Duration sum{};
  for (int i : {0, 1, 2}) {
    const std::optional<Duration> part = plan.parts[i]->closed_form(i == 2 ? outer : inner, outer);
    if (!part) return std::nullopt;
    sum += *part;
  }
  return sum;
}

// Nodes are alike inside; across, each share's all-reduce must be alike on every rank of it.
bool alike(const Plan& plan, Rank unit) {
  const auto across = [](const Plan& part) {
    return part.ranks == 1 || (part.algorithm->alike && part.algorithm->alike(part, 1));
  };
  return unit % plan.group == 0 && across(*plan.parts[2]) && across(*plan.parts[3]);
}

std::string choose(const PlanRequest& request, const Inner*& inner, const Algorithm*& outer) {
  std::vector<std::string> inner_names, outer_names;
  for (const Inner& row : kInner) {
    inner_names.push_back(row.name);
    if (row.name == request.inner) inner = &row;
  }
  for (const std::string& name : algorithm_names(Collective::kAllReduce)) {
    const Algorithm* row = find_algorithm(Collective::kAllReduce, name);
    // Shares are single executions, and a node of nodes would need a second group.
    if (row->executions > 1 || row == &kHierarchicalAllReduce) continue;
    outer_names.push_back(name);
    if (name == request.outer) outer = row;
  }
  if (!inner)
    return absl::StrCat("unknown inner algorithm \"", request.inner, "\"",
                        suggestion(request.inner, inner_names));
  if (!outer)
    return absl::StrCat("unknown outer algorithm \"", request.outer, "\"",
                        suggestion(request.outer, outer_names));
  return "";
}

std::shared_ptr<const Plan> part_plan(const Algorithm* algorithm, Rank ranks, int64_t elements,
                                      const Plan& whole) {
  PlanResult result = make_plan(
      {.algorithm = algorithm, .ranks = ranks, .elements = elements, .element_bytes = whole.element_bytes});
  BRIGADE_CHECK(result.plan, result.error);
  return result.plan;
}

std::string prepare(const PlanRequest& request, Plan& plan) {
  if (request.group == 0) return "hierarchical needs nodes: the number of ranks in each";
  if (plan.ranks % request.group != 0) {
    return absl::StrCat("hierarchical needs equal nodes: ", plan.ranks, " ranks are not whole nodes of ",
                        request.group);
  }
  const Inner* inner = nullptr;
  const Algorithm* outer = nullptr;
  if (std::string error = choose(request, inner, outer); !error.empty()) return error;

  plan.group = request.group;
  plan.group_inverse = plan.group == 1 ? 0 : UINT64_MAX / plan.group + 1;
  const Rank nodes = plan.ranks / plan.group;
  const auto scatter = part_plan(inner->reduce_scatter, plan.group, plan.elements, plan);
  const int64_t smaller = scatter->part_base, larger = smaller + (scatter->part_rest > 0);
  plan.parts = {scatter, part_plan(inner->all_gather, plan.group, plan.elements, plan),
                part_plan(outer, nodes, larger, plan), part_plan(outer, nodes, smaller, plan)};
  plan.outer_begin = scatter->rounds();
  plan.outer_end = plan.outer_begin + plan.parts[2]->rounds();
  return "";
}

}  // namespace

const Algorithm kHierarchicalAllReduce = {
    .name = "hierarchical",
    .collective = Collective::kAllReduce,
    .summary = "reduce-scatter in each node, all-reduce across, all-gather in each node (Jia et al. 2018)",
    .rounds = rounds,
    .step = step,
    .send = send,
    .from = from,
    .closed_form = closed_form,
    .alike = alike,
    .prepare = prepare};

}  // namespace brigade
