// Several observers in place of one: the timeline, the payload and the paranoid checks may all listen.
#pragma once
#include <vector>

#include "sim/engine/observer.h"

namespace brigade {

class FanOut final : public EngineObserver {
 public:
  void add(EngineObserver* observer) { observers_.push_back(observer); }
  // What the engine is to tell: null where nobody listens, the one where there is one.
  EngineObserver* observer() {
    if (observers_.empty()) return nullptr;
    return observers_.size() == 1 ? observers_.front() : this;
  }

  void collective_started(CommId comm, uint32_t index, Rank r, Time at) override {
    for (EngineObserver* o : observers_) o->collective_started(comm, index, r, at);
  }
  void collective_finished(CommId comm, uint32_t index, Rank r, Time at) override {
    for (EngineObserver* o : observers_) o->collective_finished(comm, index, r, at);
  }
  void message_launched(uint32_t flight, const MessageTag& tag, Bytes bytes, Time at) override {
    for (EngineObserver* o : observers_) o->message_launched(flight, tag, bytes, at);
  }
  void message_received(const MessageTag& tag, Time at) override {
    for (EngineObserver* o : observers_) o->message_received(tag, at);
  }
  void served(uint32_t flight, int hop, LinkId link, Time start, Duration d, Time tail) override {
    for (EngineObserver* o : observers_) o->served(flight, hop, link, start, d, tail);
  }
  void waits(LinkId link, Bytes bytes, Time at) override {
    for (EngineObserver* o : observers_) o->waits(link, bytes, at);
  }
  void died(LinkId link, Time at, Time until) override {
    for (EngineObserver* o : observers_) o->died(link, at, until);
  }
  void carried(LinkId link, Time begin, Time end, double share) override {
    for (EngineObserver* o : observers_) o->carried(link, begin, end, share);
  }

 private:
  std::vector<EngineObserver*> observers_;
};

}  // namespace brigade
