// Collectives as pure functions: who sends which elements to whom in which round. No clock, no network.
//
// A schedule is never a table (a ring over 65,536 ranks has 8.6e9 steps): `step` and `send` compute it for one rank
// and round. The same functions are printed (`brigade schedule`), proved without a clock (tests/oracle), run by
// one executor (execution.h) and turned into closed forms.
//
// Rounds are counted alike on all ranks: a message sent in round k belongs to round k of its receiver. A rank has
// finished a round when all that it expects has arrived and all that it sends has left; what arrived is then
// added to its buffer, or copied into it. A round in which a rank neither sends nor expects passes at once.
//
// Elements are numbered in one logical buffer per collective, alike on sender and receiver:
//   all_reduce, reduce, broadcast   0 .. M-1
//   reduce_scatter, all_gather      0 .. M-1; rank r's share is part r of M (M: the larger of the two buffers)
//   all_to_all                      r M .. (r+1) M - 1 is what rank r brings; part j of it goes to rank j
//   send_recv                       as the pairs are listed: pair i is i M .. (i+1) M - 1
//   barrier                         no elements
// Buffers are cut into parts that add up: the first M mod N parts are one element larger.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/bandwidth.h"
#include "sim/base/bytes.h"
#include "sim/base/ids.h"
#include "sim/base/time.h"

namespace brigade {

enum class Collective : uint8_t {
  kAllReduce, kReduceScatter, kAllGather, kBroadcast, kReduce, kAllToAll, kSendRecv, kBarrier
};
const char* name_of(Collective c);

// Elements [first, first + count).
struct Range {
  int64_t first = 0;
  int64_t count = 0;
  bool operator==(const Range&) const = default;
};

// What a rank does in one round: how many messages it sends and expects, and whether arrivals are added.
struct Step {
  uint32_t sends = 0;
  uint32_t expects = 0;
  bool reduce = false;
};

struct Send {
  Rank to = kNone;
  Range range;
};

// alpha + bytes x beta of one route.
struct Cost {
  Duration latency;
  Bandwidth bandwidth;
  Duration message(Bytes b) const { return latency + bandwidth.time(b); }
};

struct Plan;

// One algorithm: a row of functions. All are pure; `self` < plan.ranks, k < rounds(plan).
struct Algorithm {
  const char* name;
  Collective collective;
  const char* summary;  // one line for `brigade schedule --list` and the docs, with whose algorithm it is
  int executions;       // independent executions over equal slices of the buffer: 2 for the double binary tree
  Round (*rounds)(const Plan&);
  Step (*step)(const Plan&, Rank self, Round k);
  // Message i (< step.sends) of the round, in the order in which they are offered.
  Send (*send)(const Plan&, Rank self, Round k, uint32_t i);
  // Sender of the i-th (< step.expects) expected message, in any order.
  Rank (*from)(const Plan&, Rank self, Round k, uint32_t i);
  // Time on an idle flat network (`inner` unused) or, hierarchical, with `inner` within groups and `outer` across.
  // Null pointer: there is none.
  Duration (*closed_form)(const Plan&, const Cost& inner, const Cost& outer);
};

// A listed message of send_recv.
struct Pair {
  Rank from = 0, to = 0;
};

// An algorithm applied to N ranks and M elements; small, and shared by all executions of it. Made by make_plan.
struct Plan {
  const Algorithm* algorithm = nullptr;
  Rank ranks = 1;
  int64_t elements = 0;     // M, of this execution's slice
  int64_t element_bytes = 1;
  Rank root = 0;            // broadcast, reduce
  uint32_t execution = 0;   // which of algorithm->executions

  // Derived, so that the hot functions do not divide.
  int64_t part_base = 0;    // elements / ranks
  int64_t part_rest = 0;    // elements % ranks
  uint32_t log2 = 0;        // floor(log2 ranks)
  Rank power = 1;           // 1 << log2
  // hierarchical: ranks r = node * group + local
  Rank group = 1;
  std::vector<std::shared_ptr<const Plan>> parts;  // see hierarchical.cc
  // send_recv
  std::vector<Pair> pairs;
  std::vector<uint32_t> sends_first, sends_of, recvs_first, recvs_of;  // pairs by sender and by receiver (CSR)

  Round rounds() const { return algorithm->rounds(*this); }
  Step step(Rank self, Round k) const { return algorithm->step(*this, self, k); }
  Send send(Rank self, Round k, uint32_t i) const { return algorithm->send(*this, self, k, i); }
  Bytes bytes(Range r) const { return {r.count * element_bytes}; }
  // Part i of `ranks` parts of the buffer.
  Range part(Rank i) const {
    const int64_t j = i, extra = j < part_rest ? j : part_rest;
    return {j * part_base + extra, part_base + (j < part_rest)};
  }
};

// What a user asks for. Errors of a request are sentences ("hierarchical needs equal nodes: ...").
struct PlanRequest {
  const Algorithm* algorithm = nullptr;
  Rank ranks = 1;
  int64_t elements = 0;
  int64_t element_bytes = 1;
  Rank root = 0;
  Rank group = 0;                          // hierarchical: ranks in each node
  std::string inner = "ring", outer = "ring";  // hierarchical
  std::vector<Pair> pairs;                 // send_recv; `receives` where they differ from the sends
  std::optional<std::vector<Pair>> receives;
};
struct PlanResult {
  std::shared_ptr<const Plan> plan;  // null on error
  std::string error;
};
PlanResult make_plan(const PlanRequest& request, uint32_t execution = 0);

// The catalogue: every algorithm of every collective, in the order in which they are listed.
std::span<const Algorithm* const> algorithms();
const Algorithm* find_algorithm(Collective c, std::string_view name);
std::vector<std::string> algorithm_names(Collective c);

// nccl-tests' factor from algbw to busbw.
double busbw_factor(Collective c, Rank ranks);

}  // namespace brigade
