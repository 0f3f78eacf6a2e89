// A segment under way, and a message of several segments: the packet model's records.
//
// A flight is one cache line and carries its route, so that a hop touches this line and one link and nothing
// else. Messages of one segment, sent alone in their round, need no record besides it.
#pragma once
#include <cstdint>
#include <new>

#include "sim/base/bytes.h"
#include "sim/base/ids.h"
#include "sim/base/time.h"

namespace brigade {

constexpr int kInlineHops = 8;      // longer routes lie in a side array, one stride a flight
constexpr uint32_t kWhole = kNone;  // Flight::message of a segment that is its whole message

struct alignas(64) Flight {
  LinkId route[kInlineHops];
  Duration lag;   // its tail runs this far behind its head
  Rank from, to;  // ranks of the execution
  uint32_t part;  // whole message: its round; else: which segment of `message`
  uint32_t size_bytes;
  uint32_t message;    // kWhole, or the record of the message
  uint16_t execution;  // whose message it is
  uint8_t hops;
  uint8_t slowest;  // the hop with the lowest bandwidth so far
};
static_assert(sizeof(Flight) == 64);

// One link under load. The two directions of a cable share a cache line (see CacheAligned).
struct LinkState {
  Time free_at;   // when the last segment that was given to it has been served
  int64_t bytes;  // served so far
  Duration busy;
  uint32_t type;     // bandwidth and latency, see PacketNetwork
  uint32_t touched;  // the batch that last came by, and whether two of its events did
};
static_assert(sizeof(LinkState) == 32);

// Allocator of vectors that begin with a cache line.
template <class T>
struct CacheAligned {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  CacheAligned() = default;
  template <class U>
  CacheAligned(const CacheAligned<U>&) {}
  T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* p, size_t) { ::operator delete(p, kLine); }
  bool operator==(const CacheAligned&) const { return true; }
};

// A message that is cut, or one of several of its round.
struct Message {
  Flight head;  // what each of its segments starts as
  Bytes bytes, segment;
  Round round;
  uint32_t index;     // which send of its round
  uint32_t segments;  // in all
  uint32_t offered, delivered;
  bool stalled;   // no credit left: the next segment goes when one is delivered
  Time ready_at;  // of the stalled segment: when the one before it has left
};

}  // namespace brigade
