// The slow, plain engine: std::priority_queue, std::function, link queues served one segment at a time,
// exactly as the design words it. The reference for the fast engine's times and the baseline of its speed.
// Shares with it only the collectives' step functions, routes and T().
//
// Every instant is worked on in batches: all events of the instant in the order (kind, place, job, source,
// round, send, segment); what they create for the same instant is the next batch. A link chooses when nothing
// else is left to happen at that instant, and takes the highest class first.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/base/time.h"
#include "sim/collective/algorithm.h"
#include "sim/network/spec.h"
#include "sim/topology/topology.h"

namespace brigade::oracle {

struct PlainJob {
  std::vector<VertexId> devices;
  std::vector<std::shared_ptr<const Plan>> plans;  // executions that run side by side
  std::vector<Time> start;                         // by rank
  bool lockstep = false;
  MessageClass message_class = 0;
};

// A link that is slower or dead for a time, by the rules of sim/network/losses.h. Not with overheads, windows
// or several sends a round.
struct PlainChange {
  LinkId link;
  Time begins, ends;
  double share = 1;
  bool down = false;
};
struct PlainFaults {
  std::vector<PlainChange> changes;
  Duration detection{};
};

struct PlainResult {
  std::vector<std::vector<Time>> end;  // by job and rank; kNever where a rank did not finish
  std::vector<int64_t> link_bytes;
  std::vector<Duration> link_busy;
  int64_t events = 0, messages = 0;
  int64_t lost = 0, resumed = 0;  // segments, messages
  std::optional<Time> cut_off;    // when a message had no route left; the run ends there
};

// `flow_seed`: the seed of ECMP's choices, as the engine has it.
PlainResult run_plain(const Topology& topology, const NetworkSpec& network, const std::vector<PlainJob>& jobs,
                      uint64_t flow_seed = 1, const PlainFaults& faults = {});

}  // namespace brigade::oracle
