// How much a long test tries: everything in an ordinary build, a part under sanitizers, which make it up to a
// hundred times slower and look for mistakes of another kind.
#pragma once
#include <cstdint>

#include "sim/base/ids.h"

namespace brigade {

#ifdef BRIGADE_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// From 1 on: every number of ranks; under sanitizers 1 to 9, 20, 31, 42, 53, 64.
constexpr Rank next_ranks(Rank n) { return n + (kSanitized && n >= 9 ? 11 : 1); }

// Of so many random cases; under sanitizers a quarter.
constexpr uint64_t cases(uint64_t all) { return kSanitized ? (all + 3) / 4 : all; }

}  // namespace brigade
