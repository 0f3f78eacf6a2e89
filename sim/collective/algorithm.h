// Collectives as pure functions: who sends which elements to whom in which round. No clock, no network.
//
// A schedule is never a table (a ring over 65,536 ranks has 8.6e9 steps): `step` and `send` compute it for
// one rank and round. The same functions are printed (`brigade schedule`), proved without a clock
// (tests/oracle), run by one executor (execution.h) and turned into closed forms.
//
// Rounds are counted alike on all ranks: a message sent in round k belongs to round k of its receiver. A rank
// has finished a round when all that it expects has arrived and all that it sends has left; what arrived is
// then added to its buffer, or copied into it. A round without sends and arrivals passes at once.
//
// Elements are numbered in one logical buffer per collective, alike on sender and receiver:
//   all_reduce, reduce, broadcast   0 .. M-1
//   reduce_scatter, all_gather      0 .. M-1; rank r's share is part r of M (the larger of the two buffers)
//   all_to_all                      r M .. (r+1) M - 1 is what rank r brings; part j of it goes to rank j
//   send_recv                       as the pairs are listed: pair i is i M .. (i+1) M - 1
//   barrier                         no elements
// Buffers are cut into parts that add up: the first M mod N parts are one element larger.
#pragma once
#include <compare>
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
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kBroadcast,
  kReduce,
  kAllToAll,
  kSendRecv,
  kBarrier
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
struct PlanRequest;

// One algorithm: a row of functions. All are pure; `self` < plan.ranks, k < rounds(plan).
struct Algorithm {
  const char* name;
  Collective collective;
  const char* summary;  // one line for `brigade schedule --list` and the docs, with whose algorithm it is
  int executions = 1;  // independent executions over equal slices of the buffer: 2 for the double binary tree
  // Free-running ranks end when lockstep ones do, on an idle flat network: at every N, or only where N is a
  // power of two (elsewhere some ranks have less to do and run ahead).
  bool in_step_at_any_ranks = false;
  bool repeats_peers = false;  // a rank sends to the same peer round after round: its route can be kept
  Round (*rounds)(const Plan&);
  Step (*step)(const Plan&, Rank self, Round k);
  // Message i (< step.sends) of the round, in the order in which they are offered.
  Send (*send)(const Plan&, Rank self, Round k, uint32_t i);
  // Sender of the i-th (< step.expects) expected message, in any order.
  Rank (*from)(const Plan&, Rank self, Round k, uint32_t i);
  // Time in lockstep on an idle flat network (`outer` unused) or, hierarchical, with `inner` within groups
  // and `outer` across. Null, or nullopt for this plan: there is none. Callers use Plan::closed_form.
  std::optional<Duration> (*closed_form)(const Plan&, const Cost& inner, const Cost& outer) = nullptr;
  // Whether all units of `unit` ranks [u unit, (u + 1) unit) do alike: each sends, in every round, messages
  // of the same sizes to the same places of its own unit and of others that as many of them hear from. `unit`
  // divides N. Null: never.
  bool (*alike)(const Plan&, Rank unit) = nullptr;
  // Fills what only this algorithm needs in a plan (before the parts are cut); returns an error or "".
  std::string (*prepare)(const PlanRequest&, Plan&) = nullptr;
};

// A listed message of send_recv.
struct Pair {
  Rank from = 0, to = 0;
  auto operator<=>(const Pair&) const = default;
};

// An algorithm applied to N ranks and M elements; small, shared by all executions of it, made by make_plan.
struct Plan {
  const Algorithm* algorithm = nullptr;
  Rank ranks = 1;
  int64_t elements = 0;  // M, of this execution's slice; ranges count from the slice's first element
  int64_t element_bytes = 1;
  Rank root = 0;            // broadcast, reduce
  uint32_t execution = 0;   // which of algorithm->executions
  int64_t slice_first = 0;  // where the slice begins in the buffer that was asked for

  // Derived, so that the hot functions do not divide.
  Rank shares = 1;        // parts that the buffer is cut into: ranks, or `power` for halving_doubling
  int64_t part_base = 0;  // elements / shares
  int64_t part_rest = 0;  // elements % shares
  uint32_t log2 = 0;      // floor(log2 ranks)
  Rank power = 1;         // 1 << log2
  // hierarchical: ranks r = node * group + local
  Rank group = 1;
  uint64_t group_inverse = 0;                      // ceil(2^64 / group), 0 if group is 1
  Round outer_begin = 0, outer_end = 0;            // rounds [begin, end) cross nodes
  std::vector<std::shared_ptr<const Plan>> parts;  // see hierarchical.cc
  // send_recv: pairs by sender, and the senders that each receiver expects (both CSR, `ranks` + 1 firsts)
  std::vector<Pair> pairs;
  std::vector<uint32_t> sends_first, sends_of, recvs_first, recvs_of;
  bool receives_differ = false;  // from the sends

  Round rounds() const { return algorithm->rounds(*this); }
  Step step(Rank self, Round k) const { return algorithm->step(*this, self, k); }
  Send send(Rank self, Round k, uint32_t i) const { return algorithm->send(*this, self, k, i); }
  Rank from(Rank self, Round k, uint32_t i) const { return algorithm->from(*this, self, k, i); }
  // See Algorithm::closed_form. Free-running rounds take the same time only where in_step() holds.
  std::optional<Duration> closed_form(const Cost& inner, const Cost& outer) const {
    return algorithm->closed_form ? algorithm->closed_form(*this, inner, outer) : std::nullopt;
  }
  // Free-running ranks end when lockstep ones do (hierarchical: all of its parts, each on its level).
  bool in_step() const;
  // See Algorithm::repeats_peers; hierarchical: on one of its levels.
  bool repeats_peers() const;

  // Elements of the logical buffer that ranges lie in: M, or as many M as ranks or pairs bring.
  int64_t buffer_elements() const;
  Bytes bytes(Range r) const { return {r.count * element_bytes}; }
  Range whole() const { return {0, elements}; }
  // Part i of `shares` parts of the buffer; parts [i, i + n) as one range.
  Range part(Rank i) const { return {part_first(i), part_base + (int64_t{i} < part_rest)}; }
  Range part_run(Rank i, Rank n) const { return {part_first(i), part_first(i + n) - part_first(i)}; }
  Bytes largest_part() const { return {(part_base + (part_rest > 0)) * element_bytes}; }

 private:
  int64_t part_first(Rank i) const { return i * part_base + (int64_t{i} < part_rest ? i : part_rest); }
};

// What a user asks for. Errors of a request are sentences ("hierarchical needs equal nodes: ...").
struct PlanRequest {
  const Algorithm* algorithm = nullptr;
  Rank ranks = 1;
  int64_t elements = 0;  // of the whole buffer: make_plan cuts it where an algorithm has several executions
  int64_t element_bytes = 1;
  Rank root = 0;
  Rank group = 0;                              // hierarchical: ranks in each node
  std::string inner = "ring", outer = "ring";  // hierarchical
  // send_recv; no pairs: each rank sends to the next. `receives` where they differ from the sends.
  std::vector<Pair> pairs = {};
  std::optional<std::vector<Pair>> receives = std::nullopt;
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
