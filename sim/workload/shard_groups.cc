#include "sim/workload/shard_groups.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace brigade {
namespace {

// "2, 3, 6" of 12 above 1 and below `end`.
std::string divisors(Rank n, Rank begin, Rank end) {
  std::string text;
  for (Rank d = begin; d < end; ++d)
    if (n % d == 0) absl::StrAppend(&text, text.empty() ? "" : ", ", d);
  return text;
}

// Ranks on each node where all nodes have as many and stand one after the other; else why not.
struct PerNode {
  Rank ranks = 0;
  std::string error;
};
PerNode ranks_per_node(const JobContext& context) {
  const auto& vertices = context.topology.vertices();
  const auto node = [&](size_t r) { return vertices[context.devices[r]].node; };
  const size_t n = context.devices.size();
  std::vector<bool> seen;
  Rank all = 0, run = 0;
  for (size_t r = 0; r < n; ++r) {
    if (node(r) == kNone)
      return {0, absl::StrCat(context.topology.vertex_name(context.devices[r]), " belongs to no node")};
    if (r == 0 || node(r) != node(r - 1)) {
      seen.resize(std::max<size_t>(seen.size(), node(r) + size_t{1}));
      if (seen[node(r)]) return {0, absl::StrCat("node[", node(r), "] comes twice among the ranks")};
      seen[node(r)] = true;
      run = 0;
    }
    ++run;
    if (r + 1 < n && node(r + 1) == node(r)) continue;
    if (all == 0) all = run;
    if (run != all)
      return {0,
              absl::StrCat("node[", node(0), "] has ", all, " of the ranks, node[", node(r), "] has ", run)};
  }
  return {all, ""};
}

}  // namespace

std::optional<ShardGroups> shard_groups(const ShardedJobSpec& spec, const JobContext& context,
                                        Diagnostics& errors) {
  const auto refuse = [&](const std::string& why) -> std::optional<ShardGroups> {
    errors.error(context.at, absl::StrCat("job \"", context.name, "\": ", why));
    return std::nullopt;
  };
  const Rank n = context.ranks();
  ShardGroups groups{.shard = n, .replicas = 1, .after_forward = 0};
  if (spec.shard_group == ShardGroup::kNode) {
    const PerNode per_node = ranks_per_node(context);
    if (!per_node.error.empty())
      return refuse(
          absl::StrCat("shard_group: node needs equal nodes, one after the other: ", per_node.error));
    groups.shard = per_node.ranks;
  }
  if (spec.shard_group == ShardGroup::kRanks) groups.shard = static_cast<Rank>(spec.shard_group_ranks);
  if (groups.shard < 1 || n % groups.shard != 0)
    return refuse(absl::StrCat(n, " ranks are not shard groups of ", groups.shard,
                               "; allowed: ", divisors(n, 1, n + 1)));
  groups.replicas = n / groups.shard;
  if (spec.reshard_after_forward != Reshard::kToFewer) return groups;
  const auto k = static_cast<Rank>(spec.reshard_ranks);
  if (k < 2 || k >= groups.shard || groups.shard % k != 0) {
    const std::string allowed = divisors(groups.shard, 2, groups.shard);
    return refuse(absl::StrCat("reshard_after_forward: ", k, " of a shard group of ", groups.shard,
                               "; allowed: auto, true, false", allowed.empty() ? "" : ", ", allowed));
  }
  groups.after_forward = k;
  return groups;
}

}  // namespace brigade
