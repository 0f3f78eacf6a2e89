// One running execution of a plan: the state of every rank, and the one executor for all algorithms.
//
// A rank leaves a round when all that it expects has arrived and all that it sends has left its first link.
// What arrives for later rounds is kept: the next seven rounds in a bit each, more in a side table (a rank of
// a ring that starts late finds up to N - 1 messages). Several sends of one round are offered one after the
// other by egress link, each when the one before has left it. Nobody has a global view, but for `lockstep`:
// there a round begins on all ranks when it has ended on all.
//
// 16 bytes a rank. `Wire` is what an execution may do, all inlined by the engine:
//   Time now();
//   optional<Time> send(Rank from, Send, Round, uint32_t index, bool alone, Time at)
//                            the time at which it has left its first link, if known
//   uint32_t egresses(Rank); LinkId egress(Rank from, Rank to);
//   void wake(Rank, Time); void finished(Rank); void unexpected(Rank, Round);
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "sim/base/check.h"
#include "sim/base/ids.h"
#include "sim/base/time.h"
#include "sim/collective/algorithm.h"

namespace brigade {

class Execution {
 public:
  static constexpr Rank kRanksMax = (1u << 17) - 1;
  static constexpr Round kRoundsMax = (1u << 22) - 1;

  // Begins anew with another plan; keeps its memory.
  void reset(std::shared_ptr<const Plan> plan, bool lockstep) {
    plan_ = std::move(plan);
    rounds_ = plan_->rounds();
    lockstep_ = lockstep;
    BRIGADE_CHECK(plan_->ranks <= kRanksMax && rounds_ <= kRoundsMax, plan_->ranks, " ranks, ", rounds_,
                  " rounds");
    state_.assign(plan_->ranks, State{});
    if (rounds_ > 0)
      for (Rank r = 0; r < plan_->ranks; ++r) state_[r].missing = plan_->step(r, 0).expects;
    late_.clear();
    complete_ = finished_ = 0;
    in_flight_ = 0;
  }

  const Plan& plan() const { return *plan_; }
  bool over() const { return finished_ == plan_->ranks && in_flight_ == 0; }
  Round rounds() const { return rounds_; }
  // For diagnoses: where a rank stands.
  struct Standing {
    bool started;
    Round round;
    uint32_t arrived, unsent;
  };
  Standing standing(Rank r) const {
    const State& s = state_[r];
    const Round k = static_cast<Round>(s.round);
    const uint32_t arrived = k == rounds_ ? 0 : plan_->step(r, k).expects - static_cast<uint32_t>(s.missing);
    return {s.started != 0, k, arrived, static_cast<uint32_t>(s.unsent)};
  }

  template <class Wire>
  void start(Rank r, Wire&& w) {
    state_[r].started = 1;
    if (rounds_ == 0) return finish(r, w);
    emit(r, plan_->step(r, 0), w);
    advance(r, w);
  }

  // A message of round k is complete at rank r.
  template <class Wire>
  [[gnu::always_inline]] void arrived(Rank r, Round k, Wire&& w) {
    --in_flight_;
    State& s = state_[r];
    if (k != s.round) return arrived_early(r, k, w);
    if (s.missing == 0) [[unlikely]]
      return w.unexpected(r, k);
    s.missing = s.missing - 1;
    if (s.started) go_on(r, w);
  }

  // Fetches what `arrived` at rank r will touch.
  void prefetch(Rank r) const { __builtin_prefetch(&state_[r], 1); }

  // Message `index` of r's round has left its first link at t (now or later).
  template <class Wire>
  void left(Rank r, uint32_t index, Time t, Wire&& w) {
    if (const auto next = gone(r, index, t, w))
      offer(r, static_cast<Round>(state_[r].round), *next, false, t, w);
    advance(r, w);
  }

  // Goes on as far as rank r can.
  template <class Wire>
  void advance(Rank r, Wire&& w) {
    go_on(r, w);
  }

 private:
  static constexpr Round kEarly = 7;
  struct State {
    Time out_until;  // when what has been sent has left
    uint64_t round : 22 = 0, missing : 17 = 0, unsent : 17 = 0, early : 7 = 0, started : 1 = 0;
  };
  static_assert(sizeof(State) == 16, "bytes per rank of a running execution");
  static uint64_t key(Rank r, Round k) { return uint64_t{r} << 32 | k; }

  // The hot path: inlined into the loop where messages arrive.
  template <class Wire>
  [[gnu::always_inline]] void go_on(Rank r, Wire&& w) {
    State& s = state_[r];
    while (s.missing == 0 && s.unsent == 0 && s.round < rounds_) {
      if (s.out_until > w.now()) return w.wake(r, s.out_until);
      if (lockstep_) [[unlikely]] {
        if (++complete_ == plan_->ranks) next_round_of_all(w);
        return;
      }
      s.round = s.round + 1;
      if (s.round == rounds_) return finish(r, w);
      const Step step = plan_->step(r, static_cast<Round>(s.round));
      expect(r, step, w);
      emit(r, step, w);
    }
  }

  template <class Wire>
  void arrived_early(Rank r, Round k, Wire&& w) {
    State& s = state_[r];
    if (k < s.round) return w.unexpected(r, k);
    const Round ahead = k - static_cast<Round>(s.round);
    if (ahead <= kEarly && plan_->step(r, k).expects == 1) {
      const uint32_t bit = 1u << (ahead - 1);
      if (s.early & bit) return w.unexpected(r, k);
      s.early |= bit;
    } else {
      ++late_[key(r, k)];
    }
  }

  // Begins to wait for what a round expects, less what has come early.
  template <class Wire>
  [[gnu::always_inline]] void expect(Rank r, const Step& step, Wire&& w) {
    State& s = state_[r];
    uint32_t came = s.early & 1;
    s.early = s.early >> 1;
    if (!late_.empty()) {
      const auto it = late_.find(key(r, static_cast<Round>(s.round)));
      if (it != late_.end()) {
        came += it->second;
        late_.erase(it);
      }
    }
    if (came > step.expects) return w.unexpected(r, static_cast<Round>(s.round));
    s.missing = step.expects - came;
  }

  // Lockstep: all ranks have completed the round. No rank can complete the next one before all have entered
  // it, unless nobody sends in it; then the loop goes on.
  template <class Wire>
  void next_round_of_all(Wire&& w) {
    while (complete_ == plan_->ranks) {
      complete_ = 0;
      const Round k = static_cast<Round>(state_[0].round) + 1;
      for (State& s : state_) s.round = k;
      if (k == rounds_) {
        for (Rank r = 0; r < plan_->ranks; ++r) finish(r, w);
        return;
      }
      for (Rank r = 0; r < plan_->ranks; ++r) {
        const Step step = plan_->step(r, k);
        expect(r, step, w);
        emit(r, step, w);
      }
      for (Rank r = 0; r < plan_->ranks; ++r) {
        const State& s = state_[r];
        if (s.unsent != 0 || s.missing != 0) continue;
        if (s.out_until > w.now())
          w.wake(r, s.out_until);
        else
          ++complete_;
      }
    }
  }

  // Offers the sends of r's round: the first of each egress link; the others follow when it has left.
  template <class Wire>
  [[gnu::always_inline]] void emit(Rank r, const Step& step, Wire&& w) {
    if (step.sends == 0) return;
    State& s = state_[r];
    const Round k = static_cast<Round>(s.round);
    s.unsent = step.sends;
    if (step.sends == 1) [[likely]] {
      ++in_flight_;
      if (const auto t = w.send(r, plan_->send(r, k, 0), k, 0, true, w.now())) {
        s.out_until = std::max(s.out_until, *t);
        s.unsent = 0;
      }
      return;
    }
    emit_several(r, k, step, w);
  }

  template <class Wire>
  [[gnu::noinline]] void emit_several(Rank r, Round k, const Step& step, Wire&& w) {
    const uint32_t egresses = w.egresses(r);
    if (egresses == 1) return offer(r, k, 0, false, w.now(), w);
    LinkId seen[kEgressesMax];
    uint32_t found = 0;
    for (uint32_t i = 0; i < step.sends && found < egresses; ++i) {
      const LinkId e = w.egress(r, plan_->send(r, k, i).to);
      if (std::find(seen, seen + found, e) != seen + found) continue;
      BRIGADE_CHECK(found < kEgressesMax, "more than ", kEgressesMax, " egress links at rank ", r);
      seen[found++] = e;
      offer(r, k, i, false, w.now(), w);
    }
  }

  // Offers message i at `at`, and, where it has left at once, the ones behind it.
  template <class Wire>
  void offer(Rank r, Round k, uint32_t i, bool alone, Time at, Wire&& w) {
    for (std::optional<uint32_t> next = i; next;) {
      ++in_flight_;
      const auto t = w.send(r, plan_->send(r, k, *next), k, *next, alone, at);
      if (!t) return;
      at = *t;
      next = gone(r, *next, at, w);
    }
  }

  // Message i has left at t. Returns which one follows on its egress link.
  template <class Wire>
  std::optional<uint32_t> gone(Rank r, uint32_t i, Time t, Wire&& w) {
    State& s = state_[r];
    s.out_until = std::max(s.out_until, t);
    s.unsent = s.unsent - 1;
    if (s.unsent == 0) return std::nullopt;
    const Round k = static_cast<Round>(s.round);
    const uint32_t sends = plan_->step(r, k).sends;
    if (w.egresses(r) == 1) return i + 1 < sends ? std::optional(i + 1) : std::nullopt;
    const LinkId mine = w.egress(r, plan_->send(r, k, i).to);
    for (uint32_t j = i + 1; j < sends; ++j)
      if (w.egress(r, plan_->send(r, k, j).to) == mine) return j;
    return std::nullopt;
  }

  template <class Wire>
  void finish(Rank r, Wire&& w) {
    ++finished_;
    w.finished(r);
  }

  static constexpr uint32_t kEgressesMax = 256;
  std::shared_ptr<const Plan> plan_;
  Round rounds_ = 0;
  bool lockstep_ = false;
  std::vector<State> state_;
  absl::flat_hash_map<uint64_t, uint32_t> late_;  // (rank, round) -> arrivals; never iterated
  Rank complete_ = 0;                             // lockstep: ranks that have completed the round
  Rank finished_ = 0;
  int64_t in_flight_ = 0;  // messages offered or waiting to be, less those received
};

}  // namespace brigade
