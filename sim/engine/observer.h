// Who wants to know what the engine does, message by message: traces, payload, hashes. A null pointer when
// nobody does; the loop is compiled twice, so that then not even the pointer is tested.
#pragma once
#include <cstdint>
#include <string>

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

// The engine as observers see it, whatever its network.
class Observable : public Simulation {
 public:
  virtual JobId job_of(CommId comm) const = 0;
  virtual const std::string& name_of(CommId comm) const = 0;
  virtual const CommMembers& members_of(CommId comm) const = 0;
  virtual const CollectiveCall& call_of(CommId comm, uint32_t index) const = 0;
  // The tag of a flight under way, and the size of this piece of it.
  virtual MessageTag tag_of(uint32_t flight) const = 0;
  virtual Bytes segment_bytes(uint32_t flight) const = 0;
  virtual bool keeps_queue(LinkId link) const = 0;
  // Whether links may die, and bytes cross a link that do not arrive.
  virtual bool loses() const = 0;
};

class EngineObserver : public NetworkObserver {
 public:
  virtual void collective_started(CommId comm, uint32_t index, Rank r, Time at) = 0;
  virtual void collective_finished(CommId comm, uint32_t index, Rank r, Time at) = 0;
  virtual void message_launched(uint32_t flight, const MessageTag& tag, Bytes bytes, Time at) = 0;
  virtual void message_received(const MessageTag& tag, Time at) = 0;
};

}  // namespace brigade
