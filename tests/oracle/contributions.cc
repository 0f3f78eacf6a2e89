#include "tests/oracle/contributions.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/base/random.h"

namespace brigade::oracle {
namespace {

using Set = uint64_t;  // bit r: rank r's contribution

Set only(Rank r) { return Set{1} << r; }
Set everybody(Rank ranks) { return ranks == 64 ? ~Set{0} : only(ranks) - 1; }

// First element of part i, dealt out one by one.
int64_t first_of_part(int64_t elements, Rank ranks, Rank i) {
  int64_t first = 0;
  for (Rank j = 0; j < i; ++j) first += elements / ranks + (j < elements % ranks);
  return first;
}

// Who has contributed to (rank, element) before and after; what is not `demanded` may be anything.
class Promise {
 public:
  explicit Promise(const Plan& plan) : plan_(plan), part_of_(plan.elements) {
    for (Rank i = 0; i < plan.ranks; ++i) {
      const int64_t end = first_of_part(plan.elements, plan.ranks, i + 1);
      for (int64_t e = first_of_part(plan.elements, plan.ranks, i); e < end; ++e) part_of_[e] = i;
    }
  }
  Collective kind() const { return plan_.algorithm->collective; }
  bool is_barrier() const { return kind() == Collective::kBarrier; }

  // A barrier has one element of ours: who has been heard of.
  int64_t elements() const {
    if (is_barrier()) return 1;
    if (kind() == Collective::kAllToAll) return plan_.ranks * plan_.elements;
    if (kind() == Collective::kSendRecv) return static_cast<int64_t>(plan_.pairs.size()) * plan_.elements;
    return plan_.elements;
  }
  Set before(Rank r, int64_t e) const {
    switch (kind()) {
      case Collective::kBroadcast:
        return r == plan_.root ? only(r) : 0;
      case Collective::kAllGather:
        return part_of_[e] == r ? only(r) : 0;
      case Collective::kAllToAll:
        return e / plan_.elements == r ? only(r) : 0;
      case Collective::kSendRecv:
        return plan_.pairs[e / plan_.elements].from == r ? only(r) : 0;
      default:
        return only(r);
    }
  }
  bool demanded(Rank r, int64_t e) const {
    switch (kind()) {
      case Collective::kReduceScatter:
        return part_of_[e] == r;
      case Collective::kReduce:
        return r == plan_.root;
      case Collective::kAllToAll:
        return part_of_[e % plan_.elements] == r;
      case Collective::kSendRecv:
        return plan_.pairs[e / plan_.elements].to == r;
      default:
        return true;
    }
  }
  Set after(int64_t e) const {
    switch (kind()) {
      case Collective::kBroadcast:
        return only(plan_.root);
      case Collective::kAllGather:
        return only(part_of_[e]);
      case Collective::kAllToAll:
        return only(static_cast<Rank>(e / plan_.elements));
      case Collective::kSendRecv:
        return only(plan_.pairs[e / plan_.elements].from);
      default:
        return everybody(plan_.ranks);
    }
  }

 private:
  const Plan& plan_;
  std::vector<Rank> part_of_;
};

struct Message {
  Rank from;
  Range range;
  std::vector<Set> content;
};

class Replay {
 public:
  Replay(const Plan& plan, uint64_t seed)
      : plan_(plan),
        promise_(plan),
        random_(seed),
        rounds_(plan.rounds()),
        round_(plan.ranks),
        buffer_(plan.ranks),
        inbox_(size_t{plan.ranks} * rounds_) {
    for (Rank r = 0; r < plan.ranks; ++r) {
      for (int64_t e = 0; e < promise_.elements(); ++e) buffer_[r].push_back(promise_.before(r, e));
    }
  }

  std::string run() {
    for (Rank r = 0; r < plan_.ranks && fault_.empty(); ++r) enter_round(r);
    for (Rank r = 0; r < plan_.ranks; ++r) to_try_.push_back(r);
    while (!to_try_.empty() && fault_.empty()) {
      std::swap(to_try_[random_.below(to_try_.size())], to_try_.back());
      const Rank r = to_try_.back();
      to_try_.pop_back();
      if (advance(r)) to_try_.push_back(r);
    }
    return fault_.empty() ? verdict() : fault_;
  }

 private:
  std::vector<Message>& inbox(Rank r, Round k) { return inbox_[size_t{r} * rounds_ + k]; }

  void enter_round(Rank r) {
    if (round_[r] == rounds_) return;
    const Round k = round_[r];
    for (uint32_t i = 0; i < plan_.step(r, k).sends; ++i) {
      const Send send = plan_.send(r, k, i);
      const int64_t end = send.range.first + send.range.count;
      if (send.to >= plan_.ranks || send.range.first < 0 || send.range.count < 0 ||
          end > promise_.elements()) {
        fault_ = absl::StrCat("round ", k, ": rank ", r, " sends elements ", send.range.first, " + ",
                              send.range.count, " to rank ", send.to);
        return;
      }
      const auto first = buffer_[r].begin();
      Message message{r, send.range, {first + send.range.first, first + end}};
      if (promise_.is_barrier()) message = {r, {0, 1}, buffer_[r]};
      inbox(send.to, k).push_back(std::move(message));
      to_try_.push_back(send.to);
    }
  }

  // Leaves the round and says so if all that it expects has arrived.
  bool advance(Rank r) {
    const Round k = round_[r];
    if (k == rounds_) return false;
    const Step step = plan_.step(r, k);
    std::vector<Message>& arrived = inbox(r, k);
    if (arrived.size() < step.expects) return false;
    std::vector<Rank> expected, senders;
    for (uint32_t i = 0; i < step.expects; ++i) expected.push_back(plan_.from(r, k, i));
    for (const Message& m : arrived) senders.push_back(m.from);
    std::sort(expected.begin(), expected.end());
    std::sort(senders.begin(), senders.end());
    if (expected != senders) {
      fault_ = absl::StrCat("round ", k, ": rank ", r, " expects ", step.expects,
                            " messages, from others than come");
      return false;
    }
    for (const Message& m : arrived) apply(r, step.reduce, m);
    arrived = {};
    ++round_[r];
    enter_round(r);
    return true;
  }

  void apply(Rank r, bool reduce, const Message& m) {
    for (int64_t i = 0; i < m.range.count; ++i) {
      Set& mine = buffer_[r][m.range.first + i];
      const Set theirs = m.content[i];
      if (reduce && (mine & theirs) != 0) {
        fault_ = absl::StrCat("round ", round_[r], ": a contribution reaches element ", m.range.first + i,
                              " of rank ", r, " twice, from rank ", m.from);
      }
      mine = reduce || promise_.is_barrier() ? mine | theirs : theirs;
    }
  }

  std::string verdict() const {
    std::string stuck;
    for (Rank r = 0; r < plan_.ranks; ++r) {
      if (round_[r] < rounds_) absl::StrAppend(&stuck, " rank ", r, " in round ", round_[r]);
    }
    if (!stuck.empty()) return absl::StrCat("deadlock:", stuck);
    for (size_t i = 0; i < inbox_.size(); ++i) {
      if (inbox_[i].empty()) continue;
      return absl::StrCat("rank ", i / rounds_, " never reads a message of round ", i % rounds_);
    }
    for (Rank r = 0; r < plan_.ranks; ++r) {
      for (int64_t e = 0; e < promise_.elements(); ++e) {
        if (!promise_.demanded(r, e) || buffer_[r][e] == promise_.after(e)) continue;
        return absl::StrCat("rank ", r, " ends with contributors ", absl::Hex(buffer_[r][e]), " in element ",
                            e);
      }
    }
    return "";
  }

  const Plan& plan_;
  Promise promise_;
  Random random_;
  Round rounds_;
  std::vector<Round> round_;
  std::vector<std::vector<Set>> buffer_;
  std::vector<std::vector<Message>> inbox_;  // by rank and round
  std::vector<Rank> to_try_;                 // those to whom something has happened
  std::string fault_;
};

}  // namespace

std::string fault_of(const PlanRequest& request, uint64_t seed) {
  int64_t covered = 0;
  for (int x = 0; x < request.algorithm->executions; ++x) {
    const PlanResult made = make_plan(request, x);
    if (!made.plan) return made.error;
    if (made.plan->slice_first != covered) return absl::StrCat("execution ", x, " begins elsewhere");
    covered += made.plan->elements;
    if (std::string fault = Replay(*made.plan, seed).run(); !fault.empty()) return fault;
  }
  const bool all = covered == request.elements || request.algorithm->collective == Collective::kBarrier;
  return all ? "" : absl::StrCat("executions cover ", covered, " elements");
}

Volume volume_of(const PlanRequest& request, Rank group) {
  Volume volume;
  std::vector<int64_t> sent(request.ranks), across(request.ranks);
  for (int x = 0; x < request.algorithm->executions; ++x) {
    const PlanResult made = make_plan(request, x);
    volume.rounds = std::max(volume.rounds, made.plan->rounds());
    for (Rank r = 0; r < request.ranks; ++r) {
      for (Round k = 0; k < made.plan->rounds(); ++k) {
        for (uint32_t i = 0; i < made.plan->step(r, k).sends; ++i) {
          const Send send = made.plan->send(r, k, i);
          ++volume.messages;
          sent[r] += send.range.count;
          if (send.to / group != r / group) across[r] += send.range.count;
        }
      }
    }
  }
  volume.elements_total = std::accumulate(sent.begin(), sent.end(), int64_t{0});
  volume.elements_busiest = *std::max_element(sent.begin(), sent.end());
  volume.elements_across_busiest = *std::max_element(across.begin(), across.end());
  return volume;
}

}  // namespace brigade::oracle
