// ECMP: how the flow of a message decides among equal routes.
#pragma once
#include <cstdint>

#include "sim/base/random.h"

namespace brigade {

// One of `n` > 0 for the flow, evenly. Routers salt it by stage, so that choices of one route are
// independent.
inline uint32_t choose(uint64_t flow, uint64_t stage, uint32_t n) {
  if (n == 1) return 0;
  const uint64_t h = mix(flow ^ mix(stage));
  return static_cast<uint32_t>((static_cast<unsigned __int128>(h) * n) >> 64);
}

}  // namespace brigade
