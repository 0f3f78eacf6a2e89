#include "sim/network/fluid_network.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace brigade {
namespace {

using Left = unsigned __int128;

constexpr int kLeftBits = 32;  // after the point
constexpr int kLateBits = 32;
constexpr int64_t kPicosecondsPerSecond = 1'000'000'000'000;
constexpr int64_t kBytesMax = int64_t{1} << 55;

std::vector<Bandwidth> bandwidths_of(const Topology& topology) {
  std::vector<Bandwidth> all;
  for (const Link& l : topology.links()) all.push_back(l.bandwidth);
  return all;
}

bool is_whole(Rate rate) { return static_cast<uint64_t>(rate) == 0; }

// What flows at this rate in that time. All is rounded up, also the rate where it was rounded down: an end
// that falls on a picosecond must not come after it.
Left flowed(Rate rate, Duration d) {
  rate += is_whole(rate) ? 0 : 1;
  const auto ps = static_cast<uint64_t>(d.ps);
  const Left whole = Left{static_cast<uint64_t>(rate >> kRateBits)} * ps;
  const Left part = Left{static_cast<uint64_t>(rate)} * ps;
  constexpr int kMore = kRateBits - kLeftBits;
  return (whole << kLeftBits) + ((part + ((Left{1} << kMore) - 1)) >> kMore);
}

// The same in a part of a picosecond.
Left flowed_late(Rate rate, uint64_t late) {
  return late == 0 ? 0 : (((rate >> (kRateBits - kLeftBits)) * late) >> kLateBits) + 1;
}

int leading_zeros(Left x) {
  const auto high = static_cast<uint64_t>(x >> 64);
  return high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<uint64_t>(x));
}

// What counts as nothing left, for the same reason.
Left nothing(Rate rate) {
  constexpr uint64_t kLate = uint64_t{1} << 8;  // 2^-24 ps
  return is_whole(rate) ? 0 : flowed_late(rate, kLate);
}

// Until nothing is left, rounded up. Of the rate's last bits as many count as there is room for.
Duration time_for(Left left, Rate rate) {
  if (left <= nothing(rate)) return {};
  left -= nothing(rate);
  const int room = std::min(kRateBits - kLeftBits, leading_zeros(left));
  const Left divisor = rate >> (kRateBits - kLeftBits - room);
  BRIGADE_CHECK(divisor != 0, "a flow stands still");
  const Left ps = ((left << room) - 1) / divisor + 1;
  BRIGADE_CHECK(ps < Left{static_cast<uint64_t>(kNever.ps) / 2}, "a flow takes more than a month");
  return {static_cast<int64_t>(ps)};
}

}  // namespace

FluidNetwork::FluidNetwork(const Topology& topology, const NetworkSpec& spec)
    : topology_(topology),
      router_(topology.router()),
      shares_(bandwidths_of(topology), topology.router().hops_max()),
      stride_(static_cast<size_t>(topology.router().hops_max())),
      links_(topology.links().size()) {
  BRIGADE_CHECK(spec.model == NetworkModel::kFluid, "of another model");
  BRIGADE_CHECK(stride_ < 256, "routes of ", stride_, " links");
}

void FluidNetwork::observe(NetworkObserver* observer) {
  observer_ = observer;
  uses_.assign(observer == nullptr ? 0 : links_.size(), {});
}

void FluidNetwork::begin_execution(uint16_t execution, uint64_t order, MessageClass message_class, Rank) {
  BRIGADE_CHECK(message_class == 0, "a message of class ", int{message_class});
  if (order_.size() <= execution) order_.resize(size_t{execution} + 1);
  order_[execution] = order;
}

uint32_t FluidNetwork::take_flow() {
  if (free_flows_.empty()) {
    free_flows_.push_back(static_cast<uint32_t>(flows_.size()));
    flows_.emplace_back();
    routes_.resize(flows_.size() * stride_);
  }
  const uint32_t f = free_flows_.back();
  free_flows_.pop_back();
  return f;
}

uint32_t FluidNetwork::launch(const Outgoing& m, const FlowShare& share) {
  BRIGADE_CHECK(m.bytes.count < kBytesMax, "a message of ", m.bytes.count, " B");
  const uint32_t f = take_flow();
  LinkId* links = routes_.data() + f * stride_;
  const int hops = router_.route(m.from_vertex, m.to_vertex, m.flow(), links);
  if (hops < 0) {
    free_flows_.push_back(f);
    return kNone;
  }
  ++messages_launched;
  ++segments_launched;
  Flow& x = flows_[f];
  x = {.from = m.from,
       .to = m.to,
       .round = m.round,
       .index = m.index,
       .execution = m.execution,
       .hops = static_cast<uint8_t>(hops),
       .share = share,
       .bytes = m.bytes,
       .latency = {},
       .since = {},
       .left = 0};
  for (int h = 0; h < hops; ++h) x.latency += topology_.links()[links[h]].latency;
  return f;
}

std::optional<Time> FluidNetwork::start(uint32_t flow, Queue& queue) {
  Flow& x = flows_[flow];
  if (x.hops == 0 || x.bytes.count == 0) {  // nothing to carry
    queue.push({queue.now() + x.latency, flow, x.execution, kDelivered, x.hops});
    return queue.now();
  }
  const Left all = (Left{static_cast<uint64_t>(x.bytes.count)} * kPicosecondsPerSecond) << kLeftBits;
  x.left = (all + x.share.weight - 1) / x.share.weight;
  x.since = queue.now();
  starting_.push_back(flow);
  ask(queue);
  return std::nullopt;
}

Delivery FluidNetwork::receive(uint32_t flow) {
  const Flow& x = flows_[flow];
  free_flows_.push_back(flow);
  ++messages_received;
  return {x.execution, x.from, x.to, x.round};
}

void FluidNetwork::push(Time at, LinkId bottleneck, Queue& queue) {
  ++events_;
  queue.push({at, bottleneck, 0, kLinkFree, 0});
}

void FluidNetwork::ask(Queue& queue) {
  if (!std::exchange(asked_, true)) push(queue.now(), kNone, queue);
}

FluidNetwork::Served FluidNetwork::choose(LinkId bottleneck, Queue& queue) {
  --events_;
  if (bottleneck != kNone) {
    if (bottlenecks_[bottleneck].end == queue.now()) {
      bottlenecks_[bottleneck].end = kNever;
      collect_ended(bottleneck, queue.now());
      ask(queue);
    }
    return {kNone, std::nullopt};
  }
  asked_ = false;
  if (!ended_.empty()) end_flows(queue);
  if (!told_.empty()) return {next_ended(queue), queue.now()};
  if (!starting_.empty()) start_flows(queue);
  return {kNone, std::nullopt};
}

void FluidNetwork::collect_ended(LinkId bottleneck, Time now) {
  shares_.for_each_held(bottleneck, [&](FlowId f) {
    const Flow& x = flows_[f];
    const Rate level = shares_.level(f);
    const Left could = flowed(level, now - x.since);
    if (x.left > could + nothing(level)) return;
    const Left more = could > x.left ? could - x.left : 0;
    const Left per_ps = level >> (kRateBits - kLeftBits);
    ended_.push_back({static_cast<uint64_t>(((more << kLateBits) + per_ps - 1) / per_ps), f});
  });
}

bool FluidNetwork::earlier(uint32_t a, uint32_t b) const {
  const auto key = [this](const Flow& x) {
    return std::tuple(order_[x.execution], x.from, x.round, x.index, x.to);
  };
  return key(flows_[a]) < key(flows_[b]);
}

// The earliest first, as if each had ended between two picoseconds.
void FluidNetwork::end_flows(Queue& queue) {
  std::sort(ended_.begin(), ended_.end(), [this](const Ended& a, const Ended& b) {
    return a.late != b.late ? a.late > b.late : earlier(a.flow, b.flow);
  });
  for (size_t i = 0; i < ended_.size(); ++i) {
    const Flow& x = flows_[ended_[i].flow];
    for (int h = 0; h < x.hops; ++h) {
      const LinkId l = route(x)[h];
      links_[l].bytes += x.bytes.count;
      links_[l].busy = topology_.links()[l].bandwidth.time({links_[l].bytes});
    }
    shares_.remove(ended_[i].flow);
    told_.push_back(ended_[i].flow);
    if (i + 1 == ended_.size() || ended_[i + 1].late != ended_[i].late) settle(ended_[i].late, queue);
  }
  ended_.clear();
  std::sort(told_.begin(), told_.end(), [this](uint32_t a, uint32_t b) { return earlier(b, a); });
}

// Those that end at one instant are told one by one: what each leads to at this instant happens in between.
uint32_t FluidNetwork::next_ended(Queue& queue) {
  const uint32_t f = told_.back();
  told_.pop_back();
  const Flow& x = flows_[f];
  queue.push({queue.now() + x.latency, f, x.execution, kDelivered, x.hops});
  if (!told_.empty() || !starting_.empty()) ask(queue);
  return f;
}

void FluidNetwork::start_flows(Queue& queue) {
  for (const uint32_t f : starting_) {
    const Flow& x = flows_[f];
    shares_.add(f, {route(x), x.hops}, x.share.weight, x.share.cap);
  }
  starting_.clear();
  settle(0, queue);
}

void FluidNetwork::settle(uint64_t late, Queue& queue) {
  const Time now = queue.now();
  ++settles_;
  const auto changes = shares_.settle();
  if (observer_ != nullptr) report_use(now);
  bottlenecks_.resize(shares_.bottlenecks());
  changed_.clear();
  for (const FairShares::Change& c : changes)
    if (c.bottleneck != kNone) bottlenecks_[c.bottleneck].end = kNever;
  for (const FairShares::Change& c : changes) {
    Flow& x = flows_[c.flow];
    const Rate level = shares_.level(c.flow);
    const Left gone = flowed(c.level, now - x.since) + flowed_late(level, late);
    const Left had = x.left + flowed_late(c.level, late);
    x.left = had > gone ? had - gone : 0;
    x.since = now;
    const LinkId link = shares_.bottleneck(c.flow);
    Bottleneck& b = bottlenecks_[link];
    if (b.stamp != settles_) {
      b.stamp = settles_;
      b.least = x.left;
      b.level = level;
      changed_.push_back(link);
    }
    b.least = std::min(b.least, x.left);
  }
  for (const LinkId link : changed_) {
    Bottleneck& b = bottlenecks_[link];
    const Time end = now + time_for(b.least, b.level);
    if (end >= b.end) continue;  // flows that were not recomputed end earlier
    b.end = end;
    push(end, link, queue);
  }
}

void FluidNetwork::report_use(Time now) {
  for (const LinkId l : shares_.loaded()) {
    if (l >= uses_.size()) continue;  // a cap
    Use& use = uses_[l];
    if (use.load == shares_.load(l)) continue;
    if (use.load != 0 && now > use.since) {
      const Rate full = Rate{static_cast<uint64_t>(topology_.links()[l].bandwidth.bytes_per_s().count)};
      observer_->carried(l, use.since, now, static_cast<double>(use.load / full) * 0x1p-64);
    }
    use = {shares_.load(l), now};
  }
}

FluidNetwork::Met FluidNetwork::met_by(const Event& e) const {
  if (e.kind >= kLinkFree)  // a kLinkFree comes when everything else of its instant has happened
    return {.kind = e.kind == kLinkFree ? uint8_t{UINT8_MAX} : e.kind,
            .place = e.id,
            .execution = e.of,
            .from = 0,
            .round = 0,
            .index = e.hop,
            .event = e};
  const Flow& x = flows_[e.id];
  return {.kind = e.kind,
          .place = x.to,
          .execution = order_[x.execution],
          .from = x.from,
          .round = x.round,
          .index = x.index,
          .event = e};
}

void FluidNetwork::order(std::span<Event> batch, bool) {
  if (batch.size() == 1) return;
  met_.clear();
  for (const Event& e : batch) met_.push_back(met_by(e));
  const auto key = [](const Met& m) {
    return std::tie(m.kind, m.place, m.execution, m.from, m.round, m.index);
  };
  std::sort(met_.begin(), met_.end(), [&](const Met& a, const Met& b) { return key(a) < key(b); });
  for (size_t i = 0; i < batch.size(); ++i) batch[i] = met_[i].event;
}

}  // namespace brigade
