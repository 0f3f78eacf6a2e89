// An event: 16 bytes, trivially copyable. What `kind`, `id`, `of` and `hop` mean is known only to those who
// push and pop them (sim/network/packet_network.h, sim/engine/engine.h).
#pragma once
#include <cstdint>
#include <type_traits>

#include "sim/base/time.h"

namespace brigade {

struct Event {
  Time at;
  uint32_t id = 0;
  uint16_t of = 0;
  uint8_t kind = 0;
  uint8_t hop = 0;
};
static_assert(sizeof(Event) == 16 && std::is_trivially_copyable_v<Event>);

}  // namespace brigade
