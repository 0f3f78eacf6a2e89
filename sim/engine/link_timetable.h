// When links change: which of them are slow or dead at an instant, and the routes around those that all know
// to be dead.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "sim/engine/simulation.h"
#include "sim/topology/topology.h"

namespace brigade {

class LinkTimetable {
 public:
  LinkTimetable(const Topology& topology, std::vector<TimedLink> changes, Duration detection);

  std::span<const Time> instants() const { return instants_; }  // at which something changes, ascending
  Duration detection() const { return detection_; }
  bool kills() const { return kills_; }
  std::span<const LinkId> concerned() const { return concerned_; }  // links, ascending

  struct Turn {
    LinkId link;
    bool died, revived;
  };
  // What becomes of links at an instant, in the order of their ids; call it once for each, in order.
  std::vector<Turn> turns(size_t instant);
  double share(LinkId link) const { return share_[link]; }
  // What died at this instant is known from now on. True: routes have changed.
  bool learn(size_t instant);
  // A revived link is known at once.
  void learn_of_life(LinkId link) { known_[link].up = true; }

  // The topology's, with what all know to be dead; and the routes over them (null: the topology's own).
  std::span<const Link> links() const { return known_; }
  const Router* make_router();

 private:
  const Topology& topology_;
  std::vector<TimedLink> changes_;
  Duration detection_;
  std::vector<Time> instants_;
  std::vector<LinkId> concerned_;
  bool kills_ = false;
  std::vector<double> share_;  // by link
  std::vector<bool> down_;     // by link
  std::vector<size_t> death_;  // by link: the instant of the last one
  std::vector<Link> known_;
  std::unique_ptr<const Router> router_;
};

}  // namespace brigade
