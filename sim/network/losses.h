// What the packet model keeps of messages and segments where links may die; nothing of it exists elsewhere.
//
// A link that dies loses what waits at it and what is on it: segments whose tail has not come to its other
// end. Their heads may be further on: such a segment goes no further than the next link that it comes to. A
// segment that comes to a dead link is lost as well. When all know of the death, `known`, each message that
// lost something is sent anew from its first undelivered segment on, by the route of then; what is lost at
// the link later is sent anew at once. Until then its sender goes on, for it does not know. What it has
// offered before goes on too; the receiver ignores what it has already, and what is under way of a message
// that is complete is dropped at the next link that it comes to.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/time.h"

namespace brigade {

struct Losses {
  static constexpr uint32_t kLost = kNone;
  // Of a message, beside its Message.
  struct Journey {
    VertexId from = 0, to = 0;
    uint64_t flow = 0;
    uint32_t attempt = 0, start = 0;  // the present one, and its first segment
    uint32_t under_way = 0;           // segments of this attempt
    uint32_t flights = 0;             // of all attempts
    bool waits = false;               // to be sent anew
    bool left = false;                // its sender knows that the last segment has left the first link
    bool complete = false, received = false;
    std::vector<bool> got = {};  // by segment
  };
  struct OnLink {
    uint32_t flight, generation, size_bytes;
    Time until;  // its tail is at the other end
  };
  struct Link {
    bool dead = false;
    Time known{};                 // of its death
    std::vector<OnLink> on_link;  // of its segments, perhaps some more; the last one is served last
    int64_t cut_bytes = 0;  // of segments that were being served when it died: all of them count as carried
  };
  std::vector<Journey> journeys;     // by message
  std::vector<uint32_t> attempt;     // by flight; kLost
  std::vector<uint32_t> generation;  // by flight: how often it was freed
  std::vector<Link> links;
  std::vector<int64_t> lost_bytes_at;  // by vertex: that came in and did not leave
  int64_t segments_dropped = 0, messages_resumed = 0;
};

}  // namespace brigade
