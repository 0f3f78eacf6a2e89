// Links that change in mid-run, as the engine carries it out: rates, deaths and returns at their instants,
// routes when all know of them, and messages that go on after a loss.
#include <cmath>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/engine/engine.h"

namespace brigade {

template <class Network>
void Engine<Network>::keep_queues_of(std::span<const LinkId> links) {
  if constexpr (std::is_same_v<Network, PacketNetwork>)
    network_.keep_queues(links);
  else
    BRIGADE_CHECK(links.empty(), "links of this network do not change");
  if (slowed_.empty() && !timetable_) offer_through_queue();
}

template <class Network>
void Engine<Network>::change_links(const std::vector<TimedLink>& changes, Duration detection) {
  BRIGADE_CHECK(!timetable_, "links have their changes");
  LinkTimetable timetable(topology_, changes, detection);
  keep_queues_of(timetable.concerned());
  timetable_ = std::make_unique<LinkTimetable>(std::move(timetable));
  if constexpr (std::is_same_v<Network, PacketNetwork>)
    if (timetable_->kills()) network_.expect_deaths();
  for (uint32_t i = 0; i < timetable_->instants().size(); ++i)
    push_change(timetable_->instants()[i], i, false);
}

template <class Network>
void Engine<Network>::push_change(Time at, uint32_t instant, bool known) {
  ++idle_;
  queue_.push({at, instant, 0, kChange, known});
}

// The first thing that happens in its batch.
template <class Network>
void Engine<Network>::change(const Event& e) {
  --idle_;
  bool rerouted = false, died = false;
  if (e.hop == 1) {
    rerouted = timetable_->learn(e.id);
  } else {
    for (const LinkTimetable::Turn& t : timetable_->turns(e.id)) {
      set_rate(t.link);
      if constexpr (std::is_same_v<Network, PacketNetwork>) {
        if (t.died) network_.kill(t.link, e.at + timetable_->detection(), queue_);
        if (t.revived) network_.revive(t.link);
      }
      died |= t.died;
      rerouted |= t.revived;
      if (t.revived) timetable_->learn_of_life(t.link);
    }
    if (died) push_change(e.at + timetable_->detection(), e.id, true);
  }
  if (!rerouted) return;
  router_ = timetable_->make_router();
  if constexpr (std::is_same_v<Network, PacketNetwork>) network_.reroute(*router_);
}

template <class Network>
void Engine<Network>::may_slow_links(std::span<const LinkId> links) {
  keep_queues_of(links);
  slowed_.resize(topology_.links().size(), 1);
}

template <class Network>
void Engine<Network>::slow_link(LinkId link, double share) {
  if (slowed_[link] == share) return;
  slowed_[link] = share;
  set_rate(link);
}

template <class Network>
void Engine<Network>::set_rate(LinkId link) {
  double share = timetable_ ? timetable_->share(link) : 1;
  if (!slowed_.empty()) share *= slowed_[link];
  const Bytes full = topology_.links()[link].bandwidth.bytes_per_s();
  const Bytes now{std::max<int64_t>(1, std::llround(share * static_cast<double>(full.count)))};
  if constexpr (std::is_same_v<Network, PacketNetwork>)
    network_.set_bandwidth(link, Bandwidth::per_second(now));
}

template <class Network>
void Engine<Network>::resume(uint32_t message) {
  if constexpr (std::is_same_v<Network, PacketNetwork>) {
    const Flight& head = network_.head_of(message);
    const uint16_t execution = head.execution;
    const Rank from = head.from, to = head.to;
    const Round round = network_.round_of(head);
    // The first message that cannot go on ends the run and says so, others of the same instant need not.
    if (network_.resume(message, queue_) || !failure_.empty()) return;
    fail_unreachable(execution, from, to, round);
    const std::string waiting = stuck();
    // Its first line speaks of a deadlock.
    if (!waiting.empty()) absl::StrAppend(&failure_, "; who waits:", waiting.substr(waiting.find('\n')));
  } else {
    BRIGADE_CHECK(false, "message ", message, " of this network loses nothing");
  }
}

template void Engine<PacketNetwork>::keep_queues_of(std::span<const LinkId>);
template void Engine<PacketNetwork>::change_links(const std::vector<TimedLink>&, Duration);
template void Engine<PacketNetwork>::change(const Event&);
template void Engine<PacketNetwork>::may_slow_links(std::span<const LinkId>);
template void Engine<PacketNetwork>::slow_link(LinkId, double);
template void Engine<PacketNetwork>::resume(uint32_t);
template void Engine<PacketNetwork>::set_rate(LinkId);
template void Engine<PacketNetwork>::push_change(Time, uint32_t, bool);
template void Engine<FluidNetwork>::keep_queues_of(std::span<const LinkId>);
template void Engine<FluidNetwork>::change_links(const std::vector<TimedLink>&, Duration);
template void Engine<FluidNetwork>::change(const Event&);
template void Engine<FluidNetwork>::may_slow_links(std::span<const LinkId>);
template void Engine<FluidNetwork>::slow_link(LinkId, double);
template void Engine<FluidNetwork>::resume(uint32_t);
template void Engine<FluidNetwork>::set_rate(LinkId);
template void Engine<FluidNetwork>::push_change(Time, uint32_t, bool);

}  // namespace brigade
