#include "sim/engine/paranoid.h"

#include <algorithm>

#include "sim/base/check.h"

namespace brigade {

Paranoid::Paranoid(const Observable& engine) : engine_(engine), free_at_(engine.topology().links().size()) {}

void Paranoid::pass(Time at) {
  BRIGADE_CHECK(at >= now_, "time goes back from ", now_.ps, " to ", at.ps, " ps");
  now_ = at;
  ++checks_;
}

void Paranoid::collective_started(CommId comm, uint32_t index, Rank r, Time at) {
  pass(at);
  const bool fresh = running_.insert({comm, index, r}).second;
  BRIGADE_CHECK(fresh, "rank ", r, " starts collective ", index, " of ", engine_.name_of(comm), " twice");
}

void Paranoid::collective_finished(CommId comm, uint32_t index, Rank r, Time at) {
  pass(at);
  BRIGADE_CHECK(running_.erase({comm, index, r}) == 1, "rank ", r, " finishes collective ", index, " of ",
                engine_.name_of(comm), ", which it does not run");
}

// `at` may lie ahead: the message before it has yet to leave.
void Paranoid::message_launched(uint32_t flight, const MessageTag& tag, Bytes bytes, Time at) {
  const bool fresh = under_way_.try_emplace(key_of(tag), UnderWay{at, bytes.count}).second;
  BRIGADE_CHECK(fresh, "rank ", tag.from, " sends message ", tag.send, " of round ", tag.round, " twice");
  BRIGADE_CHECK(at >= now_, "a message leaves at ", at.ps, " ps, before ", now_.ps);
  if (heads_.size() <= flight) heads_.resize(size_t{flight} + 1);
  heads_[flight] = {};
  ++checks_;
}

void Paranoid::message_received(const MessageTag& tag, Time at) {
  pass(at);
  const auto it = under_way_.find(key_of(tag));
  BRIGADE_CHECK(it != under_way_.end(), "rank ", tag.to, " got message ", tag.send, " of round ", tag.round,
                " from rank ", tag.from, ", which is not under way");
  const UnderWay& m = it->second;
  BRIGADE_CHECK(at >= m.launched, "received at ", at.ps, " ps, launched at ", m.launched.ps);
  BRIGADE_CHECK(m.bytes == 0 || engine_.loses() || m.crossed % m.bytes == 0, m.crossed,
                " bytes crossed links of a message of ", m.bytes);
  under_way_.erase(it);
}

void Paranoid::served(uint32_t flight, int hop, LinkId link, Time start, Duration d, Time tail) {
  ++checks_;
  const Link& l = engine_.topology().links()[link];
  BRIGADE_CHECK(l.up, "a link that is down serves");
  BRIGADE_CHECK(d.ps >= 0 && start >= free_at_[link], engine_.topology().link_name(link), " serves from ",
                start.ps, " ps on, busy until ", free_at_[link].ps);
  BRIGADE_CHECK(tail >= start + d, "a tail leaves at ", tail.ps, " ps, its head was served for ", d.ps,
                " ps from ", start.ps, " on");
  free_at_[link] = start + d;
  if (heads_.size() <= flight) heads_.resize(size_t{flight} + 1);
  Head& head = heads_[flight];
  if (hop == 0) head = {};
  BRIGADE_CHECK(hop == head.hop, "hop ", hop, " follows hop ", head.hop - 1);
  BRIGADE_CHECK(start >= head.arrives, "a head is served at ", start.ps, " ps and arrives at ",
                head.arrives.ps);
  BRIGADE_CHECK(tail >= head.tail_arrives, "a tail leaves at ", tail.ps, " ps and arrives at ",
                head.tail_arrives.ps);
  head = {hop + 1, start + l.latency, tail + l.latency};
  const auto it = under_way_.find(key_of(engine_.tag_of(flight)));
  BRIGADE_CHECK(it != under_way_.end(), "a segment of a message that is not under way");
  it->second.crossed += engine_.segment_bytes(flight).count;
}

void Paranoid::died(LinkId link, Time at, Time until) {
  ++checks_;
  BRIGADE_CHECK(free_at_[link] == until && at < until, engine_.topology().link_name(link), " dies at ", at.ps,
                " ps, busy until ", until.ps, ", known to be busy until ", free_at_[link].ps);
  free_at_[link] = at;
}

void Paranoid::carried(LinkId link, Time begin, Time end, double share) {
  ++checks_;
  BRIGADE_CHECK(engine_.topology().links()[link].up, "a link that is down carries");
  BRIGADE_CHECK(begin >= free_at_[link] && end > begin && end <= engine_.now(),
                engine_.topology().link_name(link), " carries from ", begin.ps, " to ", end.ps,
                " ps, before until ", free_at_[link].ps);
  BRIGADE_CHECK(share > 0 && share <= 1, engine_.topology().link_name(link), " carries ", share,
                " of its bandwidth");
  free_at_[link] = end;
}

void Paranoid::finish() const {
  BRIGADE_CHECK(under_way_.empty(), under_way_.size(), " messages are still under way");
  BRIGADE_CHECK(running_.empty(), running_.size(), " ranks are still in a collective");
}

}  // namespace brigade
