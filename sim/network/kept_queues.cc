// Links that keep their queue: what waits at them, who goes next, and what happens where their rate changes
// or they die (losses.h).
#include <algorithm>
#include <utility>

#include "sim/network/packet_network.h"

namespace brigade {

void PacketNetwork::keep_queues(std::span<const LinkId> links) {
  BRIGADE_CHECK(messages_launched == 0, messages_launched, " messages are under way");
  BRIGADE_CHECK(!adaptive_, "loads are read off timetables, and links that keep queues have none");
  Line empty;
  empty.first.fill(kNone);
  empty.last.fill(kNone);
  lines_.resize(links_.size(), empty);
  for (const LinkId l : links) lines_[l].kept = true;
}

void PacketNetwork::keep_queues() {
  keep_queues({});
  for (Line& line : lines_) line.kept = true;
}

void PacketNetwork::wait(uint32_t flight, int hop, Queue& queue) {
  const Flight& x = flights_[flight];
  const LinkId link = route(x)[hop];
  Line& line = lines_[link];
  if (losses_ && losses_->links[link].dead) {
    note_loss(flight, link, queue);
    return drop(flight, hop);
  }
  const MessageClass c = order_[x.execution].message_class;
  if (waiting_.size() <= flight) waiting_.resize(flights_.size());
  waiting_[flight] = {queue.now() + x.lag, kNone, static_cast<uint8_t>(hop)};
  if (line.first[c] == kNone)
    line.first[c] = flight;
  else
    waiting_[line.last[c]].next = flight;
  line.last[c] = flight;
  observer_->waits(link, {x.size_bytes}, queue.now());
  if (std::exchange(line.told, true)) return;
  queue.push({std::max(queue.now(), links_[link].free_at), link, line.epoch, kLinkFree, 0});
}

PacketNetwork::Served PacketNetwork::choose(const Event& link_free, Queue& queue) {
  const LinkId link = link_free.id;
  Line& line = lines_[link];
  if (line.epoch != link_free.of) return {kNone, std::nullopt};  // it has died since
  const auto next =
      std::find_if(line.first.rbegin(), line.first.rend(), [](uint32_t f) { return f != kNone; });
  BRIGADE_CHECK(next != line.first.rend() && links_[link].free_at <= queue.now(), "a link that is ",
                links_[link].free_at.ps - queue.now().ps, " ps from being free chooses");
  const uint32_t flight = *next;
  *next = waiting_[flight].next;
  line.told = std::any_of(line.first.begin(), line.first.end(), [](uint32_t f) { return f != kNone; });
  const int hop = waiting_[flight].hop;
  // Of its tail more has come while it waited.
  flights_[flight].lag = std::max(waiting_[flight].tail, queue.now()) - queue.now();
  const bool gone = losses_ && is_gone(flight);  // its message is over, which nobody can be told of any more
  if (gone) observer_->waits(link, Bytes{} - Bytes{flights_[flight].size_bytes}, queue.now());
  const Time left = gone ? serve<false>(flight, hop, queue) : serve<true>(flight, hop, queue);
  if (line.told) queue.push({links_[link].free_at, link, line.epoch, kLinkFree, 0});
  if (losses_) {
    std::vector<Losses::OnLink>& on_link = losses_->links[link].on_link;
    on_link.erase(std::remove_if(on_link.begin(), on_link.end(),
                                 [&](const Losses::OnLink& o) { return o.until <= queue.now(); }),
                  on_link.end());
    on_link.push_back({flight, losses_->generation[flight], flights_[flight].size_bytes,
                       left + types_[links_[link].type].latency});
  }
  if (hop > 0) return {flight, std::nullopt};
  return {flight, go_on(flight, left, queue)};
}

void PacketNetwork::set_bandwidth(LinkId link, Bandwidth bandwidth) {
  BRIGADE_CHECK(keeps_queue(link), "link ", link, " settles its timetable on arrival");
  const Duration latency = types_[links_[link].type].latency;
  const auto it = std::find_if(types_.begin(), types_.end(), [&](const LinkType& t) {
    return t.bandwidth == bandwidth && t.latency == latency;
  });
  links_[link].type = static_cast<uint32_t>(it - types_.begin());
  if (it == types_.end()) types_.push_back({bandwidth, latency});
}

// --- links that die

void PacketNetwork::expect_deaths() {
  constexpr size_t kHopsMax = 255;  // detours may be long
  BRIGADE_CHECK(messages_launched == 0 && spec_.routing != Routing::kAdaptive,
                "messages are under way, or choose links as they go");
  losses_ = std::make_unique<Losses>();
  losses_->links.resize(links_.size());
  losses_->lost_bytes_at.resize(topology_.vertices().size());
  whole_max_ = {-1};  // every message has a record
  stride_ = kHopsMax;
  long_routes_.resize(flights_.size() * stride_);
  long_heads_.resize(messages_.size() * stride_);
}

void PacketNetwork::begin_journey(uint32_t message, const Outgoing& m, uint32_t flight) {
  if (losses_->journeys.size() < messages_.size()) losses_->journeys.resize(messages_.size());
  losses_->journeys[message] = {.from = m.from_vertex, .to = m.to_vertex, .flow = m.flow()};
  losses_->journeys[message].got.resize(messages_[message].segments);
  join_journey(flight);
}

void PacketNetwork::join_journey(uint32_t flight) {
  if (losses_->attempt.size() < flights_.size()) {
    losses_->attempt.resize(flights_.size());
    losses_->generation.resize(flights_.size());
  }
  Losses::Journey& j = losses_->journeys[flights_[flight].message];
  losses_->attempt[flight] = j.attempt;
  ++j.under_way;
  ++j.flights;
}

bool PacketNetwork::is_gone(uint32_t flight) const {
  return losses_->attempt[flight] == Losses::kLost || losses_->journeys[flights_[flight].message].complete;
}

// A segment that its sender has yet to offer is not, once the message is sent anew.
bool PacketNetwork::drops(const Event& e) {
  if (!losses_) return false;
  const Losses::Journey& j = losses_->journeys[flights_[e.id].message];
  const bool of_old = e.kind == kArrive && e.hop == 0 && losses_->attempt[e.id] != j.attempt;
  if (!is_gone(e.id) && !of_old) return false;
  drop(e.id, e.kind == kArrive ? e.hop : flights_[e.id].hops);
  return true;
}

void PacketNetwork::release(uint32_t flight) {
  const uint32_t m = flights_[flight].message;
  Losses::Journey& j = losses_->journeys[m];
  if (losses_->attempt[flight] == j.attempt) --j.under_way;
  ++losses_->generation[flight];
  free_flight(flight);
  if (--j.flights == 0 && j.received) free_messages_.push_back(m);
}

// On its way to link `hop` of its route.
void PacketNetwork::drop(uint32_t flight, int hop) {
  const Flight& x = flights_[flight];
  if (hop > 0) losses_->lost_bytes_at[topology_.links()[route(x)[hop - 1]].to] += x.size_bytes;
  ++(losses_->attempt[flight] == Losses::kLost ? segments_lost : losses_->segments_dropped);
  release(flight);
}

// Marks the flight as lost; its message is sent anew, unless that is done already or another segment of the
// present attempt will carry the same.
void PacketNetwork::note_loss(uint32_t flight, LinkId link, Queue& queue) {
  const Flight& x = flights_[flight];
  Losses::Journey& j = losses_->journeys[x.message];
  uint32_t& attempt = losses_->attempt[flight];
  const bool of_present = attempt == j.attempt;
  attempt = Losses::kLost;
  if (j.waits || j.got[x.part] || (!of_present && x.part >= j.start)) return;
  j.waits = true;
  queue.push({std::max(queue.now(), losses_->links[link].known), x.message, x.execution, kResume, 0});
}

void PacketNetwork::kill(LinkId link, Time known, Queue& queue) {
  Losses::Link& l = losses_->links[link];
  Line& line = lines_[link];
  l.dead = true;
  l.known = known;
  for (size_t c = 0; c < kClasses; ++c)
    for (uint32_t f = std::exchange(line.first[c], kNone); f != kNone;) {
      const uint32_t next = waiting_[f].next;
      observer_->waits(link, Bytes{} - Bytes{flights_[f].size_bytes}, queue.now());
      if (!is_gone(f)) note_loss(f, link, queue);
      drop(f, waiting_[f].hop);
      f = next;
    }
  line.told = false;
  ++line.epoch;
  const std::vector<Losses::OnLink> on_link = std::exchange(l.on_link, {});
  for (const Losses::OnLink& o : on_link)
    if (o.until > queue.now() && o.generation == losses_->generation[o.flight] && !is_gone(o.flight))
      note_loss(o.flight, link, queue);
  LinkState& state = links_[link];
  if (state.free_at <= queue.now()) return;
  observer_->died(link, queue.now(), state.free_at);
  l.cut_bytes += on_link.back().size_bytes;
  state.busy = state.busy - (state.free_at - queue.now());
  state.free_at = queue.now();
}

void PacketNetwork::revive(LinkId link) { losses_->links[link].dead = false; }

bool PacketNetwork::resume(uint32_t message, Queue& queue) {
  Losses::Journey& j = losses_->journeys[message];
  Message& m = messages_[message];
  const int hops =
      router_->route(j.from, j.to, j.flow, long_heads_.data() + static_cast<size_t>(message) * stride_);
  if (hops < 0) return false;
  m.head.hops = static_cast<uint8_t>(hops);
  m.head.slowest = 0;
  m.head.lag = {};
  ++j.attempt;
  j.start = static_cast<uint32_t>(std::find(j.got.begin(), j.got.end(), false) - j.got.begin());
  j.under_way = 0;
  j.waits = false;
  m.offered = j.start;
  m.stalled = false;
  ++losses_->messages_resumed;
  offer_next(message, queue.now(), queue);
  return true;
}

void PacketNetwork::offer_next(uint32_t message, Time at, Queue& queue) {
  const uint32_t next = next_segment(message);
  queue.push({at, next, flights_[next].execution, kArrive, 0});
}

std::optional<Time> PacketNetwork::journey_goes_on(uint32_t flight, Time left, Queue& queue) {
  const Flight& x = flights_[flight];
  Losses::Journey& j = losses_->journeys[x.message];
  Message& m = messages_[x.message];
  if (x.part + 1 == m.segments) return std::exchange(j.left, true) ? std::nullopt : std::optional(left);
  if (losses_->attempt[flight] != j.attempt || j.complete) return std::nullopt;
  if (spec_.window && j.under_way >= *spec_.window) {
    m.stalled = true;
    m.ready_at = left;
  } else {
    offer_next(x.message, left, queue);
  }
  return std::nullopt;
}

bool PacketNetwork::journey_delivered(uint32_t flight, Queue& queue) {
  const Flight& x = flights_[flight];
  const uint32_t message = x.message;
  Losses::Journey& j = losses_->journeys[message];
  Message& m = messages_[message];
  if (!j.got[x.part]) {
    j.got[x.part] = true;
    if (++m.delivered == m.segments) return j.complete = true;
  }
  release(flight);
  if (m.stalled && j.under_way < *spec_.window) {
    m.stalled = false;
    offer_next(message, std::max(queue.now(), m.ready_at), queue);
  }
  return false;
}

}  // namespace brigade
