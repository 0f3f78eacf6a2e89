// The expensive invariants, event by event (`--paranoid`): a broken one is ours and ends the process.
//
// Links serve one segment at a time, or no more than their bandwidth, in order of time; a tail never leaves
// before its head, nor a head arrives before it was sent on; hops follow each other; every message is
// received exactly once, by whom it was sent to, not before it was launched; a rank finishes a collective
// after it has started it, once.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "sim/engine/observer.h"

namespace brigade {

class Paranoid final : public EngineObserver {
 public:
  explicit Paranoid(const Observable& engine);
  // After a run that has not failed: nothing is under way any more.
  void finish() const;
  int64_t checks() const { return checks_; }

  void collective_started(CommId comm, uint32_t index, Rank r, Time at) override;
  void collective_finished(CommId comm, uint32_t index, Rank r, Time at) override;
  void message_launched(uint32_t flight, const MessageTag& tag, Bytes bytes, Time at) override;
  void message_received(const MessageTag& tag, Time at) override;
  void served(uint32_t flight, int hop, LinkId link, Time start, Duration d, Time tail) override;
  void waits(LinkId, Bytes, Time) override {}
  void died(LinkId link, Time at, Time until) override;
  void carried(LinkId link, Time begin, Time end, double share) override;

 private:
  // comm, index, execution, from, to, round, send
  using Key = std::tuple<CommId, uint32_t, uint32_t, Rank, Rank, Round, uint32_t>;
  static Key key_of(const MessageTag& t) {
    return {t.comm, t.index, t.execution, t.from, t.to, t.round, t.send};
  }
  struct UnderWay {
    Time launched;
    int64_t bytes;
    int64_t crossed = 0;  // bytes x hops
  };
  struct Head {  // of a segment: where it is and when it gets there
    int hop = 0;
    Time arrives{}, tail_arrives{};
  };
  void pass(Time at);

  const Observable& engine_;
  std::vector<Time> free_at_;  // by link
  std::vector<Head> heads_;    // by flight
  std::map<Key, UnderWay> under_way_;
  std::set<std::tuple<CommId, uint32_t, Rank>> running_;
  Time now_{};
  int64_t checks_ = 0;
};

}  // namespace brigade
