#include "tests/oracle/plain_engine.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <queue>

#include "sim/base/check.h"
#include "sim/base/random.h"
#include "tests/oracle/plain_parts.h"

namespace brigade::oracle {
namespace {

class Plain {
 public:
  Plain(const Topology& t, const NetworkSpec& n, const std::vector<PlainJob>& jobs, uint64_t seed,
        const PlainFaults& faults)
      : topology_(t),
        network_(n),
        jobs_(jobs),
        seed_(seed),
        faults_(faults),
        known_(t.links().begin(), t.links().end()),
        endpoint_(t.vertices().size()) {
    for (const Link& l : t.links()) links_.push_back({.waiting = {}, .bandwidth = l.bandwidth});
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
    for (const PlainChange& c : faults_.changes)
      for (const Time at : {c.begins, c.ends})
        if (at < kNever) push(at, {kChange, c.link}, [this, c] { change(c.link); });
    while (!queue_.empty() && !result_.cut_off) {
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
  bool is_gone(const Segment& s) const {
    return *s.lost || s.message->complete || (s.hop == 0 && s.attempt != s.message->attempt);
  }
  void arrive(Segment s) {
    if (is_gone(s)) return;
    if (!s.route.empty() && links_[s.route[s.hop]].dead) return lose(s, s.route[s.hop]);
    if (s.hop == 0 && s.index + 1 == s.message->segments && !s.message->has_left) prepare_next(*s.message);
    if (s.route.empty()) return left(s, s.index + 1 == s.message->segments), deliver(s);
    const LinkId l = s.route[s.hop];
    links_[l].waiting.push_back(std::move(s));
    if (!links_[l].busy && !std::exchange(links_[l].chooses, true)) choosing_.push_back(l);
  }
  Duration time_of(const Segment& s, size_t hop) const {
    const Bandwidth b = links_[s.route[hop]].bandwidth;
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
    const Duration latency = topology_.links()[l].latency;
    Duration d = time_of(s, s.hop);
    // Never longer than on the slowest link before, unless this one is slower.
    const Bandwidth before = links_[s.route[s.slowest]].bandwidth;
    if (s.hop > 0 && link.bandwidth >= before)
      d = std::min(d, time_of(s, s.slowest));
    else
      s.slowest = s.hop;
    link.busy = true;
    link.bytes += (end_of(s) - begin_of(s)).count;
    link.time += d;
    const Time start = now_, free = now_ + d, tail = std::max(free, s.tail);
    link.free_at = free;
    push(free, {kLinkFree, l}, [this, l, epoch = link.epoch] {
      if (links_[l].epoch != epoch) return;  // it has died since
      links_[l].busy = false;
      if (!std::exchange(links_[l].chooses, true)) choosing_.push_back(l);
    });
    if (s.hop == 0) {
      const bool leaves = s.index + 1 == s.message->segments && !std::exchange(s.message->has_left, true);
      push(free, key(kLinkFree, l, s), [this, s, leaves] { left(s, leaves); });
    }
    const bool last = s.hop + 1 == s.route.size();
    ++s.hop;
    s.tail = tail + latency;
    link.on_link.push_back({s, s.tail});
    if (last)
      push(s.tail, key(kDelivered, s.message->to, s), [this, s] { deliver(s); });
    else
      push(start + latency, key(kArrive, s.route[s.hop], s), [this, s] { arrive(s); });
  }

  // ---- links that change and die
  void change(LinkId l) {
    LinkState& link = links_[l];
    double share = 1;
    bool dead = false;
    for (const PlainChange& c : faults_.changes) {
      if (c.link != l || now_ < c.begins || now_ >= c.ends) continue;
      share *= c.share;
      dead |= c.down;
    }
    const double full = double(topology_.links()[l].bandwidth.bytes_per_s().count);
    link.bandwidth = Bandwidth::per_second({std::max<int64_t>(1, std::llround(share * full))});
    if (dead == link.dead) return;
    link.dead = dead;
    if (!dead) {
      known_[l].up = true;
      return route_anew();
    }
    link.known = now_ + faults_.detection;
    ++link.epoch;
    for (const Segment& s : std::exchange(link.waiting, {}))
      if (!*s.lost && !s.message->complete) lose(s, l);
    for (const auto& [s, until] : std::exchange(link.on_link, {}))
      if (until > now_ && !*s.lost && !s.message->complete) lose(s, l);
    if (link.busy) link.time = link.time - (link.free_at - now_);
    link.busy = false;
    push(link.known, {kChange, l, 1}, [this, l, epoch = link.epoch] {
      if (!links_[l].dead || links_[l].epoch != epoch) return;
      known_[l].up = false;
      route_anew();
    });
  }
  void route_anew() { router_ = routes_around(topology_, known_); }
  void lose(const Segment& s, LinkId l) {
    Message& m = *s.message;
    *s.lost = true;
    ++result_.lost;
    if (m.waits_to_resume || m.got[size_t(s.index)] || (s.attempt != m.attempt && s.index >= m.start)) return;
    m.waits_to_resume = true;
    push(std::max(now_, links_[l].known), {kResume, m.to, m.job, m.execution, m.from, m.round, m.send},
         [this, message = s.message] { resume(message); });
  }
  void resume(const std::shared_ptr<Message>& m) {
    if (!route(*m)) {
      result_.cut_off = now_;
      return;
    }
    ++result_.resumed;
    ++m->attempt;
    m->start = m->offered = std::find(m->got.begin(), m->got.end(), false) - m->got.begin();
    m->waits_to_resume = false;
    offer(m, now_);
  }

  // ---- messages
  // The sender goes on, unless this is of an attempt that it has given up; `leaves`: its message leaves, for
  // the first time.
  void left(const Segment& s, bool leaves) {
    Message& m = *s.message;
    if (s.index + 1 < m.segments) {
      if (s.attempt != m.attempt) return;
      if (network_.window && m.offered - m.delivered >= *network_.window)
        m.waits_for_credit = true;
      else
        offer(s.message, now_);
      return;
    }
    if (!leaves) return;
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
    Segment s{.message = m, .index = m->offered++, .tail = at};
    s.attempt = m->attempt;
    s.route = m->route;
    push(at, key(kArrive, m->route.empty() ? -1 : int64_t{m->route[0]}, s), [this, s] { arrive(s); });
  }
  void deliver(const Segment& s) {
    Message& m = *s.message;
    if (*s.lost || m.complete || m.got[size_t(s.index)]) return;
    m.got[size_t(s.index)] = true;
    m.complete = ++m.delivered == m.segments;
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
  bool route(Message& m) const {
    const Router& router = router_ ? *router_ : topology_.router();
    const uint64_t a = jobs_[m.job].devices[m.from], b = jobs_[m.job].devices[m.to];
    m.route.resize(256);
    const int hops = router.route(VertexId(a), VertexId(b),
                                  mix((a << 32 | b) ^ mix(seed_ + unsigned(m.execution))), m.route.data());
    m.route.resize(size_t(std::max(0, hops)));
    return hops >= 0;
  }
  std::shared_ptr<Message> make(int j, int x, Rank r, Round k, uint32_t i) {
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
    m->got.resize(size_t(m->segments));
    if (!route(*m)) result_.cut_off = now_;
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
  const PlainFaults& faults_;
  std::vector<Link> known_;  // `up`: as all know
  std::unique_ptr<const Router> router_;
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
                      uint64_t flow_seed, const PlainFaults& faults) {
  return Plain(topology, network, jobs, flow_seed, faults).run();
}

}  // namespace brigade::oracle
