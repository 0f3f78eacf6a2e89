// The switches between nodes, in closed form: which switch a NIC is cabled to, the cables between switches,
// and the way from switch to switch. One class a kind of wiring; switches are numbered from 0, in the order
// of tiers(), and links from the first cable that add_cables() adds.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/topology/graph.h"
#include "sim/topology/shortest_paths.h"
#include "sim/topology/spec.h"

namespace brigade {

class Fabric {
 public:
  // Switches of one kind: what names call them, and how many there are.
  struct Tier {
    const char* word;
    uint32_t count;
  };
  // What NICs offer: to each switch in all, and by the fastest single port. In bytes per second.
  struct Load {
    std::vector<Bytes> down;
    Bytes port_max;
  };

  virtual ~Fabric() = default;

  const std::vector<Tier>& tiers() const { return tiers_; }
  uint32_t switches() const;
  // The nodes' only devices stand at the places of switches, and are cabled to each other: no NICs, no
  // switch.
  bool direct() const { return direct_; }
  // The switch of NIC `nic` of a node whose first port is `port0`.
  uint32_t port0_of(uint32_t node) const { return port0_[node]; }
  uint32_t switch_of(uint32_t port0, uint32_t nic) const {
    return (port0 + nic * ports_step_) / ports_per_switch_;
  }
  // Whether all NICs of a node are on one switch, wherever the node stands.
  bool one_switch_a_node() const { return ports_step_ == 0; }

  virtual int64_t cables() const = 0;
  // `switch0` is the vertex of switch 0 (of node 0's device, where direct).
  virtual void add_cables(VertexId switch0, const Load& load, Graph& graph) const = 0;
  // Of the cheapest way, kUnreachable if there is none.
  virtual RouteCost cost(uint32_t from, uint32_t to) const = 0;
  // A lower bound on the cost between any switch of one node and any of the other.
  virtual RouteCost cost_at_least(uint32_t port0_a, uint32_t port0_b) const;
  // Links of the cheapest way (0 if from == to; -1 if there is none); `flow` decides among equal ones.
  virtual int route(uint32_t from, uint32_t to, uint64_t flow, LinkId link0, LinkId* out) const = 0;
  virtual int hops_max() const = 0;

 protected:
  std::vector<Tier> tiers_;
  bool direct_ = false;
  std::vector<uint32_t> port0_;  // by node
  uint32_t ports_step_ = 0, ports_per_switch_ = 1;
};

// `nics` of each node, in node order. Null for kNone. Needs a checked spec (check_fabric.h).
std::unique_ptr<const Fabric> make_fabric(const FabricSpec& spec, const std::vector<uint32_t>& nics);

}  // namespace brigade
