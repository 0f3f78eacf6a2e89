#include "sim/replay/mapping.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace brigade {
namespace {

std::string name_of(const ReplayGroup& group) {
  return absl::StrCat("group ", group.name.empty() ? "" : absl::StrCat("\"", group.name, "\" "), "of ",
                      group.size, " ranks");
}

struct Partition {
  std::vector<std::vector<Rank>> parts;
  std::string rule, error;
};

std::vector<std::vector<Rank>> in_step(Rank ranks, Rank size, Rank stride) {
  std::vector<std::vector<Rank>> parts;
  for (Rank block = 0; block < ranks; block += size * stride)
    for (Rank first = block; first < block + stride; ++first) {
      parts.emplace_back();
      for (Rank i = 0; i < size; ++i) parts.back().push_back(first + i * stride);
    }
  return parts;
}

// Ranks of an unnamed group as if it held the lowest rank.
ReplayGroup named(ReplayGroup group, int64_t world, UnnamedGroups unnamed) {
  if (!group.ranks.empty() || unnamed == UnnamedGroups::kRefused) return group;
  if (group.size > world || world % group.size != 0) return group;
  const int64_t stride = unnamed == UnnamedGroups::kContiguous ? 1 : world / group.size;
  for (int64_t i = 0; i < group.size; ++i) group.ranks.push_back(i * stride);
  return group;
}

Partition partition_of(const ReplayGroup& traced, int64_t world, Rank ranks, UnnamedGroups unnamed) {
  const ReplayGroup group = named(traced, world, unnamed);
  const std::string what = name_of(group);
  if (group.size == world) return {in_step(ranks, ranks, 1), "", ""};
  if (group.size == 1) return {in_step(ranks, 1, 1), "", ""};
  if (group.ranks.empty())
    return {{},
            "",
            absl::StrCat(what, " of ", world,
                         ": the trace does not say which; allowed: to assume that they "
                         "are contiguous or strided (--unnamed-groups, unnamed_groups)")};
  const int64_t stride = group.ranks[1] - group.ranks[0], block = stride * group.size;
  for (size_t i = 1; i < group.ranks.size(); ++i)
    if (group.ranks[i] - group.ranks[i - 1] != stride)
      return {
          {},
          "",
          absl::StrCat(what, " (", absl::StrJoin(group.ranks, ", "),
                       ") is not in step; expected ranks at equal distances, or the traces of all ranks")};
  if (block > world || world % block != 0 || group.ranks[0] % block >= stride)
    return {{},
            "",
            absl::StrCat(what, " from rank ", group.ranks[0], " at distances of ", stride,
                         " does not divide the ", world, " traced ranks into groups alike")};
  const bool reaches = block == world;
  const int64_t unit = reaches ? stride : block;
  if (ranks % unit != 0)
    return {{},
            "",
            absl::StrCat(what, reaches ? absl::StrCat(", every ", stride, "th of the job,") : "",
                         " does not fit ", ranks, " ranks; allowed: multiples of ", unit)};
  const auto size = static_cast<Rank>(reaches ? ranks / stride : group.size);
  Partition out{in_step(ranks, size, static_cast<Rank>(stride)), "", ""};
  if (int64_t{ranks} != world)
    out.rule = absl::StrCat(what, " at distances of ", stride,
                            reaches ? " reaches over the whole job: of " : " stays: of ", size, " ranks");
  return out;
}

int64_t rounded_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

bool keeps_whole(Collective c) { return c == Collective::kAllGather || c == Collective::kReduceScatter; }
int64_t whole_of(const ReplayCollective& c) {
  return c.collective == Collective::kAllGather ? c.out_elements : c.in_elements;
}

// Which communicator of its group a collective runs on: those of each of the group's streams are in order.
using StreamKey = std::pair<uint32_t, uint16_t>;  // group, stream
std::map<StreamKey, uint32_t> streams_of_groups(const ReplayGraph& graph) {
  std::map<StreamKey, uint32_t> ordinals;
  std::map<uint32_t, uint32_t> next;
  for (const ReplayCollective& c : graph.collectives) {
    const auto [it, is_new] = ordinals.try_emplace({c.group, graph.nodes[c.node].stream}, 0);
    if (is_new) it->second = next[c.group]++;
  }
  return ordinals;
}

std::string label_of(const ReplayCollective& c, size_t index) {
  return absl::StrCat(c.traced_as, " ", index);
}

class Mapper {
 public:
  Mapper(const ReplayTrace& trace, Rank ranks, UnnamedGroups unnamed, const Place& at, Diagnostics& errors)
      : trace_(trace), ranks_(ranks), unnamed_(unnamed), at_(at), errors_(errors) {}

  std::optional<ReplayMap> map() {
    const int before = errors_.errors();
    if (trace_.has_all_ranks()) {
      map_all();
    } else {
      map_one();
    }
    if (errors_.errors() > before) return std::nullopt;
    return std::move(out_);
  }

 private:
  // --- the trace of one rank stands for all

  void map_one() {
    const ReplayGraph& graph = trace_.graphs.front();
    std::map<StreamKey, size_t> first;  // communicator of the first part
    std::vector<Partition> partitions;
    for (const ReplayGroup& group : graph.groups) {
      partitions.push_back(partition_of(group, trace_.world, ranks_, unnamed_));
      const Partition& p = partitions.back();
      if (!p.error.empty()) errors_.error(at_, p.error);
      if (!p.rule.empty()) out_.rules.push_back(p.rule);
    }
    for (const auto& [key, ordinal] : streams_of_groups(graph)) {
      first[key] = out_.communicators.size();
      for (const auto& part : partitions[key.first].parts)
        out_.communicators.push_back({comm_name(graph.groups[key.first], ordinal), part, {}});
    }
    bool padded = false, shared = false, uneven = false;
    for (uint32_t i = 0; i < graph.collectives.size(); ++i) {
      const ReplayCollective& c = graph.collectives[i];
      const Partition& partition = partitions[c.group];
      if (partition.parts.empty()) continue;
      const auto size = static_cast<int64_t>(partition.parts.front().size());
      MappedCall call{.collective = c.collective,
                      .elements = c.in_elements,
                      .element_bytes = c.element_bytes,
                      .label = label_of(c, i),
                      .at = std::vector<uint32_t>(static_cast<size_t>(size), i),
                      .sent = {}};
      if (keeps_whole(c.collective)) {
        call.elements = rounded_up(whole_of(c), size);
        padded |= call.elements != whole_of(c);
        shared |= size != graph.groups[c.group].size;
      }
      uneven |= c.collective == Collective::kAllToAll && is_uneven(c);
      const size_t begin = first[{c.group, graph.nodes[c.node].stream}];
      for (size_t part = 0; part < partition.parts.size(); ++part)
        out_.communicators[begin + part].calls.push_back(call);
    }
    say_rules(padded, shared, uneven);
  }

  static bool is_uneven(const ReplayCollective& c) {
    const auto differ = [](const std::vector<int64_t>& v) {
      return std::adjacent_find(v.begin(), v.end(), std::not_equal_to<>()) != v.end();
    };
    return c.in_elements != c.out_elements || differ(c.in_split) || differ(c.out_split);
  }

  void say_rules(bool padded, bool shared, bool uneven) {
    auto& rules = out_.rules;
    if (ranks_ != 1 || trace_.world != 1)
      rules.insert(rules.begin(), absl::StrCat("one rank's trace stands for all ", ranks_,
                                               " ranks (traced: ", trace_.world, "): all do the same"));
    if (int64_t{ranks_} != trace_.world)
      rules.push_back("sizes of all_reduce, reduce, broadcast, and what a rank brings to all_to_all stay");
    if (shared)
      rules.push_back("all_gather and reduce_scatter keep the whole; each rank's share is 1/N of it");
    if (padded) rules.push_back("shares that would not be whole elements are rounded up");
    if (uneven)
      rules.push_back("uneven all_to_all: every rank sends what the traced one sent, evenly to all");
  }

  static std::string comm_name(const ReplayGroup& group, uint32_t ordinal) {
    std::string name = group.name.empty() ? "group" : absl::StrCat("group ", group.name);
    return ordinal == 0 ? name : absl::StrCat(name, " (", ordinal + 1, ")");
  }

  // --- the traces of all ranks

  using CommKey = std::tuple<std::string, std::vector<int64_t>, uint32_t>;  // name, ranks, ordinal

  void map_all() {
    if (ranks_ != trace_.graphs.size())
      return errors_.error(at_, absl::StrCat("the traces are of all ", trace_.graphs.size(),
                                             " ranks; allowed: ", trace_.graphs.size(),
                                             " ranks, or the trace of one for any number"));
    std::map<CommKey, std::map<Rank, std::vector<uint32_t>>> calls;  // by rank: its collectives
    for (Rank r = 0; r < ranks_; ++r) {
      const ReplayGraph& graph = trace_.graphs[r];
      const auto ordinals = streams_of_groups(graph);
      for (uint32_t i = 0; i < graph.collectives.size(); ++i) {
        const ReplayCollective& c = graph.collectives[i];
        ReplayGroup group = graph.groups[c.group];
        if (group.ranks.empty() && group.size == trace_.world)
          for (Rank other = 0; other < ranks_; ++other) group.ranks.push_back(other);
        if (group.ranks.empty())
          return errors_.error(at_, absl::StrCat(name_of(group), " of ", trace_.world, " in ", graph.file,
                                                 ": the trace does not say which"));
        if (!std::binary_search(group.ranks.begin(), group.ranks.end(), int64_t{r}) ||
            group.ranks.back() >= int64_t{ranks_} || group.ranks.front() < 0)
          return errors_.error(at_, absl::StrCat(name_of(group), " in ", graph.file, " is not one of rank ",
                                                 r, " and of ", ranks_, " ranks"));
        calls[{group.name, group.ranks, ordinals.at({c.group, graph.nodes[c.node].stream})}][r].push_back(i);
      }
    }
    for (const auto& [key, by_rank] : calls) add_comm(key, by_rank);
    out_.rules.push_back(absl::StrCat("the traces of all ", ranks_, " ranks are replayed together"));
    if (by_totals_)
      out_.rules.push_back("uneven all_to_all: the traces give totals; shares in proportion to them");
    if (differing_ > 0)
      out_.rules.push_back(
          absl::StrCat(differing_, " collectives differ in size between ranks: the largest holds"));
    if (unbalanced_ > 0)
      out_.rules.push_back(
          absl::StrCat(unbalanced_, " all_to_all do not receive what is sent: what is sent holds"));
  }

  void add_comm(const CommKey& key, const std::map<Rank, std::vector<uint32_t>>& by_rank) {
    MappedCommunicator comm;
    ReplayGroup group{std::get<0>(key), static_cast<int64_t>(std::get<1>(key).size()), std::get<1>(key)};
    comm.name = comm_name(group, std::get<2>(key));
    for (const int64_t r : group.ranks) comm.ranks.push_back(static_cast<Rank>(r));
    if (by_rank.size() != comm.ranks.size())
      return errors_.error(at_,
                           absl::StrCat(name_of(group), " is traced on ", by_rank.size(), " of them only"));
    const std::vector<uint32_t>& lead = by_rank.begin()->second;
    for (const auto& [r, mine] : by_rank)
      if (mine.size() != lead.size())
        return errors_.error(at_, absl::StrCat(name_of(group), " has ", lead.size(), " collectives on rank ",
                                               by_rank.begin()->first, ", ", mine.size(), " on rank ", r));
    for (size_t k = 0; k < lead.size(); ++k) {
      MappedCall call;
      const ReplayCollective& like = trace_.graphs[by_rank.begin()->first].collectives[lead[k]];
      std::vector<const ReplayCollective*> all;
      for (const auto& [r, mine] : by_rank) {
        call.at.push_back(mine[k]);
        all.push_back(&trace_.graphs[r].collectives[mine[k]]);
        if (all.back()->collective == like.collective && all.back()->element_bytes == like.element_bytes)
          continue;
        return errors_.error(
            at_, absl::StrCat(name_of(group), ": collective ", k, " is ", like.traced_as, " of ", like.dtype,
                              " on rank ", by_rank.begin()->first, ", ", all.back()->traced_as, " of ",
                              all.back()->dtype, " on rank ", r));
      }
      call.collective = like.collective;
      call.element_bytes = like.element_bytes;
      call.label = label_of(like, k);
      take_sizes(all, call);
      comm.calls.push_back(std::move(call));
    }
    out_.communicators.push_back(std::move(comm));
  }

  void take_sizes(const std::vector<const ReplayCollective*>& all, MappedCall& call) {
    const auto n = static_cast<int64_t>(all.size());
    for (const ReplayCollective* c : all) call.elements = std::max(call.elements, whole_of(*c));
    const auto differs = [&](const ReplayCollective* c) { return whole_of(*c) != call.elements; };
    if (call.collective != Collective::kAllToAll) differing_ += std::any_of(all.begin(), all.end(), differs);
    if (keeps_whole(call.collective)) call.elements = rounded_up(call.elements, n);
    if (call.collective != Collective::kAllToAll) return;
    const bool even = std::all_of(all.begin(), all.end(), [&](const ReplayCollective* c) {
      return !is_uneven(*c) && c->in_elements == all.front()->in_elements && c->in_elements % n == 0;
    });
    if (even) return;
    const auto has_splits = [&](const ReplayCollective* c) {
      return static_cast<int64_t>(c->in_split.size()) == n;
    };
    if (std::all_of(all.begin(), all.end(), has_splits)) {
      for (const ReplayCollective* c : all)
        call.sent.insert(call.sent.end(), c->in_split.begin(), c->in_split.end());
      // Splits count rows of the first dimension.
      for (size_t i = 0; i < all.size(); ++i) scale_row(call.sent, i, all.size(), all[i]->in_elements);
    } else {
      by_totals_ = true;
      share_by_totals(all, call);
    }
  }

  static void scale_row(std::vector<int64_t>& sent, size_t i, size_t n, int64_t total) {
    int64_t rows = 0;
    for (size_t j = 0; j < n; ++j) rows += sent[i * n + j] = std::max<int64_t>(sent[i * n + j], 0);
    for (size_t j = 0; j < n && rows > 0; ++j)
      sent[i * n + j] = static_cast<int64_t>(static_cast<__int128>(sent[i * n + j]) * total / rows);
  }

  // What rank i sends to j in proportion to what i sends and j receives, in whole elements, so that both
  // totals of each rank hold: each row is cut in proportion to what the columns still lack.
  void share_by_totals(const std::vector<const ReplayCollective*>& all, MappedCall& call) {
    std::vector<int64_t> lacks;
    __int128 left = 0, brought = 0;
    for (const ReplayCollective* c : all) {
      lacks.push_back(c->out_elements);
      left += c->out_elements;
      brought += c->in_elements;
    }
    if (left != brought) {
      ++unbalanced_;
      lacks.assign(all.size(), 1);
    }
    for (const ReplayCollective* c : all) {
      __int128 whole = 0, seen = 0;
      for (const int64_t lack : lacks) whole += lack;
      int64_t before = 0;
      for (int64_t& lack : lacks) {
        seen += lack;
        const int64_t upto = whole == 0 ? 0 : static_cast<int64_t>(c->in_elements * seen / whole);
        const int64_t share = upto - before;
        call.sent.push_back(share);
        if (left == brought) lack -= share;
        before = upto;
      }
    }
  }

  const ReplayTrace& trace_;
  Rank ranks_;
  UnnamedGroups unnamed_;
  const Place& at_;
  Diagnostics& errors_;
  ReplayMap out_;
  bool by_totals_ = false;
  int64_t unbalanced_ = 0, differing_ = 0;
};

}  // namespace

std::optional<ReplayMap> map_ranks(const ReplayTrace& trace, Rank ranks, UnnamedGroups unnamed,
                                   const Place& at, Diagnostics& errors) {
  return Mapper(trace, ranks, unnamed, at, errors).map();
}

}  // namespace brigade
