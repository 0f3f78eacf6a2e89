#include "sim/engine/engine.h"

#include <algorithm>
#include <tuple>
#include <type_traits>

#include "sim/base/random.h"

namespace brigade {

// tests/callgrind counts instructions against a build that cannot be observed.
#ifdef BRIGADE_WITHOUT_TRACE
constexpr bool kCanObserve = false;
#else
constexpr bool kCanObserve = true;
#endif

template <class Network>
template <bool kObserved>
struct Engine<Network>::Wire {
  Engine& e;
  Slot& slot;
  uint16_t id;

  Wire(Engine& engine, uint16_t slot_id) : e(engine), slot(*engine.slots_[slot_id]), id(slot_id) {}
  Time now() const { return e.queue_.now(); }
  uint32_t egresses(Rank r) const { return e.egresses_[slot.devices[r]]; }
  LinkId egress(Rank from, Rank to) const {
    LinkId route[256];
    const int hops = e.router_->route(slot.devices[from], slot.devices[to], outgoing(from, to).flow(), route);
    return hops > 0 ? route[0] : kNone;
  }
  [[gnu::always_inline]] std::optional<Time> send(Rank from, const Send& s, Round k, uint32_t index,
                                                  bool alone, Time at) {
    Outgoing m = outgoing(from, s.to);
    m.round = k;
    m.index = index;
    m.alone = alone;
    m.bytes = slot.run.plan().bytes(s.range);
    const uint32_t flight = e.network_.launch(m);
    if (flight == kNone) [[unlikely]] {
      e.fail_unreachable(id, from, s.to, k);
      return std::nullopt;
    }
    slot.sent[from] += m.bytes;
    if constexpr (kObserved) e.observer_->message_launched(flight, e.tag_of(flight), m.bytes, at);
    // Paid while the message before is still on its way out: `at` is when that has left.
    if (e.spec_.overhead.ps != 0) [[unlikely]]
      at = std::max(at, e.pay_overhead(m.from_vertex, now()));
    if (at == now() && e.sharers_[m.from_vertex] == 1) [[likely]]
      return e.network_.template offer<kObserved>(flight, e.queue_);
    e.queue_.push({at, flight, id, kArrive, 0});
    return std::nullopt;
  }
  void wake(Rank r, Time at) { e.queue_.push({at, r, id, kWake, 0}); }
  void finished(Rank r) { e.template finished<kObserved>(id, r); }
  void unexpected(Rank r, Round k) { e.fail_unexpected(id, r, k); }

 private:
  Outgoing outgoing(Rank from, Rank to) const {
    Outgoing m{};
    m.from_vertex = slot.devices[from];
    m.to_vertex = slot.devices[to];
    m.from = from;
    m.to = to;
    m.execution = id;
    m.flow_key = slot.flow_key;
    return m;
  }
};

// The last segment of a message leaves its first link at `at`, now or later.
template <class Network>
template <bool kObserved>
void Engine<Network>::left(uint32_t flight, Time at) {
  const auto& x = network_.flight(flight);
  const uint16_t id = x.execution;
  if (is_mailbox(id)) [[unlikely]]
    return tell_left(flight, at);
  slots_[id]->run.left(x.from, network_.index_of(x), at, Wire<kObserved>{*this, id});
}

// A rank's part of an execution is done; of the collective, when it is done in all of them.
template <class Network>
template <bool kObserved>
void Engine<Network>::finished(uint16_t id, Rank r) {
  const Slot& slot = *slots_[id];
  const CommId comm_id = slot.comm;
  const uint32_t index = slot.index;
  Communicator& comm = comms_[comm_id];
  CollectiveState& c = comm.collectives[index];
  if (slot.run.over()) free_slots_.push_back(id);
  if (!c.remaining.empty() && --c.remaining[r] != 0) return;
  if (slot.run.plan().receives_differ) [[unlikely]]
    compare_receives(slot, r);
  notices_.push_back({.what = Notice::What::kCollectiveDone,
                      .job = comm.job,
                      .comm = comm_id,
                      .index = index,
                      .rank = r,
                      .at = now()});
  if constexpr (kObserved) observer_->collective_finished(comm_id, index, r, now());
  Stream& stream = comm.streams[r];
  if (++stream.finished < stream.launched) start<kObserved>(comm_id, r);
}

template <class Network>
Engine<Network>::Engine(const Topology& topology, const NetworkSpec& spec, Options options)
    : topology_(topology),
      spec_(spec),
      options_(options),
      network_(topology, spec),
      router_(&topology.router()) {
  egresses_.resize(topology.vertices().size());
  for (const Link& l : topology.links()) egresses_[l.from] += l.up;
  sharers_.resize(topology.vertices().size());
  if (spec.overhead.ps != 0) endpoint_free_.resize(topology.vertices().size());
  order_all_ = spec.overhead.ps != 0;
}

template <class Network>
CommId Engine<Network>::add_communicator(JobId job, std::vector<VertexId> devices, std::string name,
                                         CommMembers members) {
  const size_t n = devices.size();
  for (VertexId v : devices)
    sharers_[v] = static_cast<uint16_t>(sharers_[v] + 1 + topology_.vertices()[v].forward);
  comms_.push_back({.job = job,
                    .name = std::move(name),
                    .members = std::move(members),
                    .devices = std::move(devices),
                    .streams = std::vector<Stream>(n),
                    .sent = std::vector<Bytes>(n),
                    .collectives = {},
                    .mailboxes = {}});
  // Room for what is under way in most runs: few messages a rank, or thousands in all. Address space until it
  // is used; a run that needs more grows.
  size_t room = 16384;
  for (const Communicator& c : comms_) room += 4 * c.devices.size();
  queue_.reserve(room);
  network_.reserve(room);
  notices_.reserve(room);
  return static_cast<CommId>(comms_.size() - 1);
}

template <class Network>
uint32_t Engine<Network>::add_collective(CommId comm, CollectiveCall call) {
  Communicator& c = comms_[comm];
  for (const auto& plan : call.plans)
    BRIGADE_CHECK(plan->ranks == c.devices.size(), "a plan of ", plan->ranks, " ranks on ", c.devices.size());
  if (call.plans.size() > 1)
    for (VertexId v : c.devices) sharers_[v] = std::max<uint16_t>(sharers_[v], 2);
  c.collectives.push_back({.call = std::move(call), .slots = {}, .remaining = {}});
  return static_cast<uint32_t>(c.collectives.size() - 1);
}

template <class Network>
void Engine<Network>::launch(CommId comm, Rank r) {
  Stream& s = comms_[comm].streams[r];
  BRIGADE_CHECK(s.launched < comms_[comm].collectives.size(), "rank ", r,
                " calls a collective that was not added");
  if (s.launched++ != s.finished) return;
  if (kCanObserve && observer_ != nullptr)
    start<true>(comm, r);
  else
    start<false>(comm, r);
}

template <class Network>
void Engine<Network>::timer(JobId job, Rank r, Time at, uint8_t token) {
  queue_.push({at, r, job, kTimer, token});
}

template <class Network>
void Engine<Network>::give_slots(CommId comm, uint32_t index) {
  CollectiveState& c = comms_[comm].collectives[index];
  const size_t n = c.call.plans.size();
  for (size_t i = 0; i < n; ++i) {
    if (free_slots_.empty()) {
      BRIGADE_CHECK(slots_.size() + 1 < first_mailbox_, slots_.size(), " executions at once");
      free_slots_.push_back(static_cast<uint16_t>(slots_.size()));
      slots_.push_back(std::make_unique<Slot>());
    }
    const uint16_t id = free_slots_.back();
    free_slots_.pop_back();
    Slot& slot = *slots_[id];
    slot.run.reset(c.call.plans[i], c.call.lockstep);
    slot.comm = comm;
    slot.index = index;
    slot.execution = static_cast<uint32_t>(i);
    slot.devices = comms_[comm].devices.data();
    slot.sent = comms_[comm].sent.data();
    slot.flow_key = mix(options_.seed + i);
    // Communicators in job order.
    network_.begin_execution(id, uint64_t{comm} << 48 | uint64_t{index} << 16 | i, c.call.message_class,
                             c.call.plans[i]->repeats_peers() ? c.call.plans[i]->ranks : 0);
    c.slots.push_back(id);
  }
  if (n > 1) c.remaining.assign(comms_[comm].devices.size(), static_cast<uint16_t>(n));
}

template <class Network>
template <bool kObserved>
void Engine<Network>::start(CommId comm, Rank r) {
  Communicator& c = comms_[comm];
  const uint32_t index = c.streams[r].finished;
  if (c.collectives[index].slots.empty()) give_slots(comm, index);
  if (!c.collectives[index].call.others.empty()) [[unlikely]]
    compare_sizes(comm, index, r);
  if constexpr (kObserved) observer_->collective_started(comm, index, r, now());
  CollectiveState& state = c.collectives[index];
  for (size_t i = 0; i < state.call.plans.size(); ++i) {
    const uint16_t id = state.slots[i];
    slots_[id]->run.start(r, Wire<kObserved>{*this, id});
  }
}

// Where thousands of messages are under way, each waits in a cold line: fetched all at once, the waits
// overlap.
template <class Network>
void Engine<Network>::prefetch(std::span<const Event> soon) const {
  network_.prefetch(soon);
  for (const Event& e : soon) {
    if (e.kind != kDelivered || e.of >= first_mailbox_) continue;  // a mailbox runs nothing
    const Slot& slot = *slots_[e.of];
    const Rank to = network_.flight(e.id).to;
    slot.run.prefetch(to);
    __builtin_prefetch(&slot.sent[to], 1);
  }
}

template <class Network>
template <bool kObserved>
void Engine<Network>::process(std::span<const Event> batch) {
  constexpr bool kBySegments = std::is_same_v<Network, PacketNetwork>;  // which come to link after link
  for (const Event& e : batch) {
    switch (e.kind) {
      case kArrive: {
        if constexpr (kObserved && kBySegments) {
          if (network_.drops(e)) break;
          if (network_.keeps_queue(e.id, e.hop)) {
            network_.wait(e.id, e.hop, queue_);
            break;
          }
        }
        if constexpr (kBySegments)
          if (e.hop != 0) {
            network_.template serve<kObserved>(e.id, e.hop, queue_);
            break;
          }
        if (const auto at = network_.template offer<kObserved>(e.id, queue_)) left<kObserved>(e.id, *at);
        break;
      }
      case kDelivered:
        if constexpr (kObserved && kBySegments)
          if (network_.drops(e)) break;
        if (!network_.delivered(e.id, queue_)) break;
        if (spec_.overhead.ps != 0) {
          receive_later(e.id);
          break;
        }
        [[fallthrough]];
      case kReceived: {
        if constexpr (kObserved) observer_->message_received(tag_of(e.id), now());
        const Delivery d = network_.receive(e.id);
        if (is_mailbox(e.of)) [[unlikely]]
          received(e.of, d);
        else
          slots_[e.of]->run.arrived(d.to, d.round, Wire<kObserved>{*this, e.of});
        break;
      }
      case kLinkFree:
        if (batch.front().kind != kLinkFree) {  // sorted last: something else happens at this instant
          queue_.push(e);
        } else if constexpr (kBySegments) {
          const auto served = network_.choose(e, queue_);
          if (served.left) left<kObserved>(served.flight, *served.left);
        } else {
          const auto served = network_.choose(e.id, queue_);
          if (served.left) left<kObserved>(served.flight, *served.left);
        }
        break;
      case kLeft:
        notify_left(e.id);
        break;
      case kWake:
        slots_[e.of]->run.advance(e.id, Wire<kObserved>{*this, e.of});
        break;
      case kTimer:
        notices_.push_back(
            {.what = Notice::What::kTimer, .token = e.hop, .job = e.of, .rank = e.id, .at = e.at});
        break;
      case kAlarm:
        ring(e);
        break;
      case kResume:
        resume(e.id);
        break;
      case kChange:  // was first in its batch
        break;
      default:
        BRIGADE_CHECK(false, "event of kind ", int{e.kind});
    }
  }
}

template <class Network>
std::optional<Notice> Engine<Network>::next() {
  while (next_notice_ == notices_.size()) {
    notices_.clear();
    next_notice_ = 0;
    if (queue_.size() == network_.idle_events() + idle_ || !failure_.empty()) return std::nullopt;
    const std::span<Event> batch = queue_.next_batch([this](auto soon) { prefetch(soon); });
    if (options_.shuffle) std::reverse(batch.begin(), batch.end());
    network_.order(batch, order_all_);
    if (timetable_) [[unlikely]]
      for (const Event& e : batch)
        if (e.kind == kChange) change(e);
    events_ += static_cast<int64_t>(batch.size());
    if (options_.hash_events) hash_batch(batch);
    if (kCanObserve && observer_ != nullptr)
      process<true>(batch);
    else
      process<false>(batch);
    if (notices_.size() > 1) sort_notices();
  }
  return notices_[next_notice_++];
}

template <class Network>
void Engine<Network>::sort_notices() {
  const auto key = [](const Notice& n) {
    return std::tie(n.what, n.job, n.comm, n.index, n.token, n.rank, n.peer);
  };
  std::sort(notices_.begin(), notices_.end(),
            [&](const Notice& a, const Notice& b) { return key(a) < key(b); });
}

template <class Network>
void Engine<Network>::receive_later(uint32_t flight) {
  const auto& x = network_.flight(flight);
  const VertexId endpoint = comms_[comm_of(x.execution)].devices[x.to];
  queue_.push({pay_overhead(endpoint, now()), flight, x.execution, kReceived, 0});
}

template <class Network>
Time Engine<Network>::pay_overhead(VertexId endpoint, Time at) {
  return endpoint_free_[endpoint] = std::max(at, endpoint_free_[endpoint]) + spec_.overhead;
}

template <class Network>
void Engine<Network>::observe(EngineObserver* observer) {
  observer_ = observer == nullptr && network_.keeps_queues() ? &nobody_ : observer;
  network_.observe(observer_);
}

template <class Network>
MessageTag Engine<Network>::tag_of(uint32_t flight) const {
  const auto& x = network_.flight(flight);
  if (is_mailbox(x.execution))
    return {mailbox(x.execution).comm, kNone, 0, x.from, x.to, network_.round_of(x), network_.index_of(x)};
  const Slot& s = *slots_[x.execution];
  return {s.comm, s.index, s.execution, x.from, x.to, network_.round_of(x), network_.index_of(x)};
}

template <class Network>
LinkUse Engine<Network>::use_of(LinkId link) const {
  const LinkState& l = network_.links()[link];
  return {{l.bytes}, l.busy};
}

template <class Network>
Simulation::Counts Engine<Network>::counts() const {
  Counts c{.events = events_,
           .messages = network_.messages_received,
           .segments = network_.segments_delivered,
           .event_hash = event_hash_};
  if constexpr (std::is_same_v<Network, PacketNetwork>) {
    c.segments_lost = network_.segments_lost;
    if (network_.losses() != nullptr) c.messages_resumed = network_.losses()->messages_resumed;
  }
  return c;
}

template class Engine<PacketNetwork>;
template class Engine<FluidNetwork>;

}  // namespace brigade
