#include "sim/replay/together.h"

#include <algorithm>

namespace brigade {
namespace {

// Where collectives take no time: whose begin a rank's part still waits for.
class Meeting {
 public:
  Meeting(const MappedCall& call, size_t ranks) : call_(&call), begins_(ranks, kNever), ended_(ranks) {}

  // Rank i begins; calls end(j, at) for each that can end now.
  template <class End>
  void begin(size_t i, Time at, const End& end) {
    begins_[i] = at;
    last_ = std::max(last_, at);
    ++there_;
    const bool all_for_all = call_->collective != Collective::kBroadcast &&
                             call_->collective != Collective::kReduce && call_->sent.empty();
    if (all_for_all && there_ < begins_.size()) return;
    for (size_t j = 0; j < begins_.size(); ++j) {
      if (ended_[j] || begins_[j] == kNever) continue;
      const Time known = all_for_all ? last_ : end_of(j);
      if (known == kNever) continue;
      ended_[j] = true;
      end(static_cast<Rank>(j), known);
    }
  }

 private:
  Time end_of(size_t j) const {
    Time end = begins_[j];
    for (size_t i = 0; i < begins_.size(); ++i)
      if (needs(j, i)) end = std::max(end, begins_[i]);
    return end;
  }
  bool needs(size_t j, size_t i) const {
    if (call_->collective == Collective::kBroadcast) return i == 0;
    if (call_->collective == Collective::kReduce) return j == 0;
    return call_->sent[i * begins_.size() + j] > 0;
  }

  const MappedCall* call_;
  std::vector<Time> begins_;
  std::vector<bool> ended_;
  size_t there_ = 0;
  Time last_{};
};

}  // namespace

std::vector<std::vector<CallPlace>> places_of(const ReplayTrace& trace, const ReplayMap& map, Rank ranks) {
  std::vector<std::vector<CallPlace>> places(ranks);
  for (Rank r = 0; r < ranks; ++r) places[r].resize(graph_of(trace, r).collectives.size());
  for (uint32_t m = 0; m < map.communicators.size(); ++m) {
    const MappedCommunicator& comm = map.communicators[m];
    for (uint32_t k = 0; k < comm.calls.size(); ++k)
      for (Rank i = 0; i < comm.ranks.size(); ++i) places[comm.ranks[i]][comm.calls[k].at[i]] = {m, k, i};
  }
  return places;
}

std::deque<Dataflow> replay_together(const ReplayTrace& trace, const ReplayMap& map,
                                     std::span<const Time> begins, std::span<const double> compute_shares,
                                     Unsimulated mode) {
  struct Reached {
    Rank rank;
    uint32_t collective;
    Time begin;
  };
  const auto ranks = static_cast<Rank>(begins.size());
  const auto places = places_of(trace, map, ranks);
  std::vector<std::vector<Meeting>> meetings(map.communicators.size());
  for (size_t m = 0; m < meetings.size(); ++m)
    for (const MappedCall& call : map.communicators[m].calls)
      meetings[m].emplace_back(call, map.communicators[m].ranks.size());
  std::deque<Dataflow> flows;
  std::deque<Reached> reached;
  Rank speaks = 0;
  const auto ready = [&](uint32_t c, Time begin) { reached.push_back({speaks, c, begin}); };
  const auto end = [&](Rank r, uint32_t c, Time at) {
    speaks = r;
    flows[r].end(c, at, ready);
  };
  for (Rank r = 0; r < ranks; ++r) {
    flows.emplace_back(graph_of(trace, r), compute_shares[r]);
    speaks = r;
    flows[r].begin(begins[r], ready);
  }
  for (; !reached.empty() && mode != Unsimulated::kNever; reached.pop_front()) {
    const Reached now = reached.front();
    if (mode == Unsimulated::kTraced) {
      const ReplayGraph& graph = graph_of(trace, now.rank);
      end(now.rank, now.collective, now.begin + graph.nodes[graph.collectives[now.collective].node].work);
      continue;
    }
    const CallPlace place = places[now.rank][now.collective];
    const MappedCommunicator& comm = map.communicators[place.communicator];
    meetings[place.communicator][place.call].begin(place.rank, now.begin, [&](Rank i, Time at) {
      end(comm.ranks[i], comm.calls[place.call].at[i], at);
    });
  }
  return flows;
}

}  // namespace brigade
