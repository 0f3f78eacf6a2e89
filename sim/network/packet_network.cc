#include "sim/network/packet_network.h"

#include <map>
#include <tuple>

#include "sim/base/random.h"
#include "sim/topology/choice.h"

namespace brigade {
namespace {

Bytes segment_max_of(const NetworkSpec& spec) {
  switch (spec.segment_rule) {
    case SegmentRule::kFixed:
      return std::min(spec.segment, kSegmentMax);
    case SegmentRule::kWhole:
      return kSegmentMax;
    case SegmentRule::kAuto:
      break;
  }
  return {1};  // cut into at most kAutoSegments
}

}  // namespace

PacketNetwork::PacketNetwork(const Topology& topology, const NetworkSpec& spec)
    : topology_(topology),
      router_(&topology.router()),
      spec_(spec),
      segment_max_(segment_max_of(spec)),
      whole_max_(segment_max_) {
  std::map<std::pair<int64_t, int64_t>, uint32_t> type_of;
  links_.reserve(topology.links().size());
  for (const Link& l : topology.links()) {
    const auto [it, fresh] =
        type_of.try_emplace({l.bandwidth.bytes_per_s().count, l.latency.ps}, types_.size());
    if (fresh) types_.push_back({l.bandwidth, l.latency});
    links_.push_back({.free_at = {}, .bytes = 0, .busy = {}, .type = it->second, .touched = 0});
  }
  const int hops = topology.router().hops_max();
  BRIGADE_CHECK(hops < 256, "routes of ", hops, " links");
  if (hops > kInlineHops) stride_ = static_cast<size_t>(hops);
  if (spec.routing == Routing::kAdaptive) {
    adaptive_.emplace(topology);
    whole_max_ = {-1};
  }
}

void PacketNetwork::reserve(size_t flights) {
  flights_.reserve(flights);
  long_routes_.reserve(flights * stride_);
  messages_.reserve(flights);
  long_heads_.reserve(flights * stride_);
  free_messages_.reserve(flights);
  if (spec_.routing == Routing::kSpray) sprays_.reserve(flights);
  met_.reserve(flights);
}

void PacketNetwork::begin_execution(uint16_t execution, uint64_t order, MessageClass message_class,
                                    Rank ranks_with_peers) {
  if (order_.size() <= execution) {
    order_.resize(size_t{execution} + 1);
    kept_.resize(size_t{execution} + 1);
  }
  order_[execution] = {order, message_class};
  Flight none{};
  none.to = kNone;
  const bool inside = stride_ == 0;  // the flight carries its route
  kept_[execution].assign(inside ? ranks_with_peers : 0, none);
}

uint32_t PacketNetwork::add_flight() {
  flights_.emplace_back();
  long_routes_.resize(flights_.size() * stride_);
  return static_cast<uint32_t>(flights_.size() - 1);
}

uint32_t PacketNetwork::take_message() {
  if (!free_messages_.empty()) {
    const uint32_t m = free_messages_.back();
    free_messages_.pop_back();
    return m;
  }
  messages_.emplace_back();
  long_heads_.resize(messages_.size() * stride_);
  return static_cast<uint32_t>(messages_.size() - 1);
}

Bytes PacketNetwork::segment_size(Bytes message) const {
  if (spec_.segment_rule != SegmentRule::kAuto) return segment_max_;
  const Bytes even{(message.count + kAutoSegments - 1) / kAutoSegments};
  return std::clamp(even, Bytes{1}, kSegmentMax);
}

// Gives a message its record: it has several segments, or is one of several of its round.
void PacketNetwork::cut(Flight& x, const Outgoing& m) {
  const uint32_t r = take_message();
  const Bytes segment = segment_size(m.bytes);
  x.message = r;
  x.part = 0;
  x.size_bytes = static_cast<uint32_t>(std::min(segment, m.bytes).count);
  const int64_t segments = std::max<int64_t>(1, (m.bytes.count + segment.count - 1) / segment.count);
  BRIGADE_CHECK(segments < UINT32_MAX, segments, " segments in a message");
  messages_[r] = {.head = x,
                  .bytes = m.bytes,
                  .segment = segment,
                  .round = m.round,
                  .index = m.index,
                  .segments = static_cast<uint32_t>(segments),
                  .offered = 1,
                  .delivered = 0,
                  .stalled = false,
                  .ready_at = {}};
  if (stride_ != 0) std::copy_n(route(x), x.hops, long_heads_.begin() + ptrdiff_t(r * stride_));
  if (losses_) begin_journey(r, m, static_cast<uint32_t>(&x - flights_.data()));
  if (spec_.routing != Routing::kSpray) return;
  if (sprays_.size() < messages_.size()) sprays_.resize(messages_.size());
  sprays_[r] = {m.from_vertex, m.to_vertex, m.flow()};
}

uint32_t PacketNetwork::next_segment(uint32_t message) {
  const uint32_t f = take_flight();
  Message& m = messages_[message];
  Flight& x = flights_[f];
  x = m.head;
  if (stride_ != 0) std::copy_n(long_heads_.begin() + ptrdiff_t(message * stride_), x.hops, route(x));
  x.part = m.offered++;
  const int64_t begin = x.part * m.segment.count;
  x.size_bytes = static_cast<uint32_t>(std::min(m.segment.count, m.bytes.count - begin));
  if (spec_.routing == Routing::kSpray) {
    const Spray& s = sprays_[message];
    const int hops = router_->route(s.from, s.to, mix(s.flow ^ mix(x.part)), route(x));
    BRIGADE_CHECK(hops >= 0 || losses_, "segment ", x.part, " has no route, and its message had one");
    if (hops >= 0)
      x.hops = static_cast<uint8_t>(hops);
    else  // all know that every way is dead: it is lost on the first one, and with it the run ends
      std::copy_n(long_heads_.begin() + ptrdiff_t(message * stride_), x.hops, route(x));
  }
  ++segments_launched;
  if (losses_) join_journey(f);
  return f;
}

// The segment's head is at link `hop` of its route: it goes on by the link that is free first. A way that is
// given (ClusterSpec::routes), or that leads through NVLink to a rail, is kept.
void PacketNetwork::redirect(Flight& x, int hop, Time now) {
  const VertexId at = topology_.links()[route(x)[hop]].from, to = topology_.links()[route(x)[x.hops - 1]].to;
  const std::span<const LinkId> choices = adaptive_->choices(at, to);
  if (choices.size() < 2 || std::find(choices.begin(), choices.end(), route(x)[hop]) == choices.end()) return;
  const uint64_t flow = mix((uint64_t{x.from} << 32 | x.to) ^ mix(uint64_t{round_of(x)} << 32 | x.part));
  const size_t first = brigade::choose(flow, at, static_cast<uint32_t>(choices.size()));
  LinkId best = choices[first];
  for (size_t i = 1; i < choices.size(); ++i) {
    const LinkId other = choices[(first + i) % choices.size()];
    if (std::max(links_[other].free_at, now) < std::max(links_[best].free_at, now)) best = other;
  }
  if (best == route(x)[hop]) return;
  route(x)[hop] = best;
  const size_t room = stride_ == 0 ? size_t{kInlineHops} : stride_;
  const std::span<LinkId> rest{route(x) + hop + 1, room - static_cast<size_t>(hop) - 1};
  x.hops = static_cast<uint8_t>(hop + 1 + adaptive_->follow(topology_.links()[best].to, to, flow, rest));
}

// A cut must not cost a picosecond: a faster link never takes longer for a segment than the slowest one
// before it.
Duration PacketNetwork::segment_time(Flight& x, int hop, LinkType& type) {
  const Message& m = messages_[x.message];
  const Bytes begin = int64_t{x.part} * m.segment;
  const Bytes end = begin + Bytes{x.size_bytes};
  const auto between = [&](LinkType& t) { return t.of(end) - (begin.count == 0 ? Duration{} : t.of(begin)); };
  const Duration own = between(type);
  LinkType& before = types_[links_[route(x)[x.slowest]].type];
  if (hop == 0 || type.bandwidth < before.bandwidth) {
    x.slowest = static_cast<uint8_t>(hop);
    return own;
  }
  return std::min(own, between(before));
}

// Of a message that has been received, with its record.
void PacketNetwork::give_back(uint32_t flight) {
  const uint32_t m = flights_[flight].message;
  if (losses_) {
    losses_->journeys[m].received = true;
    return release(flight);
  }
  free_messages_.push_back(m);
  free_flight(flight);
}

bool PacketNetwork::part_delivered(uint32_t flight, Queue& queue) {
  if (losses_) return journey_delivered(flight, queue);
  const uint32_t m = flights_[flight].message;
  Message& message = messages_[m];
  if (++message.delivered == message.segments) return true;
  free_flight(flight);
  if (message.stalled) {
    message.stalled = false;
    const Time at = std::max(queue.now(), message.ready_at);
    const uint32_t next = next_segment(m);
    queue.push({at, next, flights_[next].execution, kArrive, 0});
  }
  return false;
}

void PacketNetwork::prefetch(std::span<const Event> soon) const {
  for (const Event& e : soon)
    if (e.kind < kLinkFree) __builtin_prefetch(&flights_[e.id], 1);
  for (const Event& e : soon) {
    if (e.kind >= kLinkFree || flights_[e.id].hops == 0) continue;
    const Flight& x = flights_[e.id];
    // What is delivered lets its receiver send on: most often by the other direction of the last cable, which
    // shares a cache line with this one.
    const bool arrives = e.kind == kArrive;
    __builtin_prefetch(&links_[route(x)[arrives ? e.hop : x.hops - 1]], 1);
    if (!arrives && !kept_[x.execution].empty()) __builtin_prefetch(&kept_[x.execution][x.to], 1);
  }
}

PacketNetwork::Met PacketNetwork::met_by(const Event& e) const {
  if (e.kind == kResume) {
    const Message& m = messages_[e.id];
    return {.place = m.head.to,
            .kind = static_cast<uint8_t>(e.kind * kClasses),
            .from = m.head.from,
            .round = m.round,
            .index = m.index,
            .segment = 0,
            .execution = order_[m.head.execution].number,
            .event = e};
  }
  if (e.kind >= kLinkFree)
    return {.place = e.id,
            .kind = e.kind == kLinkFree ? uint8_t{UINT8_MAX} : static_cast<uint8_t>(e.kind * kClasses),
            .from = 0,
            .round = 0,
            .index = e.hop,
            .segment = 0,
            .execution = e.of,
            .event = e};
  const Flight& x = flights_[e.id];
  const bool at_link = e.kind == kArrive && x.hops > 0;
  const Order& order = order_[x.execution];
  return {.place = at_link ? route(x)[e.hop] : x.to,
          .kind = static_cast<uint8_t>(e.kind * kClasses + (kClasses - 1 - order.message_class)),
          .from = x.from,
          .round = round_of(x),
          .index = index_of(x),
          .segment = segment_of(x),
          .execution = order.number,
          .event = e};
}

void PacketNetwork::order_all(std::span<Event> batch) {
  met_.clear();
  for (const Event& e : batch) met_.push_back(met_by(e));
  const auto key = [](const Met& m) {
    return std::tie(m.kind, m.place, m.execution, m.from, m.round, m.index, m.segment);
  };
  std::sort(met_.begin(), met_.end(), [&](const Met& a, const Met& b) { return key(a) < key(b); });
  const auto where = [](const Met& m) { return std::tie(m.kind, m.place, m.execution); };
  const auto message = [](const Met& m) { return std::tie(m.from, m.round, m.index); };
  for (size_t i = 1; i < met_.size() && !ranks_decided_; ++i)
    ranks_decided_ = where(met_[i - 1]) == where(met_[i]) && message(met_[i - 1]) != message(met_[i]);
  for (size_t i = 0; i < batch.size(); ++i) batch[i] = met_[i].event;
}

void PacketNetwork::order(std::span<Event> batch, bool everything) {
  if (batch.size() == 1) return;
  if (everything || adaptive_) return order_all(batch);
  batch_ = (batch_ + 2) & ~uint32_t{1};  // bit 0 of `touched`: two events of this batch came by
  bool met = false;
  for (const Event& e : batch) {
    if (e.kind != kArrive) continue;
    const Flight& x = flights_[e.id];
    if (x.hops == 0) continue;
    LinkState& l = links_[route(x)[e.hop]];
    const bool second = (l.touched | 1) == (batch_ | 1);
    l.touched = batch_ | second;
    met |= second;
  }
  if (!met) return;
  const auto alone = [&](const Event& e) {
    if (e.kind != kArrive || flights_[e.id].hops == 0) return true;
    return links_[route(flights_[e.id])[e.hop]].touched != (batch_ | 1);
  };
  const auto first = std::partition(batch.begin(), batch.end(), alone);
  order_all({first, batch.end()});
}

}  // namespace brigade
