#include "sim/engine/link_timetable.h"

#include <algorithm>
#include <utility>

namespace brigade {

LinkTimetable::LinkTimetable(const Topology& topology, std::vector<TimedLink> changes, Duration detection)
    : topology_(topology),
      changes_(std::move(changes)),
      detection_(detection),
      share_(topology.links().size(), 1),
      down_(topology.links().size()),
      death_(topology.links().size()),
      known_(topology.links().begin(), topology.links().end()) {
  for (const TimedLink& c : changes_) {
    kills_ |= c.down;
    concerned_.push_back(c.link);
    instants_.push_back(c.begins);
    if (c.ends < kNever) instants_.push_back(c.ends);
  }
  std::sort(instants_.begin(), instants_.end());
  instants_.erase(std::unique(instants_.begin(), instants_.end()), instants_.end());
  std::sort(concerned_.begin(), concerned_.end());
  concerned_.erase(std::unique(concerned_.begin(), concerned_.end()), concerned_.end());
}

std::vector<LinkTimetable::Turn> LinkTimetable::turns(size_t instant) {
  const Time now = instants_[instant];
  std::vector<LinkId> links;
  for (const TimedLink& c : changes_)
    if (c.begins == now || c.ends == now) links.push_back(c.link);
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  std::vector<Turn> list;
  for (const LinkId l : links) {
    double share = 1;
    bool down = false;
    for (const TimedLink& c : changes_) {
      if (c.link != l || now < c.begins || now >= c.ends) continue;
      share *= c.share;
      down |= c.down;
    }
    share_[l] = share;
    list.push_back({l, down && !down_[l], !down && down_[l]});
    down_[l] = down;
    if (list.back().died) death_[l] = instant;
  }
  return list;
}

bool LinkTimetable::learn(size_t instant) {
  bool changed = false;
  for (const LinkId l : concerned_) {
    if (!down_[l] || death_[l] != instant || !known_[l].up) continue;
    known_[l].up = false;
    changed = true;
  }
  return changed;
}

const Router* LinkTimetable::make_router() {
  router_.reset();
  for (LinkId l = 0; l < known_.size(); ++l)
    if (known_[l].up != topology_.links()[l].up) router_ = routes_around(topology_, known_);
  return router_ ? router_.get() : &topology_.router();
}

}  // namespace brigade
