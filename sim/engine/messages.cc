// Messages between two ranks outside of collectives, and what jobs are told of them.
#include <type_traits>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/random.h"
#include "sim/engine/engine.h"

namespace brigade {

template <class Network>
void Engine<Network>::serve_by_class() {
  if constexpr (std::is_same_v<Network, PacketNetwork>)
    network_.keep_queues();
  else
    BRIGADE_CHECK(false, "this network has no classes of messages");
  offer_through_queue();
}

// So that a link that keeps its queue chooses among all of an instant.
template <class Network>
void Engine<Network>::offer_through_queue() {
  order_all_ = true;
  for (uint16_t& sharers : sharers_) sharers = static_cast<uint16_t>(sharers + 2);
  observe(observer_);
}

template <class Network>
uint16_t Engine<Network>::mailbox_for(CommId comm, const PointToPoint& m) {
  BRIGADE_CHECK(m.message_class < kClasses && (m.message_class == 0 || network_.keeps_queues()),
                "a message of class ", int{m.message_class});
  uint16_t& id = comms_[comm].mailboxes[size_t{m.message_class} * 2 + m.tell_left];
  if (id != 0) return id;
  BRIGADE_CHECK(slots_.size() + 2 < first_mailbox_, slots_.size(), " executions at once");
  id = static_cast<uint16_t>(--first_mailbox_);
  mailboxes_.push_back({comm, m.tell_left});
  network_.begin_execution(id, uint64_t{comm} << 48 | uint64_t{kNone} << 16 | m.tell_left, m.message_class,
                           0);
  return id;
}

template <class Network>
void Engine<Network>::send(CommId comm, const PointToPoint& m) {
  Communicator& c = comms_[comm];
  const uint16_t id = mailbox_for(comm, m);
  const VertexId device = c.devices[m.from];
  const uint32_t flight = network_.launch({.from_vertex = device,
                                           .to_vertex = c.devices[m.to],
                                           .from = m.from,
                                           .to = m.to,
                                           .round = m.tag,
                                           .index = m.to,
                                           .alone = false,
                                           .execution = id,
                                           .bytes = m.bytes,
                                           .flow_key = mix(options_.seed)});
  if (flight == kNone) return fail_unreachable(id, m.from, m.to, m.tag);
  c.sent[m.from] += m.bytes;
  if (observer_ != nullptr) observer_->message_launched(flight, tag_of(flight), m.bytes, now());
  const Time at = spec_.overhead.ps == 0 ? now() : pay_overhead(device, now());
  queue_.push({at, flight, id, kArrive, 0});
}

template <class Network>
void Engine<Network>::received(uint16_t id, const Delivery& d) {
  const CommId comm = mailbox(id).comm;
  notices_.push_back({.what = Notice::What::kMessage,
                      .job = comms_[comm].job,
                      .comm = comm,
                      .index = d.round,
                      .rank = d.to,
                      .peer = d.from,
                      .at = now()});
}

// The sender is told when it happens, by an event: the flight may be gone by then.
template <class Network>
void Engine<Network>::tell_left(uint32_t flight, Time at) {
  const auto& x = network_.flight(flight);
  const Mailbox& box = mailbox(x.execution);
  if (!box.tell_left) return;
  if (free_left_.empty()) {
    free_left_.push_back(static_cast<uint32_t>(left_.size()));
    left_.emplace_back();
  }
  const uint32_t record = free_left_.back();
  free_left_.pop_back();
  left_[record] = {box.comm, x.from, x.to, network_.round_of(x)};
  queue_.push({at, record, 0, kLeft, 0});
}

template <class Network>
void Engine<Network>::notify_left(uint32_t record) {
  const Left& l = left_[record];
  free_left_.push_back(record);
  notices_.push_back({.what = Notice::What::kLeft,
                      .job = comms_[l.comm].job,
                      .comm = l.comm,
                      .index = l.tag,
                      .rank = l.from,
                      .peer = l.to,
                      .at = now()});
}

template void Engine<PacketNetwork>::serve_by_class();
template void Engine<PacketNetwork>::offer_through_queue();
template void Engine<FluidNetwork>::offer_through_queue();
template uint16_t Engine<PacketNetwork>::mailbox_for(CommId, const PointToPoint&);
template void Engine<PacketNetwork>::send(CommId, const PointToPoint&);
template void Engine<PacketNetwork>::received(uint16_t, const Delivery&);
template void Engine<PacketNetwork>::tell_left(uint32_t, Time);
template void Engine<PacketNetwork>::notify_left(uint32_t);
template void Engine<FluidNetwork>::serve_by_class();
template uint16_t Engine<FluidNetwork>::mailbox_for(CommId, const PointToPoint&);
template void Engine<FluidNetwork>::send(CommId, const PointToPoint&);
template void Engine<FluidNetwork>::received(uint16_t, const Delivery&);
template void Engine<FluidNetwork>::tell_left(uint32_t, Time);
template void Engine<FluidNetwork>::notify_left(uint32_t);

}  // namespace brigade
