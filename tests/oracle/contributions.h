// The slow, untimed oracle of collectives: runs a plan on sets of contributors, one set an element and rank,
// and says what is wrong. It shares no code with the executor and cuts parts by itself. N up to 64.
//
// Ranks advance in a random order (seeded), so that what is proved holds for every interleaving that the
// network may produce: a rank leaves a round when all that it expects is there, and only then applies it.
#pragma once
#include <cstdint>
#include <string>

#include "sim/collective/algorithm.h"

namespace brigade::oracle {

// The first fault of any of the request's executions, in words, or "": a contribution that arrives twice or
// never where it should be, an expectation that is not what the peers send, a range outside the buffer, a
// deadlock.
std::string fault_of(const PlanRequest& request, uint64_t seed);

// What all executions move, counted message by message.
struct Volume {
  Round rounds = 0;
  uint64_t messages = 0;
  int64_t elements_total = 0;
  int64_t elements_busiest = 0;  // sent by the busiest rank
  int64_t elements_across_busiest =
      0;  // of messages between nodes of `group` ranks, by the rank that sends most
};
Volume volume_of(const PlanRequest& request, Rank group = 1);

}  // namespace brigade::oracle
