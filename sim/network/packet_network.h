// The packet model: messages cross the links of their route in segments, first come first served.
//
// A segment whose head is served by a link from `start` on, for d = T(e) - T(b), and whose tail arrives at t:
//     link free at start + d;  tail = max(start + d, t)
//     head reaches the next link at start + latency, tail at tail + latency; delivered at the last tail +
//     latency
// so that on an idle route a message takes the sum of latencies + T(bytes) at the slowest link, whatever the
// segment size: d is never longer than on the slowest link before, unless this link is slower.
//
// A link that serves first come first served gives its whole timetable away on arrival: start = max(now,
// free_at). So a hop is one event and nothing waits in queues of ours; the same times as serving from a queue
// (the plain engine in tests/oracle does that).
//
// Where messages have classes (`keep_queues`), links keep their queue instead: one a class. A link that is
// free chooses when everything else of that instant has happened, and takes the highest class first, within
// a class what came first; what it serves is never interrupted. That costs an event more a hop; where all
// classes are equal the times are the same. Links whose rate changes while segments wait keep theirs too, and
// links that may die (losses.h); all other links of the run settle on arrival as ever.
//
// Ties: events of one instant come as a batch. Only where two of a batch meet at one link does their order
// matter; `order` finds those and puts them in the order of (link, job and collective, source, round, index
// of the send within its round, segment): never of insertion. (Left out: PFC, ECN, packet headers, switch
// latency.)
#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sim/base/check.h"
#include "sim/base/random.h"
#include "sim/event/event.h"
#include "sim/event/event_queue.h"
#include "sim/network/adaptive_routes.h"
#include "sim/network/flight.h"
#include "sim/network/losses.h"
#include "sim/network/observer.h"
#include "sim/network/spec.h"
#include "sim/topology/topology.h"

namespace brigade {

using Queue = EventQueue<Event>;

// Kinds of the network's events, `Event::id` a flight. The engine's own kinds go on counting.
enum NetworkEvent : uint8_t {
  kArrive = 0,     // head at link `hop` of its route
  kDelivered = 1,  // tail at the receiver
  kReceived = 2,   // the receiver has paid its overhead
  kLinkFree = 3,   // a link that keeps its queue may choose; `Event::id` is the link
  kResume = 4,     // a message that lost segments goes on; `Event::id` is the message
  kFirstEngineEvent = 5
};

// A message to be sent.
struct Outgoing {
  VertexId from_vertex, to_vertex;
  Rank from, to;
  Round round;
  uint32_t index;  // which send of its round
  bool alone;      // the only send of its round
  uint16_t execution;
  Bytes bytes;
  uint64_t flow_key;  // what ECMP draws from, besides the two ends
  uint64_t flow() const { return mix((uint64_t{from_vertex} << 32 | to_vertex) ^ flow_key); }
};

// A complete message, as the receiver sees it.
struct Delivery {
  uint16_t execution;
  Rank from, to;
  Round round;
};

class PacketNetwork {
 public:
  PacketNetwork(const Topology& topology, const NetworkSpec& spec);

  void reserve(size_t flights);  // room for so many segments and messages, so that a run need not allocate

  // Makes the message ready; its first segment is then a flight that waits to be offered. kNone: there is no
  // route.
  uint32_t launch(const Outgoing& m);
  // Offers a flight to its first link, now. When it was the last segment of its message: the time at which
  // the message has left that link.
  template <bool kObserved>
  std::optional<Time> offer(uint32_t flight, Queue& queue);
  // A flight's head is at link `hop` of its route, now. Returns when its tail has left the link.
  template <bool kObserved>
  Time serve(uint32_t flight, int hop, Queue& queue);

  // From now on, before the first message, these links keep their queue, or all. Heads that arrive at one are
  // given to `wait`; `choose` is called for a link whose kLinkFree is due when nothing else is.
  void keep_queues(std::span<const LinkId> links);
  void keep_queues();
  bool keeps_queues() const { return !lines_.empty(); }
  bool keeps_queue(LinkId link) const { return keeps_queues() && lines_[link].kept; }
  bool keeps_queue(uint32_t flight, int hop) const {
    const Flight& x = flights_[flight];
    return x.hops != 0 && keeps_queue(route(x)[hop]);
  }
  void wait(uint32_t flight, int hop, Queue& queue);
  struct Served {
    uint32_t flight;           // kNone: the link has died since
    std::optional<Time> left;  // as `offer` has it
  };
  Served choose(const Event& link_free, Queue& queue);
  // Links that keep their queue may change: the next segment is served at this rate. And die (losses.h), if
  // that was to be expected from before the first message on. `known`: when all know of it; what was lost
  // then goes by the routes of `reroute`.
  void set_bandwidth(LinkId link, Bandwidth bandwidth);
  void expect_deaths();
  void kill(LinkId link, Time known, Queue& queue);
  void revive(LinkId link);
  void reroute(const Router& router) { router_ = &router; }
  bool resume(uint32_t message, Queue& queue);  // for kResume; false: there is no route
  const Flight& head_of(uint32_t message) const { return messages_[message].head; }
  // Whether links may die and this flight, whose event is due, goes no further. It is gone then.
  bool drops(const Event& e);
  const Losses* losses() const { return losses_.get(); }

  // A flight's tail is at its receiver. True if its message is complete; then `receive` must follow.
  bool delivered(uint32_t flight, Queue& queue);
  Delivery receive(uint32_t flight);

  // Puts the events of one instant into an order of processing that does not depend on how they were created.
  // `everything`: all of them, not only those that meet at a link.
  void order(std::span<Event> batch, bool everything);
  // Fetches what these events will touch.
  void prefetch(std::span<const Event> soon) const;

  // Whether two messages of one execution have met at a link at one instant, so that the numbers of their
  // ranks decided which went first. Ranks are not alike then.
  bool ranks_decided() const { return ranks_decided_; }
  // Every event means something: see FluidNetwork.
  static constexpr size_t idle_events() { return 0; }

  // An execution begins; ids are recycled. Where its messages meet others the highest
  // class comes first, then the lowest `order`.
  // `ranks_with_peers`: where ranks send to the same peer round after round, how many ranks it has: each
  // keeps its last route, which is not asked for again while the peer stays (so routes may not change
  // meanwhile); else 0.
  void begin_execution(uint16_t execution, uint64_t order, MessageClass message_class, Rank ranks_with_peers);

  const Flight& flight(uint32_t f) const { return flights_[f]; }
  Round round_of(const Flight& x) const { return x.message == kWhole ? x.part : messages_[x.message].round; }
  uint32_t index_of(const Flight& x) const { return x.message == kWhole ? 0 : messages_[x.message].index; }
  uint32_t segment_of(const Flight& x) const { return x.message == kWhole ? 0 : x.part; }
  Bytes message_bytes(const Flight& x) const {
    return x.message == kWhole ? Bytes{x.size_bytes} : messages_[x.message].bytes;
  }
  Bytes segment_bytes(const Flight& x) const { return {x.size_bytes}; }
  LinkId link_at(const Flight& x, int hop) const { return route(x)[hop]; }
  std::span<const LinkState> links() const { return links_; }
  const Topology& topology() const { return topology_; }
  void observe(NetworkObserver* observer) { observer_ = observer; }

  // Counters of the whole run.
  int64_t messages_launched = 0, messages_received = 0;
  int64_t segments_launched = 0, segments_delivered = 0, segments_lost = 0;

 private:
  // Bandwidth and latency of many links; few, so always in cache. T() of the last sizes is kept: traffic
  // repeats its sizes (a ring has two, which differ by one element).
  struct LinkType {
    Bandwidth bandwidth;
    Duration latency;
    Bytes size[2] = {{-1}, {-1}};
    Duration time[2]{};
    Duration of(Bytes x) {
      const int way = x.count & 1;
      if (size[way] != x) {
        size[way] = x;
        time[way] = bandwidth.time(x);
      }
      return time[way];
    }
  };

  const LinkId* route(const Flight& x) const {
    return stride_ == 0 ? x.route : long_routes_.data() + static_cast<size_t>(&x - flights_.data()) * stride_;
  }
  LinkId* route(Flight& x) { return const_cast<LinkId*>(std::as_const(*this).route(x)); }
  bool address(Flight& x, const Outgoing& m);
  bool address_anew(Flight& x, const Outgoing& m);
  uint32_t take_flight();
  uint32_t add_flight();
  void free_flight(uint32_t f);
  uint32_t take_message();
  void cut(Flight& first, const Outgoing& m);
  void give_back(uint32_t flight);
  bool part_delivered(uint32_t flight, Queue& queue);
  uint32_t next_segment(uint32_t message);
  void redirect(Flight& x, int hop, Time now);
  std::optional<Time> go_on(uint32_t flight, Time left, Queue& queue);
  Duration segment_time(Flight& x, int hop, LinkType& type);
  Bytes segment_size(Bytes message) const;

  // Where each segment of a message draws its own route.
  struct Spray {
    VertexId from, to;
    uint64_t flow;
  };

  const Topology& topology_;
  const Router* router_;
  NetworkSpec spec_;
  Bytes segment_max_;
  Bytes whole_max_;  // a message up to here is one segment and needs no record
  std::vector<LinkState, CacheAligned<LinkState>> links_;
  std::vector<LinkType> types_;
  std::vector<Flight> flights_;
  std::vector<Spray> sprays_;               // by message, with Routing::kSpray
  std::optional<AdaptiveRoutes> adaptive_;  // with Routing::kAdaptive; no message is kWhole then
  uint32_t free_flight_ = kNone;            // the free ones are a list by way of Flight::message
  std::vector<LinkId> long_routes_;
  size_t stride_ = 0;  // 0: routes lie in the flights
  std::vector<Message> messages_;
  std::vector<uint32_t> free_messages_;
  std::vector<LinkId> long_heads_;  // by message, the route of its segments, where stride_ is not 0
  // By execution and rank: a flight to the rank's last peer, ready but for its round and size. Empty: not
  // kept.
  std::vector<std::vector<Flight>> kept_;
  struct Order {
    uint64_t number = 0;
    MessageClass message_class = 0;
  };
  std::vector<Order> order_;  // by execution
  // Of links that keep their queue: what waits, by class, as lists by way of next_waiting_.
  struct Line {
    std::array<uint32_t, kClasses> first, last;
    bool told = false;  // a kLinkFree is under way
    bool kept = false;
    uint16_t epoch = 0;  // of the kLinkFree that counts
  };
  struct Waiting {
    Time tail;  // when it is here
    uint32_t next;
    uint8_t hop;
  };
  std::vector<Line> lines_;         // by link; empty: none keeps its queue
  std::vector<Waiting> waiting_;    // by flight
  std::unique_ptr<Losses> losses_;  // null: no link will die, and nothing of this is called:
  void begin_journey(uint32_t message, const Outgoing& m, uint32_t flight);
  void join_journey(uint32_t flight);
  bool journey_delivered(uint32_t flight, Queue& queue);
  std::optional<Time> journey_goes_on(uint32_t flight, Time left, Queue& queue);
  bool is_gone(uint32_t flight) const;
  void release(uint32_t flight);
  void drop(uint32_t flight, int hop);
  void note_loss(uint32_t flight, LinkId link, Queue& queue);
  void offer_next(uint32_t message, Time at, Queue& queue);
  NetworkObserver* observer_ = nullptr;
  // order()'s scratch
  struct Met {
    uint32_t place;
    uint8_t kind;
    Rank from;
    Round round;
    uint32_t index, segment;
    uint64_t execution;
    Event event;
  };
  Met met_by(const Event& e) const;
  void order_all(std::span<Event> batch);
  std::vector<Met> met_;
  uint32_t batch_ = 0;
  bool ranks_decided_ = false;
};

// ---- the hot path
[[gnu::always_inline]] inline void PacketNetwork::free_flight(uint32_t f) {
  flights_[f].message = free_flight_;
  free_flight_ = f;
}

[[gnu::always_inline]] inline uint32_t PacketNetwork::take_flight() {
  const uint32_t f = free_flight_;
  if (f == kNone) [[unlikely]]
    return add_flight();
  free_flight_ = flights_[f].message;
  return f;
}

// Fills in who sends a message of one segment to whom, and how it goes. False: there is no route.
inline bool PacketNetwork::address_anew(Flight& x, const Outgoing& m) {
  const int hops = router_->route(m.from_vertex, m.to_vertex, m.flow(), route(x));
  x.lag = {};
  x.from = m.from;
  x.to = m.to;
  x.message = kWhole;
  x.execution = m.execution;
  x.hops = static_cast<uint8_t>(hops);
  x.slowest = 0;
  return hops >= 0;
}

[[gnu::always_inline]] inline bool PacketNetwork::address(Flight& x, const Outgoing& m) {
  std::vector<Flight>& kept = kept_[m.execution];
  if (kept.empty()) return address_anew(x, m);
  Flight& last = kept[m.from];
  if (last.to != m.to) {
    if (!address_anew(x, m)) return false;
    last = x;
    return true;
  }
  x = last;
  return true;
}

[[gnu::always_inline]] inline uint32_t PacketNetwork::launch(const Outgoing& m) {
  const uint32_t f = take_flight();
  Flight& x = flights_[f];
  if (!address(x, m)) [[unlikely]] {
    free_flight(f);
    return kNone;
  }
  ++messages_launched;
  ++segments_launched;
  x.part = m.round;
  x.size_bytes = static_cast<uint32_t>(m.bytes.count);
  if (!m.alone || m.bytes > whole_max_) cut(x, m);
  return f;
}

[[gnu::always_inline]] inline bool PacketNetwork::delivered(uint32_t flight, Queue& queue) {
  ++segments_delivered;
  return flights_[flight].message == kWhole || part_delivered(flight, queue);
}

[[gnu::always_inline]] inline Delivery PacketNetwork::receive(uint32_t flight) {
  const Flight& x = flights_[flight];
  const Delivery d{x.execution, x.from, x.to, round_of(x)};
  ++messages_received;
  if (x.message == kWhole)
    free_flight(flight);
  else
    give_back(flight);
  return d;
}

template <bool kObserved>
[[gnu::always_inline]] inline Time PacketNetwork::serve(uint32_t flight, int hop, Queue& queue) {
  Flight& x = flights_[flight];
  if (x.message != kWhole && adaptive_) [[unlikely]]
    redirect(x, hop, queue.now());
  const LinkId link = route(x)[hop];
  LinkState& l = links_[link];
  LinkType& type = types_[l.type];
  const Duration d = x.message == kWhole ? type.of({x.size_bytes}) : segment_time(x, hop, type);
  const Time start = std::max(queue.now(), l.free_at);
  const Time free = start + d;
  const Time tail = std::max(free, queue.now() + x.lag);
  if constexpr (kObserved) observer_->served(flight, hop, link, start, d, tail);
  l.free_at = free;
  l.bytes += x.size_bytes;
  l.busy += d;
  x.lag = tail - start;
  const bool last = hop + 1 == x.hops;
  queue.push({(last ? tail : start) + type.latency, flight, x.execution,
              last ? uint8_t{kDelivered} : uint8_t{kArrive}, static_cast<uint8_t>(hop + 1)});
  return tail;
}

template <bool kObserved>
[[gnu::always_inline]] inline std::optional<Time> PacketNetwork::offer(uint32_t flight, Queue& queue) {
  Time left;
  if (flights_[flight].hops == 0) {  // to itself: no link, no time
    left = queue.now();
    queue.push({left, flight, flights_[flight].execution, kDelivered, 0});
  } else {
    left = serve<kObserved>(flight, 0, queue);
  }
  return go_on(flight, left, queue);
}

// A flight leaves its first link at `left`: the next segment of its message follows then, if there is one and
// the window has room.
inline std::optional<Time> PacketNetwork::go_on(uint32_t flight, Time left, Queue& queue) {
  const uint32_t m = flights_[flight].message;
  if (m == kWhole) return left;
  if (losses_) [[unlikely]]
    return journey_goes_on(flight, left, queue);
  Message& message = messages_[m];
  if (message.offered == message.segments) return left;
  if (spec_.window && message.offered - message.delivered >= *spec_.window) {
    message.stalled = true;
    message.ready_at = left;
    return std::nullopt;
  }
  const uint32_t next = next_segment(m);
  queue.push({left, next, flights_[next].execution, kArrive, 0});
  return std::nullopt;
}

}  // namespace brigade
