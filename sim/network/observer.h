// Who wants to know of every segment, or of the use of every link: tracing, checks. Null when nobody does,
// and then nothing is asked.
#pragma once
#include <cstdint>

#include "sim/base/bytes.h"
#include "sim/base/ids.h"
#include "sim/base/time.h"

namespace brigade {

class NetworkObserver {
 public:
  virtual ~NetworkObserver() = default;
  // `link` serves the segment `flight` as hop `hop` of its route from `start` for `d`; its tail leaves at
  // `tail`.
  virtual void served(uint32_t flight, int hop, LinkId link, Time start, Duration d, Time tail) = 0;
  // Of links that keep their queue (PacketNetwork::keep_queues), where a segment of `bytes` comes in at `at`
  // and waits until it is served, or less than nothing where one is lost. The others settle that at once: it
  // waits from now until `start`.
  virtual void waits(LinkId link, Bytes bytes, Time at) = 0;
  // The link dies at `at`: the segment that it would have served until `until` it serves no further.
  virtual void died(LinkId link, Time at, Time until) = 0;
  // In the fluid model, in place of both: from `begin` to `end` the link carried this share of its bandwidth.
  virtual void carried(LinkId link, Time begin, Time end, double share) = 0;
};

}  // namespace brigade
