// The hash of all events of a run, by what they are: equal for equal runs, whatever the order of an instant.
#include <type_traits>

#include "sim/base/random.h"
#include "sim/engine/engine.h"

namespace brigade {

// A sum of hashes does not depend on the order within a batch: what was done must not either.
template <class Network>
void Engine<Network>::hash_batch(std::span<const Event> batch) {
  for (const Event& e : batch) {
    uint64_t what = e.id, of = e.of;
    if (e.kind < kLinkFree) {
      const auto& x = network_.flight(e.id);
      const MessageTag t = tag_of(e.id);
      what = mix(uint64_t{t.from} << 32 | t.to) ^ mix(uint64_t{t.round} << 32 | t.send) ^
             mix(uint64_t{network_.segment_of(x)} << 32 |
                 (e.kind == kArrive && x.hops > 0 ? network_.link_at(x, e.hop) : kNone));
      of = uint64_t{t.comm} << 48 | uint64_t{t.index} << 16 | t.execution;
    } else if (e.kind == kResume) {
      if constexpr (std::is_same_v<Network, PacketNetwork>) {
        const Flight& x = network_.head_of(e.id);
        what = mix(uint64_t{x.from} << 32 | x.to) ^ network_.round_of(x);
        of = comm_of(x.execution);
      }
    } else if (e.kind == kWake) {
      const Slot& s = *slots_[e.of];
      of = uint64_t{s.comm} << 48 | uint64_t{s.index} << 16 | s.execution;
    } else if (e.kind == kLeft) {
      const Left& l = left_[e.id];
      what = mix(uint64_t{l.from} << 32 | l.to) ^ l.tag;
      of = uint64_t{l.comm} << 48;
    }
    event_hash_ += mix(mix(static_cast<uint64_t>(e.at.ps)) ^ mix(of + e.kind) ^ mix(what + e.hop));
  }
}

template void Engine<PacketNetwork>::hash_batch(std::span<const Event>);
template void Engine<FluidNetwork>::hash_batch(std::span<const Event>);

}  // namespace brigade
