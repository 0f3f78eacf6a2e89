#include "sim/network/fair_shares.h"

#include <algorithm>

#include "sim/base/check.h"

namespace brigade {
namespace {

Rate whole(Bandwidth b) { return Rate{static_cast<uint64_t>(b.bytes_per_s().count)} << kRateBits; }

}  // namespace

FairShares::FairShares(std::span<const Bandwidth> links, int hops_max)
    : stride_(static_cast<size_t>(hops_max) + 1), real_links_(links.size()), links_(links.size()) {
  for (size_t l = 0; l < links.size(); ++l) links_[l].capacity = whole(links[l]);
}

LinkId FairShares::cap_link(Bandwidth cap) {
  if (free_caps_.empty()) {
    free_caps_.push_back(static_cast<LinkId>(links_.size()));
    links_.emplace_back();
  }
  const LinkId link = free_caps_.back();
  free_caps_.pop_back();
  links_[link].capacity = whole(cap);
  return link;
}

void FairShares::add(FlowId flow, std::span<const LinkId> route, uint32_t weight,
                     std::optional<Bandwidth> cap) {
  BRIGADE_CHECK(!route.empty() && route.size() < stride_ && weight > 0 && weight <= kWeightMax,
                "a flow over ", route.size(), " links of weight ", weight);
  if (flows_.size() <= flow) {
    flows_.resize(size_t{flow} + 1);
    routes_.resize(flows_.size() * stride_);
  }
  Flow& x = flows_[flow];
  BRIGADE_CHECK(x.hops == 0, "flow ", flow, " is there already");
  x = {};
  x.weight = weight;
  const auto join = [&](LinkId link) {
    std::vector<Member>& members = links_[link].flows;
    hops(flow)[x.hops] = {link, static_cast<uint32_t>(members.size())};
    members.push_back({flow, x.hops++});
  };
  for (const LinkId link : route) join(link);
  if (cap) join(cap_link(*cap));
  fresh_.push_back(flow);
}

void FairShares::remove(FlowId flow) {
  Flow& x = flows_[flow];
  BRIGADE_CHECK(x.hops != 0, "there is no flow ", flow);
  const Rate had = rate(flow);
  if (x.bottleneck == kNone) std::erase(fresh_, flow);
  if (x.bottleneck != kNone) --links_[x.bottleneck].held;
  for (uint32_t h = 0; h < x.hops; ++h) {
    const Hop& hop = hops(flow)[h];
    LinkShare& link = links_[hop.link];
    const Member last = link.flows.back();
    link.flows[hop.position] = last;
    hops(last.flow)[last.hop].position = hop.position;
    link.flows.pop_back();
    link.load -= had;
    dirty_.push_back(hop.link);
    if (hop.link >= real_links_) free_caps_.push_back(hop.link);
  }
  x.hops = 0;
  x.bottleneck = kNone;
  x.level = 0;
}

void FairShares::take(FlowId flow) {
  if (is_open(flow)) return;
  flows_[flow].stamp = stamp_;
  region_.push_back(flow);
}

void FairShares::take_held(LinkId link) {
  if (links_[link].held != 0) for_each_held(link, [this](FlowId f) { take(f); });
}

Rate FairShares::level_of(const LinkShare& link) {
  return link.open == 1 ? link.rest : link.rest / link.open;
}

std::span<const FairShares::Change> FairShares::settle() {
  ++stamp_;
  region_.clear();
  for (const FlowId f : fresh_) take(f);
  for (const FlowId f : fresh_)
    for (uint32_t h = 0; h < flows_[f].hops; ++h) take_held(hops(f)[h].link);
  for (const LinkId l : dirty_) take_held(l);
  while (!fill() || spread()) {
  }
  commit();
  fresh_.clear();
  dirty_.clear();
  ++settled;
  recomputed += static_cast<int64_t>(region_.size());
  return changes_;
}

// What the flows of the region may share on each of their links: all that the others leave.
void FairShares::open_links() {
  ++filling_;
  loaded_.clear();
  rising_ = region_.size();
  for (const FlowId f : region_) {
    Flow& x = flows_[f];
    x.open = true;
    const Rate has = x.level * x.weight;
    const Hop* route = hops(f);
    for (uint32_t h = 0; h < x.hops; ++h) {
      LinkShare& link = links_[route[h].link];
      if (link.stamp != filling_) {
        link.stamp = filling_;
        link.rest = link.capacity - link.load;
        link.open = link.held_open = 0;
        loaded_.push_back(route[h].link);
      }
      link.rest += has;
      link.open += x.weight;
      link.held_open += route[h].link == x.bottleneck;
    }
  }
}

bool FairShares::fill() {
  open_links();
  heaped_ = false;
  while (rising_ > 0)
    if (!freeze(*lowest())) return false;
  return true;
}

// The link that fills up first. The first time it is looked for one by one: often no second is needed. A
// link's level only rises while others are frozen, so the heap's are brought up to date as they come up.
std::optional<FairShares::Candidate> FairShares::lowest() {
  if (!heaped_ && rising_ == region_.size()) {
    std::optional<Candidate> least;
    for (const LinkId l : loaded_) {
      // Without dividing: is rest / open below the least?
      const LinkShare& link = links_[l];
      if (least && link.rest >> 32 > (least->level >> 32) * link.open + link.open) continue;
      const Candidate c{level_of(link), l};
      if (!least || *least < c) least = c;
    }
    return least;
  }
  if (!heaped_) {
    heaped_ = true;
    heap_.clear();
    for (const LinkId l : loaded_)
      if (links_[l].open > 0) heap_.push_back({level_of(links_[l]), l});
    std::make_heap(heap_.begin(), heap_.end());
  }
  for (;;) {
    BRIGADE_CHECK(!heap_.empty(), rising_, " flows have no link that fills up");
    std::pop_heap(heap_.begin(), heap_.end());
    Candidate& top = heap_.back();
    if (links_[top.link].open > 0) {
      const Rate level = level_of(links_[top.link]);
      if (level == top.level) break;
      top.level = level;
      std::push_heap(heap_.begin(), heap_.end());
    } else {
      heap_.pop_back();
    }
  }
  const Candidate full = heap_.back();
  heap_.pop_back();
  return full;
}

// The open flows on this link stay at its level. A held flow on it that has more must give way, and one whose
// bottleneck it is must have the same.
bool FairShares::freeze(const Candidate& full) {
  const LinkShare& bottleneck = links_[full.link];
  const Rate more = full.level + (full.level >> kSlackBits);
  bool alone = true;
  for (const Member& m : bottleneck.flows) {
    Flow& x = flows_[m.flow];
    if (!is_open(m.flow)) {
      if (x.bottleneck == full.link ? x.level == full.level : x.level <= more) continue;
      take_held(x.bottleneck);
      alone = false;
    } else if (x.open) {
      x.open = false;
      --rising_;
      x.next_level = full.level;
      x.next_bottleneck = full.link;
      const Rate has = full.level * x.weight;
      const Hop* route = hops(m.flow);
      for (uint32_t h = 0; h < x.hops; ++h) {
        LinkShare& link = links_[route[h].link];
        link.rest -= has;
        link.open -= x.weight;
      }
    }
  }
  return alone;
}

bool FairShares::spread() {
  const size_t before = region_.size();
  for (size_t i = 0; i < before; ++i) {
    const FlowId f = region_[i];
    if (flows_[f].next_level == flows_[f].level) continue;
    for (uint32_t h = 0; h < flows_[f].hops; ++h) {
      const LinkId l = hops(f)[h].link;
      if (links_[l].held != links_[l].held_open) take_held(l);
    }
  }
  return region_.size() != before;
}

void FairShares::commit() {
  changes_.clear();
  for (const FlowId f : region_) {
    Flow& x = flows_[f];
    changes_.push_back({f, x.level, x.bottleneck});
    if (x.bottleneck != kNone) --links_[x.bottleneck].held;
    ++links_[x.next_bottleneck].held;
    x.level = x.next_level;
    x.bottleneck = x.next_bottleneck;
  }
  for (const LinkId l : loaded_) links_[l].load = links_[l].capacity - links_[l].rest;
  loaded_.insert(loaded_.end(), dirty_.begin(), dirty_.end());
}

}  // namespace brigade
