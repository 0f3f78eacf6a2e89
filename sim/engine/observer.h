// Who wants to know what the engine does, message by message: traces, payload, hashes. A null pointer when
// nobody does; the loop is compiled twice, so that then not even the pointer is tested.
#pragma once
#include <cstdint>

#include "sim/base/bytes.h"
#include "sim/base/ids.h"
#include "sim/base/time.h"
#include "sim/engine/simulation.h"
#include "sim/network/observer.h"

namespace brigade {

// Which message: of which collective, from whom, in which round.
struct MessageTag {
  CommId comm;
  uint32_t index;      // of the collective in its communicator
  uint32_t execution;  // of the collective: channel, tree
  Rank from, to;
  Round round;
  uint32_t send;  // which send of its round
};

class EngineObserver : public NetworkObserver {
 public:
  virtual void collective_started(CommId comm, uint32_t index, Rank r, Time at) = 0;
  virtual void collective_finished(CommId comm, uint32_t index, Rank r, Time at) = 0;
  virtual void message_launched(uint32_t flight, const MessageTag& tag, Bytes bytes, Time at) = 0;
  virtual void message_received(const MessageTag& tag, Time at) = 0;
};

}  // namespace brigade
