// Max-min fair rates of flows over links, brought up to date where flows come and go.
//
// Progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2): all rates rise together until a link is
// full; the flows on it keep what they have, the others rise on. So each flow has a bottleneck: a full link
// on which no flow has more than it. That determines the rates uniquely, and lets them be mended in place:
// when a flow comes or goes, those whose bottleneck lies on its route are filled again, all others being
// held; a held flow joins them when a link that is its bottleneck carries another load than before, or when
// it has more than the level at which one of its links now fills up. When none is left to join, every flow
// has its bottleneck again, and nobody else was looked at.
//
// A flow has a weight (its rate is weight x the level of its bottleneck) and perhaps a cap (a link of its own
// of that bandwidth). Rates are fixed point, 2^-64 B/s, rounded down: a link never carries more than its
// bandwidth, and a lone flow has exactly the bandwidth. Among links that fill up at one level the lowest id
// goes first. Integers only, and no order in which flows come matters beyond the last bits of a rate.
//
// Left out: links that lose bandwidth while flows are on them.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/base/bandwidth.h"
#include "sim/base/ids.h"

namespace brigade {

using FlowId = uint32_t;               // dense, given by the caller
using Rate = unsigned __int128;        // of 2^-64 B/s
constexpr int kRateBits = 64;          // after the point
constexpr uint32_t kWeightMax = 1000;  // of a flow

class FairShares {
 public:
  // Links by id; routes have at most `hops_max` of them.
  FairShares(std::span<const Bandwidth> links, int hops_max);

  // A flow that is not there yet takes its share from the next settle() on. Needs a route that is not empty,
  // each link at most once on it, and a weight from 1 to kWeightMax.
  void add(FlowId flow, std::span<const LinkId> route, uint32_t weight = 1,
           std::optional<Bandwidth> cap = {});
  void remove(FlowId flow);

  struct Change {
    FlowId flow;
    Rate level;         // that it had; 0: it is new
    LinkId bottleneck;  // that it had; kNone: it is new
  };
  // Brings the rates up to date. Returns the flows that were recomputed; lives until the next call.
  std::span<const Change> settle();

  Rate level(FlowId flow) const { return flows_[flow].level; }  // per weight
  Rate rate(FlowId flow) const { return flows_[flow].level * flows_[flow].weight; }
  // A link's id; one past the links given is the cap of a flow.
  LinkId bottleneck(FlowId flow) const { return flows_[flow].bottleneck; }
  Rate load(LinkId link) const { return links_[link].load; }
  // Links whose load may have changed in the last settle(), caps among them.
  std::span<const LinkId> loaded() const { return loaded_; }
  // Ids of links and caps are below this.
  size_t bottlenecks() const { return links_.size(); }
  // Calls visit(flow) for each flow whose bottleneck the link is.
  template <class Visit>
  void for_each_held(LinkId link, Visit visit) const {
    for (const Member& m : links_[link].flows)
      if (flows_[m.flow].bottleneck == link) visit(m.flow);
  }

  // Counters of all settle()s.
  int64_t settled = 0, recomputed = 0;

 private:
  // Levels that differ by less than this part of themselves are one level: the last bits of a rate depend on
  // what was there before.
  static constexpr int kSlackBits = 52;

  struct Member {
    FlowId flow;
    uint32_t hop;
  };
  struct alignas(64) LinkShare {
    Rate capacity = 0, load = 0;
    std::vector<Member> flows;
    uint32_t held = 0;  // flows whose bottleneck it is
    // of the filling under way
    uint32_t stamp = 0;
    uint32_t held_open = 0;  // of those held, how many are filled again
    uint32_t open = 0;       // weight of the flows that still rise
    Rate rest = 0;           // what they may share
  };
  struct Hop {
    LinkId link;
    uint32_t position;  // among its flows
  };
  struct Flow {
    Rate level = 0, next_level = 0;
    LinkId bottleneck = kNone, next_bottleneck = kNone;
    uint32_t weight = 1;
    uint32_t stamp = 0;  // of the settle() that recomputes it
    uint32_t hops = 0;   // 0: there is no such flow
    bool open = false;
  };
  struct Candidate {
    Rate level;
    LinkId link;
    bool operator<(const Candidate& o) const {  // the heap's top is the lowest
      return level != o.level ? level > o.level : link > o.link;
    }
  };

  Hop* hops(FlowId flow) { return routes_.data() + size_t{flow} * stride_; }
  LinkId cap_link(Bandwidth cap);
  bool is_open(FlowId flow) const { return flows_[flow].stamp == stamp_; }
  void take(FlowId flow);
  void take_held(LinkId link);
  static Rate level_of(const LinkShare& link);
  void open_links();
  // Fills the region; false if a held flow has to join it first.
  bool fill();
  std::optional<Candidate> lowest();
  bool freeze(const Candidate& full);
  // Takes the held flows whose bottleneck carries another load now; false if there are none.
  bool spread();
  void commit();

  size_t stride_;
  size_t real_links_;
  std::vector<LinkShare> links_;  // then caps
  std::vector<LinkId> free_caps_;
  std::vector<Flow> flows_;
  std::vector<Hop> routes_;
  std::vector<FlowId> fresh_;
  std::vector<LinkId> dirty_;   // whose flows have gone
  std::vector<FlowId> region_;  // to be recomputed
  std::vector<LinkId> loaded_;  // on their routes
  std::vector<Candidate> heap_;
  bool heaped_ = false;
  size_t rising_ = 0;  // open flows
  std::vector<Change> changes_;
  uint32_t stamp_ = 0, filling_ = 0;
};

}  // namespace brigade
