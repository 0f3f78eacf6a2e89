// What the plain engine keeps of messages, segments, links and ranks.
#pragma once
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "sim/base/bandwidth.h"
#include "sim/base/bytes.h"
#include "sim/base/ids.h"
#include "sim/base/time.h"

namespace brigade::oracle {

enum Kind { kChange = -1, kStart, kLinkFree, kArrive, kDelivered, kReceived, kResume };
// kind, place, job, execution, source, round, send, segment
using Key = std::array<int64_t, 8>;
struct Event {
  Time at;
  Key key;
  std::function<void()> run;
};
struct Later {
  bool operator()(const Event& a, const Event& b) const { return a.at > b.at; }
};

struct Message {
  int job, execution;
  Rank from, to;
  Round round;
  uint32_t send;
  Bytes bytes, segment;
  int64_t segments, offered = 0, delivered = 0;
  bool waits_for_credit = false;
  std::vector<LinkId> route;
  // The send of the round that follows over the same first link, and when the endpoint is ready to offer it:
  // its overhead begins when the last segment of this one has been offered.
  std::shared_ptr<Message> next = nullptr;
  Time next_ready{};
  // Where links die: which attempt, its first segment, what has arrived, and what the sender knows.
  int attempt = 0;
  int64_t start = 0;
  std::vector<bool> got = {};
  bool waits_to_resume = false, has_left = false, complete = false;
};
struct Segment {
  std::shared_ptr<Message> message;
  int64_t index;
  size_t hop = 0;
  Time tail{};  // when its tail comes to link `hop`
  int attempt = 0;
  size_t slowest = 0;  // hop
  std::vector<LinkId> route = {};
  std::shared_ptr<bool> lost = std::make_shared<bool>(false);
};
struct LinkState {
  bool busy = false, chooses = false;
  std::deque<Segment> waiting;
  int64_t bytes = 0;
  Duration time{};
  Bandwidth bandwidth;
  bool dead = false;
  int epoch = 0;  // deaths
  Time free_at{}, known{};
  std::vector<std::pair<Segment, Time>> on_link = {};  // until their tail is at the other end
};
struct RankState {
  bool started = false, finished = false, entered = false, complete = false;
  Round round = 0;
  uint32_t unsent = 0;  // sends of the round that have not left their first link
  std::map<Round, uint32_t> arrived;
};

}  // namespace brigade::oracle
