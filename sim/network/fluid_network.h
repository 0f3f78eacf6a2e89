// The fluid model: a message is a flow that has all links of its route at once, at its max-min fair rate
// (fair_shares.h). Something happens only where a message starts or ends.
//
// A message of M bytes that starts at t and ends at e has left its first link at e, and is delivered at e +
// the latencies of its route: on an idle route e = t + T(M) at the slowest link, so that it takes the same
// picosecond as in the packet model, and as a cut into ever smaller segments would. What starts or ends at
// one instant is settled together, after everything else of that instant.
//
// Instants are whole picoseconds, rates are not. What is left of a flow is kept in 2^-32 of a byte x 10^-12;
// a flow ends at the first picosecond at which nothing is left. Of the part of a picosecond by which that is
// late, the others have what they gain by the end: so roundings do not add up along a chain of ends, and a
// closed form is met to the picosecond. (Not where two ends of unlike lateness within one picosecond concern
// each other: there a part of a picosecond is lost.) Rates that are whole bytes a second are exact; others
// lose less than 2^-51 of themselves, and what they would carry in 2^-24 ps counts as nothing left.
//
// Ends are events of the engine's queue, one for all flows that share a bottleneck: the earliest of them. The
// queue cannot cancel, so an event whose bottleneck meanwhile ends at another time is ignored; when nothing
// but such events is left (`idle_events`), the run is over.
//
// Left out: segments and windows (there are none), classes of messages.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/base/check.h"
#include "sim/network/fair_shares.h"
#include "sim/network/packet_network.h"

namespace brigade {

// Of one message: its weight among those that share a link, and what it never exceeds.
struct FlowShare {
  uint32_t weight = 1;
  std::optional<Bandwidth> cap = {};
};

class FluidNetwork {
 public:
  FluidNetwork(const Topology& topology, const NetworkSpec& spec);

  // A message under way.
  struct Flow {
    Rank from, to;
    Round round;
    uint32_t index;
    uint16_t execution;
    uint8_t hops;
    FlowShare share;
    Bytes bytes;
    Duration latency;        // of its route
    Time since;              // what was left then:
    unsigned __int128 left;  // per weight, 2^-32 B ps/s
  };

  void reserve(size_t flows) { flows_.reserve(flows); }
  // As PacketNetwork has them, of whole messages.
  uint32_t launch(const Outgoing& m, const FlowShare& share = {});
  // The time at which it leaves is known at once only where that is now.
  template <bool kObserved>
  std::optional<Time> offer(uint32_t flow, Queue& queue) {
    return start(flow, queue);
  }
  bool delivered(uint32_t, Queue&) {
    ++segments_delivered;
    return true;
  }
  Delivery receive(uint32_t flow);
  // A kLinkFree is due, and nothing else at this instant. Where a message has left now, which.
  struct Served {
    uint32_t flight;
    std::optional<Time> left;
  };
  Served choose(LinkId bottleneck, Queue& queue);
  // How many of the queue's events mean nothing any more, once no message is under way.
  size_t idle_events() const { return messages_launched == messages_received ? events_ : 0; }

  // Everything is put in order: there are few events, and no link at which to meet.
  void order(std::span<Event> batch, bool everything);
  void prefetch(std::span<const Event>) const {}
  void begin_execution(uint16_t execution, uint64_t order, MessageClass message_class, Rank);
  static constexpr bool keeps_queues() { return false; }
  static constexpr bool keeps_queue(LinkId) { return false; }
  static constexpr bool ranks_decided() { return false; }

  const Flow& flight(uint32_t f) const { return flows_[f]; }
  Round round_of(const Flow& x) const { return x.round; }
  uint32_t index_of(const Flow& x) const { return x.index; }
  uint32_t segment_of(const Flow&) const { return 0; }
  Bytes segment_bytes(const Flow& x) const { return x.bytes; }
  LinkId link_at(const Flow& x, int hop) const { return route(x)[hop]; }
  // Bytes of messages that have left, and the time that their bytes take.
  std::span<const LinkState> links() const { return links_; }
  const FairShares& shares() const { return shares_; }
  const Topology& topology() const { return topology_; }
  void observe(NetworkObserver* observer);

  // Counters of the whole run. A message is one segment.
  int64_t messages_launched = 0, messages_received = 0;
  int64_t segments_launched = 0, segments_delivered = 0;

 private:
  struct Bottleneck {
    Time end = kNever;  // of the earliest of its flows; an event is under way for then
    // of the settle() under way
    uint32_t stamp = 0;
    Rate level = 0;
    unsigned __int128 least = 0;  // left of its flows
  };
  struct Use {  // of a link, for the observer
    Rate load = 0;
    Time since{};
  };

  const LinkId* route(const Flow& x) const {
    return routes_.data() + static_cast<size_t>(&x - flows_.data()) * stride_;
  }
  uint32_t take_flow();
  std::optional<Time> start(uint32_t flow, Queue& queue);
  void collect_ended(LinkId bottleneck, Time now);
  uint32_t next_ended(Queue& queue);
  void end_flows(Queue& queue);
  void start_flows(Queue& queue);
  // After flows have come, or gone: `late` ago, in 2^-32 ps.
  void settle(uint64_t late, Queue& queue);
  // Tells the observer how links were used until now, where that changes. (Not of what a run that fails
  // leaves under way.)
  void report_use(Time now);
  void ask(Queue& queue);
  void push(Time at, LinkId bottleneck, Queue& queue);
  bool earlier(uint32_t a, uint32_t b) const;

  const Topology& topology_;
  const Router& router_;
  FairShares shares_;
  size_t stride_;
  std::vector<Flow> flows_;
  std::vector<LinkId> routes_;
  std::vector<uint32_t> free_flows_;
  std::vector<LinkState> links_;
  std::vector<Bottleneck> bottlenecks_;
  std::vector<LinkId> changed_;     // settle()'s scratch: bottlenecks of flows that were recomputed
  std::vector<uint32_t> starting_;  // at this instant, without a share yet
  struct Ended {
    uint64_t late;  // 2^-32 ps
    uint32_t flow;
  };
  std::vector<Ended> ended_;    // at this instant, with a share still
  std::vector<uint32_t> told_;  // and those without, from the last on; the engine is still to be told
  bool asked_ = false;          // a kLinkFree of no bottleneck is under way, for now
  size_t events_ = 0;           // of ours, in the queue
  uint32_t settles_ = 0;
  std::vector<uint64_t> order_;  // by execution
  NetworkObserver* observer_ = nullptr;
  std::vector<Use> uses_;  // while there is an observer

  // order()'s scratch
  struct Met {
    uint8_t kind;
    uint32_t place;
    uint64_t execution;
    Rank from;
    Round round;
    uint32_t index;
    Event event;
  };
  Met met_by(const Event& e) const;
  std::vector<Met> met_;
};

}  // namespace brigade
