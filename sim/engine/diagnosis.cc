// Why a run cannot go on, in words: ranks, rounds, links, who waits for whom. And the counters that must
// balance.
#include <algorithm>
#include <iterator>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "sim/collective/algorithm.h"
#include "sim/engine/engine.h"

namespace brigade {
namespace {
constexpr int kLinesMax = 8;  // of a diagnosis; the rest is counted
}

template <class Network>
std::string Engine<Network>::place_of(CommId comm, Rank r) const {
  return absl::StrCat("rank ", r, " (", topology_.vertex_name(comms_[comm].devices[r]), ")");
}

template <class Network>
std::string Engine<Network>::call_name(CommId comm, uint32_t index) const {
  const Communicator& c = comms_[comm];
  const CollectiveCall& call = c.collectives[index].call;
  const Algorithm& a = *call.plans.front()->algorithm;
  return absl::StrCat("job \"", c.name, "\", collective ", index, " (", brigade::name_of(a.collective), " ",
                      a.name, call.label.empty() ? "" : ", ", call.label, ")");
}

template <class Network>
void Engine<Network>::fail_unreachable(uint16_t id, Rank from, Rank to, Round k) {
  if (!failure_.empty()) return;
  const CommId comm = comm_of(id);
  failure_ = is_mailbox(id) ? absl::StrCat("job \"", name_of(comm), "\", message ", k)
                            : call_name(comm, slots_[id]->index);
  absl::StrAppend(&failure_, ": ", place_of(comm, from), " has no route to ", place_of(comm, to));
  if (!is_mailbox(id)) absl::StrAppend(&failure_, " in round ", k);
  int listed = 0;
  for (LinkId l = 0; l < topology_.links().size(); ++l) {
    if (timetable_ ? timetable_->links()[l].up : topology_.links()[l].up) continue;
    if (++listed > kLinesMax) continue;
    absl::StrAppend(&failure_, listed == 1 ? "; links that are down: " : ", ", topology_.link_name(l));
  }
  if (listed > kLinesMax) absl::StrAppend(&failure_, " and ", listed - kLinesMax, " more");
  if (listed == 0) absl::StrAppend(&failure_, "; the graph does not join them");
}

template <class Network>
void Engine<Network>::fail_unexpected(uint16_t id, Rank r, Round k) {
  if (!failure_.empty()) return;
  const Slot& s = *slots_[id];
  failure_ = absl::StrCat(call_name(s.comm, s.index), ": ", place_of(s.comm, r), " got a message in round ",
                          k, " that it does not receive");
}

// Ranks that take a collective for one of another size would wait for bytes that do not come, or get some
// that nobody asked for. Said as soon as both have called it.
template <class Network>
void Engine<Network>::compare_sizes(CommId comm, uint32_t index, Rank r) {
  if (!failure_.empty()) return;
  const CollectiveState& state = comms_[comm].collectives[index];
  const auto plan_of = [&](Rank rank) {
    const auto other = state.call.others.find(rank);
    return other == state.call.others.end() ? state.call.plans.front() : other->second;
  };
  const Execution& run = slots_[state.slots.front()]->run;
  const auto mine = plan_of(r);
  for (Rank peer = 0; peer < mine->ranks; ++peer) {
    if (peer == r || !run.standing(peer).started) continue;
    const auto theirs = plan_of(peer);
    if (theirs->elements == mine->elements) continue;
    failure_ = absl::StrCat(call_name(comm, index), ": ", place_of(comm, r), " calls it with ",
                            mine->bytes(mine->whole()).count, " B, ", place_of(comm, peer), " with ",
                            theirs->bytes(theirs->whole()).count, " B");
    for (Round k = 0; k < mine->rounds(); ++k)
      for (uint32_t i = 0; i < mine->step(r, k).sends; ++i) {
        const Send s = mine->send(r, k, i);
        const Range waits = plan_of(s.to)->send(r, k, i).range;
        if (waits.count == s.range.count) continue;
        absl::StrAppend(&failure_, "; in round ", k, " rank ", r, " sends ", mine->bytes(s.range).count,
                        " B to ", place_of(comm, s.to), ", which waits for ", mine->bytes(waits).count, " B");
        return;
      }
    return;
  }
}

// Counted, the messages are right: but they came from others than the rank waits for.
template <class Network>
void Engine<Network>::compare_receives(const Slot& slot, Rank r) {
  if (!failure_.empty()) return;
  const Plan& plan = slot.run.plan();
  std::vector<Rank> sent, expected;
  for (const Pair& p : plan.pairs)
    if (p.to == r) sent.push_back(p.from);
  for (uint32_t i = 0; i < plan.step(r, 0).expects; ++i)
    expected.push_back(plan.algorithm->from(plan, r, 0, i));
  std::sort(sent.begin(), sent.end());
  std::sort(expected.begin(), expected.end());
  std::vector<Rank> missing, others;
  std::set_difference(expected.begin(), expected.end(), sent.begin(), sent.end(),
                      std::back_inserter(missing));
  std::set_difference(sent.begin(), sent.end(), expected.begin(), expected.end(), std::back_inserter(others));
  if (missing.empty() || others.empty()) return;
  failure_ =
      absl::StrCat(call_name(slot.comm, slot.index), ": ", place_of(slot.comm, r), " waits in round 0 for ",
                   place_of(slot.comm, missing.front()), ", which sends it nothing; what came from ",
                   place_of(slot.comm, others.front()), " is not expected");
}

// "rank 2 (node[0].gpu[2]) waits in round 0 for rank 5 (node[0].gpu[5]), which has finished"
template <class Network>
std::string Engine<Network>::waiting_for(const Slot& slot, Rank r) const {
  const Plan& plan = slot.run.plan();
  const auto mine = slot.run.standing(r);
  const Step step = plan.step(r, mine.round);
  std::string text =
      absl::StrCat(place_of(slot.comm, r), " waits in round ", mine.round, " of ", slot.run.rounds(),
                   " with ", mine.arrived, " of ", step.expects, " messages arrived");
  for (uint32_t i = 0; i < step.expects; ++i) {
    if (i == 4) {
      absl::StrAppend(&text, " and others");
      break;
    }
    const Rank peer = plan.algorithm->from(plan, r, mine.round, i);
    const auto theirs = slot.run.standing(peer);
    absl::StrAppend(&text, i == 0 ? ", for " : "; for ", place_of(slot.comm, peer),
                    !theirs.started                     ? ", which has not started"
                    : theirs.round == slot.run.rounds() ? ", which has finished"
                                                        : absl::StrCat(", which is in round ", theirs.round));
  }
  return text;
}

template <class Network>
std::string Engine<Network>::stuck() const {
  std::string text;
  int lines = 0;
  const auto add = [&](const std::string& line) {
    if (++lines <= kLinesMax) absl::StrAppend(&text, "\n  ", line);
  };
  // First who is missing, for that is why the others wait.
  for (CommId comm = 0; comm < comms_.size(); ++comm) {
    const Communicator& c = comms_[comm];
    uint32_t called = 0;
    for (const Stream& s : c.streams) called = std::max(called, s.launched);
    for (Rank r = 0; r < c.devices.size(); ++r) {
      const Stream& s = c.streams[r];
      if (s.finished == s.launched && s.launched < called)
        add(absl::StrCat(call_name(comm, s.launched), ": ", place_of(comm, r), " never called it"));
    }
  }
  for (CommId comm = 0; comm < comms_.size(); ++comm) {
    const Communicator& c = comms_[comm];
    for (Rank r = 0; r < c.devices.size(); ++r) {
      const Stream& s = c.streams[r];
      if (s.finished == s.launched) continue;
      for (uint16_t id : c.collectives[s.finished].slots) {
        const Slot& slot = *slots_[id];
        if (slot.comm != comm || slot.index != s.finished) continue;
        if (slot.run.standing(r).round < slot.run.rounds())
          add(absl::StrCat(call_name(comm, s.finished), ": ", waiting_for(slot, r)));
      }
    }
  }
  if (lines == 0) return {};
  if (lines > kLinesMax) absl::StrAppend(&text, "\n  and ", lines - kLinesMax, " more");
  return absl::StrCat("deadlock: nothing is left to happen, but", text);
}

template <class Network>
void Engine<Network>::check_counters() const {
  const auto& n = network_;
  BRIGADE_CHECK(n.messages_launched == n.messages_received, n.messages_launched, " messages sent, ",
                n.messages_received, " received");
  std::vector<int64_t> balance(topology_.vertices().size());
  int64_t gone = 0;  // lost or dropped where links died
  if constexpr (std::is_same_v<Network, PacketNetwork>)
    if (const Losses* losses = n.losses()) {
      gone = n.segments_lost + losses->segments_dropped;
      for (VertexId v = 0; v < balance.size(); ++v) balance[v] -= losses->lost_bytes_at[v];
    }
  BRIGADE_CHECK(n.segments_launched == n.segments_delivered + gone, n.segments_launched, " segments sent, ",
                n.segments_delivered, " delivered, ", gone, " lost or dropped");
  for (LinkId l = 0; l < topology_.links().size(); ++l) {
    const LinkState& s = n.links()[l];
    balance[topology_.links()[l].from] -= s.bytes;
    balance[topology_.links()[l].to] += s.bytes;
    int64_t whole = s.bytes;
    if constexpr (std::is_same_v<Network, PacketNetwork>)
      if (n.losses() != nullptr) whole -= n.losses()->links[l].cut_bytes;
    // Each segment's time is rounded: a picosecond each.
    BRIGADE_CHECK(
        topology_.links()[l].bandwidth.time({whole}) <= (now() - Time{}) + Duration{n.segments_delivered},
        topology_.link_name(l), " carried ", s.bytes, " B in ", now().ps, " ps");
    BRIGADE_CHECK(s.busy.ps <= now().ps, topology_.link_name(l), " was busy for ", s.busy.ps, " of ",
                  now().ps, " ps");
  }
  for (VertexId v = 0; v < balance.size(); ++v)
    if (!topology_.is_endpoint(v))
      BRIGADE_CHECK(balance[v] == 0, topology_.vertex_name(v), " took in ", balance[v],
                    " bytes more than it gave out");
}

template std::string Engine<PacketNetwork>::place_of(CommId, Rank) const;
template std::string Engine<PacketNetwork>::call_name(CommId, uint32_t) const;
template std::string Engine<PacketNetwork>::waiting_for(const Slot&, Rank) const;
template std::string Engine<PacketNetwork>::stuck() const;
template void Engine<PacketNetwork>::check_counters() const;
template void Engine<PacketNetwork>::fail_unreachable(uint16_t, Rank, Rank, Round);
template void Engine<PacketNetwork>::compare_sizes(CommId, uint32_t, Rank);
template void Engine<PacketNetwork>::compare_receives(const Slot&, Rank);
template void Engine<PacketNetwork>::fail_unexpected(uint16_t, Rank, Round);
template std::string Engine<FluidNetwork>::place_of(CommId, Rank) const;
template std::string Engine<FluidNetwork>::call_name(CommId, uint32_t) const;
template std::string Engine<FluidNetwork>::waiting_for(const Slot&, Rank) const;
template std::string Engine<FluidNetwork>::stuck() const;
template void Engine<FluidNetwork>::check_counters() const;
template void Engine<FluidNetwork>::fail_unreachable(uint16_t, Rank, Rank, Round);
template void Engine<FluidNetwork>::compare_sizes(CommId, uint32_t, Rank);
template void Engine<FluidNetwork>::compare_receives(const Slot&, Rank);
template void Engine<FluidNetwork>::fail_unexpected(uint16_t, Rank, Round);

}  // namespace brigade
