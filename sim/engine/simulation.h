// What a job may do, and what it is told: the engine as jobs see it.
//
// The engine runs every message by itself and hands rare events up as notices; jobs answer them by launching
// work. So nothing below calls upwards.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/bytes.h"
#include "sim/base/ids.h"
#include "sim/base/time.h"
#include "sim/collective/algorithm.h"
#include "sim/network/spec.h"
#include "sim/topology/topology.h"

namespace brigade {

using CommId = uint32_t;
using AlarmId = uint32_t;

struct Notice {
  enum class What : uint8_t { kTimer, kCollectiveDone, kLeft, kMessage };
  What what;
  uint8_t token = 0;  // of the timer or alarm
  JobId job = 0;
  CommId comm = 0;     // not of timers
  uint32_t index = 0;  // kCollectiveDone: which collective of the communicator; kMessage, kLeft: its tag
  Rank rank = 0;       // kMessage: the receiver, which has all of it; kLeft: the sender
  Rank peer = 0;       // kMessage, kLeft: the other end
  Time at{};
};

// A collective that the ranks of a communicator will run, each when its own stream reaches it.
struct CollectiveCall {
  // One plan for each execution: channels, the two trees of a double binary tree. All over the same ranks.
  std::vector<std::shared_ptr<const Plan>> plans;
  bool lockstep = false;
  std::string label;  // for traces and diagnoses: "bucket 3"
  MessageClass message_class = 0;
  // A mistake to be diagnosed: what these ranks take it for (their plan of the first execution).
  std::map<Rank, std::shared_ptr<const Plan>> others = {};
};

// One message between two ranks of a communicator, outside of collectives.
struct PointToPoint {
  Rank from = 0, to = 0;
  Bytes bytes;
  uint32_t tag = 0;  // tells it from others that are under way between the two
  MessageClass message_class = 0;
  bool tell_left = false;  // a kLeft, too, when it has left the sender's first link
};

// Which of its job's ranks a communicator joins, for those who draw it: in order (none given: all of them),
// and on which of their communication streams.
struct CommMembers {
  std::vector<Rank> ranks = {};
  uint32_t stream = 0;
};

// A link that is slower or dead for a time.
struct TimedLink {
  LinkId link = kNone;
  Time begins{}, ends = kNever;
  double share = 1;  // of its bandwidth
  bool down = false;
};

// What a link has carried.
struct LinkUse {
  Bytes bytes;
  Duration busy;
};

class Simulation {
 public:
  virtual ~Simulation() = default;

  // A group of ranks on these devices, with one in-order communication stream a rank. `name` is for people.
  virtual CommId add_communicator(JobId job, std::vector<VertexId> devices, std::string name,
                                  CommMembers members = {}) = 0;
  // The next collective of the communicator; returns its index.
  virtual uint32_t add_collective(CommId comm, CollectiveCall call) = 0;
  // Rank r calls the next collective that it has not called yet: it starts when its stream has finished those
  // before.
  virtual void launch(CommId comm, Rank r) = 0;
  // Sends a message now, on no stream: whoever has several open shares its links among them segment by
  // segment. The job is told when it has been received.
  virtual void send(CommId comm, const PointToPoint& message) = 0;
  // Before the first message: links take what waits by class. Without it there is only class 0.
  virtual void serve_by_class() = 0;
  // Before the first message: links change at these times (shares of several multiply). Where one dies, all
  // know after `detection`, and messages that lost something go on by another route (sim/network/losses.h); a
  // run that has none left for them fails.
  virtual void change_links(const std::vector<TimedLink>& changes, Duration detection) = 0;
  // Before the first message: slow_link() may be called for these. It sets the share of the link's bandwidth
  // from the next segment on, beside its changes.
  virtual void may_slow_links(std::span<const LinkId> links) = 0;
  virtual void slow_link(LinkId link, double share) = 0;
  // Tells the job at `at` (not before now).
  virtual void timer(JobId job, Rank r, Time at, uint8_t token) = 0;
  // A timer that can be set anew, for work whose rate changes: what it was set to before is forgotten (the
  // queue of events cannot cancel, so an event that has become stale is passed over, and keeps no run alive).
  // Comes as kTimer with its token. kNever: it is not set.
  virtual AlarmId add_alarm(JobId job, Rank r, uint8_t token) = 0;
  virtual void set_alarm(AlarmId alarm, Time at) = 0;

  virtual Time now() const = 0;
  // The next notice; nothing when no event is left or the run has failed.
  virtual std::optional<Notice> next() = 0;

  // Bytes that each rank of the communicator has sent so far.
  virtual std::span<const Bytes> sent(CommId comm) const = 0;
  virtual LinkUse use_of(LinkId link) const = 0;
  virtual const Topology& topology() const = 0;

  // Why the run cannot go on ("rank 3 (node[0].gpu[3]) has no route to ..."); empty if it can. `stuck` is
  // asked when next() is empty although a job is not finished: who waits for whom.
  virtual const std::string& failure() const = 0;
  virtual std::string stuck() const = 0;
  // Counters balance: each message delivered once, as many bytes into as out of each switch, no link above
  // 100 %.
  virtual void check_counters() const = 0;

  struct Counts {
    int64_t events = 0, messages = 0, segments = 0;
    int64_t segments_lost = 0, messages_resumed = 0;  // where links died
    uint64_t event_hash = 0;  // of all events by what they are, in no order; only where asked for
  };
  virtual Counts counts() const = 0;
};

}  // namespace brigade
