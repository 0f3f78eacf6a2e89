// Send and receive: the listed pairs, all in one round, each rank's sends in the order of the list. Without a
// list each rank sends to the next (nccl-tests' sendrecv). What ranks expect may be listed apart from what is
// sent: where the two differ, somebody waits for ever, and the run says who.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/collective/catalogue.h"
#include "sim/collective/fold.h"

namespace brigade {
namespace {

Round rounds(const Plan& plan) { return !plan.sends_of.empty() || !plan.recvs_of.empty(); }

Step step(const Plan& plan, Rank self, Round) {
  return {plan.sends_first[self + 1] - plan.sends_first[self],
          plan.recvs_first[self + 1] - plan.recvs_first[self], false};
}

Send send(const Plan& plan, Rank self, Round, uint32_t i) {
  const uint32_t pair = plan.sends_of[plan.sends_first[self] + i];
  return {plan.pairs[pair].to, {pair * plan.elements, plan.elements}};
}

Rank from(const Plan& plan, Rank self, Round, uint32_t i) {
  return plan.recvs_of[plan.recvs_first[self] + i];
}

std::vector<Pair> sorted(std::vector<Pair> pairs) {
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

// One latency, then the messages of the busiest rank. Where ranks send several and receive several, the order
// in which they meet decides, and there is no closed form. A message to oneself takes no time.
std::optional<Duration> closed_form(const Plan& plan, const Cost& cost, const Cost&) {
  std::vector<int64_t> sent(plan.ranks), received(plan.ranks);
  for (uint32_t i = 0; i < plan.pairs.size(); ++i) {
    if (plan.pairs[i].from == plan.pairs[i].to) continue;
    ++sent[plan.pairs[i].from], ++received[plan.pairs[i].to];
  }
  std::vector<Pair> expected;
  for (Rank r = 0; r < plan.ranks; ++r) {
    for (uint32_t i = plan.recvs_first[r]; i < plan.recvs_first[r + 1]; ++i)
      expected.push_back({plan.recvs_of[i], r});
  }
  if (sorted(expected) != sorted(plan.pairs)) return std::nullopt;
  const int64_t out = *std::max_element(sent.begin(), sent.end());
  const int64_t in = *std::max_element(received.begin(), received.end());
  if (out > 1 && in > 1) return std::nullopt;
  if (out == 0) return Duration{};
  return cost.latency + std::max(out, in) * cost.bandwidth.time(plan.bytes(plan.whole()));
}

// Groups `values` by key, in the order of the list: `first` has ranks + 1 entries.
void group_by(Rank ranks, const std::vector<Rank>& keys, const std::vector<uint32_t>& values,
              std::vector<uint32_t>& first, std::vector<uint32_t>& grouped) {
  first.assign(ranks + 1, 0);
  for (Rank key : keys) ++first[key + 1];
  for (Rank r = 0; r < ranks; ++r) first[r + 1] += first[r];
  grouped.resize(values.size());
  std::vector<uint32_t> next(first.begin(), first.end() - 1);
  for (size_t i = 0; i < keys.size(); ++i) grouped[next[keys[i]]++] = values[i];
}

std::string prepare(const PlanRequest& request, Plan& plan) {
  plan.pairs = request.pairs;
  if (plan.pairs.empty() && !request.receives && plan.ranks > 1) {
    for (Rank r = 0; r < plan.ranks; ++r) plan.pairs.push_back({r, rank_after(plan, r, 1)});
  }
  const std::vector<Pair>& receives = request.receives ? *request.receives : plan.pairs;
  plan.receives_differ = request.receives && sorted(receives) != sorted(plan.pairs);
  for (const std::vector<Pair>* list : {&std::as_const(plan.pairs), &receives}) {
    for (const Pair& p : *list) {
      if (p.from < plan.ranks && p.to < plan.ranks) continue;
      return absl::StrCat("pair ", p.from, " -> ", p.to, " is out of range; ranks are 0 to ", plan.ranks - 1);
    }
  }
  std::vector<Rank> senders, receivers;
  std::vector<uint32_t> numbers, sources;
  for (const Pair& p : plan.pairs) {
    numbers.push_back(static_cast<uint32_t>(numbers.size()));
    senders.push_back(p.from);
  }
  for (const Pair& p : receives) {
    receivers.push_back(p.to);
    sources.push_back(p.from);
  }
  group_by(plan.ranks, senders, numbers, plan.sends_first, plan.sends_of);
  group_by(plan.ranks, receivers, sources, plan.recvs_first, plan.recvs_of);
  return "";
}

}  // namespace

const Algorithm kListedSendRecv = {.name = "listed",
                                   .collective = Collective::kSendRecv,
                                   .summary = "the listed pairs; without a list each rank sends to the next",
                                   .in_step_at_any_ranks = true,
                                   .rounds = rounds,
                                   .step = step,
                                   .send = send,
                                   .from = from,
                                   .closed_form = closed_form,
                                   .prepare = prepare};

}  // namespace brigade
