#include "tests/oracle/plain_engine.h"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <queue>

#include "sim/base/check.h"
#include "sim/base/random.h"

namespace brigade::oracle {
namespace {

enum Kind { kStart, kLinkFree, kArrive, kDelivered, kReceived };
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
};
struct Segment {
  std::shared_ptr<Message> message;
  int64_t index;
  size_t hop = 0;
  Time tail{};  // when its tail comes to link `hop`
};
struct LinkState {
  bool busy = false, chooses = false;
  std::deque<Segment> waiting;
  int64_t bytes = 0;
  Duration time{};
};
struct RankState {
  bool started = false, finished = false, entered = false, complete = false;
  Round round = 0;
  uint32_t unsent = 0;  // sends of the round that have not left their first link
  std::map<Round, uint32_t> arrived;
};

class Plain {
 public:
  Plain(const Topology& t, const NetworkSpec& n, const std::vector<PlainJob>& jobs, uint64_t seed)
      : topology_(t),
        network_(n),
        jobs_(jobs),
        seed_(seed),
        links_(t.links().size()),
        endpoint_(t.vertices().size()) {
    for (const PlainJob& job : jobs) {
      std::vector<std::vector<RankState>> executions;
      for (const auto& plan : job.plans) executions.emplace_back(plan->ranks);
      states_.push_back(std::move(executions));
      result_.end.emplace_back(job.devices.size(), kNever);
    }
  }

  PlainResult run() {
    for (int j = 0; j < int(jobs_.size()); ++j)
      for (Rank r = 0; r < jobs_[j].devices.size(); ++r)
        push(jobs_[j].start[r], {kStart, r, j}, [this, j, r] {
          for (int x = 0; x < int(jobs_[j].plans.size()); ++x) {
            states_[j][x][r].started = true;
            advance(j, x, r);
          }
        });
    while (!queue_.empty()) {
      now_ = queue_.top().at;
      std::vector<Event> batch;
      for (; !queue_.empty() && queue_.top().at == now_; queue_.pop()) batch.push_back(queue_.top());
      std::sort(batch.begin(), batch.end(), [](const Event& a, const Event& b) { return a.key < b.key; });
      result_.events += int64_t(batch.size());
      for (const Event& e : batch) e.run();
      if (!queue_.empty() && queue_.top().at == now_) continue;
      for (const LinkId l : std::exchange(choosing_, {})) choose(l);
    }
    for (const LinkState& l : links_) {
      result_.link_bytes.push_back(l.bytes);
      result_.link_busy.push_back(l.time);
    }
    return std::move(result_);
  }

 private:
  void push(Time at, Key key, std::function<void()> run) { queue_.push({at, key, std::move(run)}); }
  static Key key(Kind kind, int64_t place, const Segment& s) {
    const Message& m = *s.message;
    return {kind, place, m.job, m.execution, m.from, m.round, m.send, s.index};
  }
  const Plan& plan(int j, int x) const { return *jobs_[j].plans[x]; }

  // ---- links
  void arrive(Segment s) {
    if (s.hop == 0 && s.index + 1 == s.message->segments) prepare_next(*s.message);
    if (s.message->route.empty()) return left(s), deliver(s);
    const LinkId l = s.message->route[s.hop];
    links_[l].waiting.push_back(std::move(s));
    if (!links_[l].busy && !std::exchange(links_[l].chooses, true)) choosing_.push_back(l);
  }
  Duration time_of(const Segment& s, size_t hop) const {
    const Message& m = *s.message;
    const Bandwidth b = topology_.links()[m.route[hop]].bandwidth;
    return b.time(end_of(s)) - b.time(begin_of(s));
  }
  static Bytes begin_of(const Segment& s) { return s.index * s.message->segment; }
  static Bytes end_of(const Segment& s) {
    return std::min((s.index + 1) * s.message->segment, s.message->bytes);
  }

  void choose(LinkId l) {
    LinkState& link = links_[l];
    link.chooses = false;
    if (link.busy || link.waiting.empty()) return;
    const auto class_of = [&](const Segment& x) { return jobs_[x.message->job].message_class; };
    const auto next =
        std::max_element(link.waiting.begin(), link.waiting.end(),
                         [&](const auto& a, const auto& b) { return class_of(a) < class_of(b); });
    Segment s = std::move(*next);
    link.waiting.erase(next);
    const Link& cable = topology_.links()[l];
    Duration d = time_of(s, s.hop);
    // Never longer than on the slowest link before, unless this one is slower.
    size_t slowest = 0;
    for (size_t i = 1; i < s.hop; ++i)
      if (topology_.links()[s.message->route[i]].bandwidth <
          topology_.links()[s.message->route[slowest]].bandwidth)
        slowest = i;
    if (s.hop > 0 && cable.bandwidth >= topology_.links()[s.message->route[slowest]].bandwidth)
      d = std::min(d, time_of(s, slowest));
    link.busy = true;
    link.bytes += (end_of(s) - begin_of(s)).count;
    link.time += d;
    const Time start = now_, free = now_ + d, tail = std::max(free, s.tail);
    push(free, {kLinkFree, l}, [this, l] {
      links_[l].busy = false;
      if (!std::exchange(links_[l].chooses, true)) choosing_.push_back(l);
    });
    if (s.hop == 0) push(free, key(kLinkFree, l, s), [this, s] { left(s); });
    const bool last = s.hop + 1 == s.message->route.size();
    ++s.hop;
    s.tail = tail + cable.latency;
    if (last)
      push(s.tail, key(kDelivered, s.message->to, s), [this, s] { deliver(s); });
    else
      push(start + cable.latency, key(kArrive, s.message->route[s.hop], s), [this, s] { arrive(s); });
  }

  // ---- messages
  void left(const Segment& s) {
    Message& m = *s.message;
    if (m.offered < m.segments) {
      if (network_.window && m.offered - m.delivered >= *network_.window)
        m.waits_for_credit = true;
      else
        offer(s.message, now_);
      return;
    }
    RankState& state = states_[m.job][m.execution][m.from];
    --state.unsent;
    if (m.next) offer(m.next, std::max(now_, m.next_ready));
    advance(m.job, m.execution, m.from);
  }
  void prepare_next(Message& m) {
    for (uint32_t i = m.send + 1; i < plan(m.job, m.execution).step(m.from, m.round).sends; ++i) {
      auto next = make(m.job, m.execution, m.from, m.round, i);
      if (next->route.empty() != m.route.empty() || (!m.route.empty() && next->route[0] != m.route[0]))
        continue;
      m.next_ready = ready(*next);
      m.next = std::move(next);
      return;
    }
  }
  // When the sender's endpoint has paid the overhead of a message that it takes up now.
  Time ready(const Message& m) {
    return network_.overhead.ps == 0 ? now_ : pay(jobs_[m.job].devices[m.from], now_);
  }
  void offer(const std::shared_ptr<Message>& m, Time at) {
    Segment s{m, m->offered++, 0, at};
    push(at, key(kArrive, m->route.empty() ? -1 : int64_t{m->route[0]}, s), [this, s] { arrive(s); });
  }
  void deliver(const Segment& s) {
    Message& m = *s.message;
    ++m.delivered;
    if (std::exchange(m.waits_for_credit, false)) offer(s.message, now_);
    if (m.delivered < m.segments) return;
    if (network_.overhead.ps == 0) return receive(s);
    push(pay(jobs_[m.job].devices[m.to], now_), key(kReceived, m.to, s), [this, s] { receive(s); });
  }
  void receive(const Segment& s) {
    const Message& m = *s.message;
    ++result_.messages;
    ++states_[m.job][m.execution][m.to].arrived[m.round];
    advance(m.job, m.execution, m.to);
  }
  Time pay(VertexId v, Time at) { return endpoint_[v] = std::max(at, endpoint_[v]) + network_.overhead; }
  std::shared_ptr<Message> make(int j, int x, Rank r, Round k, uint32_t i) const {
    const Send send = plan(j, x).send(r, k, i);
    auto m = std::make_shared<Message>(Message{.job = j,
                                               .execution = x,
                                               .from = r,
                                               .to = send.to,
                                               .round = k,
                                               .send = i,
                                               .bytes = plan(j, x).bytes(send.range),
                                               .segment = {},
                                               .segments = 1,
                                               .route = {}});
    m->segment = network_.segment_rule == SegmentRule::kFixed ? network_.segment : kSegmentMax;
    if (network_.segment_rule == SegmentRule::kAuto)
      m->segment = {std::max<int64_t>(1, (m->bytes.count + kAutoSegments - 1) / kAutoSegments)};
    m->segments = std::max<int64_t>(1, (m->bytes.count + m->segment.count - 1) / m->segment.count);
    const uint64_t a = jobs_[j].devices[r], b = jobs_[j].devices[send.to];
    m->route.resize(size_t(topology_.router().hops_max()));
    const int hops = topology_.router().route(VertexId(a), VertexId(b),
                                              mix((a << 32 | b) ^ mix(seed_ + unsigned(x))), m->route.data());
    BRIGADE_CHECK(hops >= 0, "no route");
    m->route.resize(size_t(hops));
    return m;
  }

  // ---- ranks
  void advance(int j, int x, Rank r) {
    RankState& s = states_[j][x][r];
    const Plan& p = plan(j, x);
    while (s.started && !s.finished && !s.complete) {
      if (s.round == p.rounds()) return finish(j, x, r);
      if (!s.entered) enter(j, x, r);
      if (s.unsent > 0 || s.arrived[s.round] < p.step(r, s.round).expects) return;
      if (jobs_[j].lockstep) {
        s.complete = true;
        return next_round_of_all(j, x);
      }
      ++s.round;
      s.entered = false;
    }
  }
  void enter(int j, int x, Rank r) {
    RankState& s = states_[j][x][r];
    s.entered = true;
    s.unsent = plan(j, x).step(r, s.round).sends;
    std::vector<LinkId> seen;
    for (uint32_t i = 0; i < s.unsent; ++i) {
      auto m = make(j, x, r, s.round, i);
      const LinkId first = m->route.empty() ? kNone : m->route[0];
      if (std::find(seen.begin(), seen.end(), first) != seen.end()) continue;
      seen.push_back(first);
      offer(m, ready(*m));
    }
  }
  void next_round_of_all(int j, int x) {
    auto& all = states_[j][x];
    if (!std::all_of(all.begin(), all.end(), [](const RankState& s) { return s.complete; })) return;
    for (RankState& s : all) {
      ++s.round;
      s.entered = s.complete = false;
    }
    for (Rank r = 0; r < all.size(); ++r) advance(j, x, r);
  }
  void finish(int j, int x, Rank r) {
    states_[j][x][r].finished = true;
    for (const auto& execution : states_[j])
      if (!execution[r].finished) return;
    result_.end[j][r] = now_;
  }

  const Topology& topology_;
  const NetworkSpec& network_;
  const std::vector<PlainJob>& jobs_;
  uint64_t seed_;
  std::priority_queue<Event, std::vector<Event>, Later> queue_;
  Time now_{};
  std::vector<LinkState> links_;
  std::vector<LinkId> choosing_;
  std::vector<Time> endpoint_;
  std::vector<std::vector<std::vector<RankState>>> states_;
  PlainResult result_;
};

}  // namespace

PlainResult run_plain(const Topology& topology, const NetworkSpec& network, const std::vector<PlainJob>& jobs,
                      uint64_t flow_seed) {
  return Plain(topology, network, jobs, flow_seed).run();
}

}  // namespace brigade::oracle
