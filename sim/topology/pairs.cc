// Covered by tests/topology/pairs-say-where-they-meet.cc.
#include "sim/topology/pairs.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "sim/base/random.h"
#include "sim/topology/devices.h"

namespace brigade {
namespace {

constexpr uint64_t kPairsMax = 1 << 20;
// A table router searches once a destination.
constexpr uint64_t kDestinationsMax = 64;

struct Way {
  int rank = 0;  // for the order of the output
  std::string text;
  auto operator<=>(const Way&) const = default;
};

class Namer {
 public:
  explicit Namer(const Topology& t) : t_(t), nics_(t.nodes()) {
    for (const Vertex& v : t.vertices()) nics_of(v.node) += v.kind == VertexKind::kNic;
  }

  Way way_of(VertexId from, VertexId to, const LinkId* route, int hops) {
    if (hops < 0) return {9, "no route"};
    std::map<VertexKind, int> count;
    const Vertex *first_nic = nullptr, *last_nic = nullptr;
    for (int i = 0; i + 1 < hops; ++i) {
      const Vertex& v = t_.vertices()[t_.links()[route[i]].to];
      ++count[v.kind];
      if (v.kind != VertexKind::kNic) continue;
      if (first_nic == nullptr) first_nic = &v;
      last_nic = &v;
    }
    const Vertex &a = t_.vertices()[from], &b = t_.vertices()[to];
    if (a.node == b.node && a.node != kNone && first_nic == nullptr) return inside(count);
    if (first_nic == nullptr && count[VertexKind::kSwitch] == 0) return between(count);
    std::string text = a.node == b.node && a.node != kNone ? "out of the node and back" : "network";
    const bool rails =
        first_nic != nullptr && first_nic != last_nic && nics_of(a.node) > 1 && nics_of(b.node) > 1;
    if (rails) absl::StrAppend(&text, first_nic->index == last_nic->index ? ", same rail" : ", across rails");
    const int switches = count[VertexKind::kSwitch];
    absl::StrAppend(&text, ", ", switches, switches == 1 ? " switch" : " switches");
    return {5 + (rails && first_nic->index != last_nic->index ? 1 : 0), text};
  }

 private:
  static Way inside(std::map<VertexKind, int>& count) {
    if (count[VertexKind::kPcie] > 0 || count[VertexKind::kHost] > 0)
      return count[VertexKind::kHost] > 1 ? Way{3, "PCIe, across sockets"} : Way{2, "PCIe"};
    if (count[VertexKind::kNvswitch] > 0) return {1, "NVLink through a switch"};
    return count[VertexKind::kGpu] > 0 ? Way{1, "through other GPUs"} : Way{0, "a direct link"};
  }
  static Way between(std::map<VertexKind, int>& count) {
    if (count[VertexKind::kNvswitch] > 0) return {4, "NVLink to another node"};
    return count[VertexKind::kGpu] > 0 ? Way{4, "through other GPUs, to another node"}
                                       : Way{4, "a direct link to another node"};
  }

  int& nics_of(uint32_t node) { return node == kNone ? none_ : nics_[node]; }

  const Topology& t_;
  std::vector<int> nics_;  // by node
  int none_ = 0;
};

void add(PairClass& c, const Topology& t, VertexId from, VertexId to, const LinkId* route, int hops) {
  Duration latency{};
  int64_t slowest = hops > 0 ? INT64_MAX : 0;
  for (int i = 0; i < hops; ++i) {
    const Link& l = t.links()[route[i]];
    latency += l.latency;
    slowest = std::min(slowest, l.bandwidth.bytes_per_s().count);
  }
  if (c.pairs++ == 0) {
    c.from = from;
    c.to = to;
    c.hops_min = c.hops_max = hops;
    c.latency_min = c.latency_max = latency;
    c.slowest_min = c.slowest_max = slowest;
  }
  c.hops_min = std::min(c.hops_min, hops);
  c.hops_max = std::max(c.hops_max, hops);
  c.latency_min = std::min(c.latency_min, latency);
  c.latency_max = std::max(c.latency_max, latency);
  c.slowest_min = std::min(c.slowest_min, slowest);
  c.slowest_max = std::max(c.slowest_max, slowest);
}

}  // namespace

Pairs pairs_of(const Topology& t) {
  const std::vector<VertexId> devices = devices_of(t);
  Pairs pairs;
  pairs.devices = pairs.destinations = devices.size();
  if (devices.size() * devices.size() > kPairsMax) {
    pairs.destinations = std::clamp<uint64_t>(kPairsMax / devices.size(), 1, kDestinationsMax);
  }
  Namer namer(t);
  std::map<Way, PairClass> classes;
  std::vector<LinkId> route(static_cast<size_t>(std::max(1, t.router().hops_max())));
  for (uint64_t d = 0; d < pairs.destinations; ++d) {
    const VertexId to = devices[d * devices.size() / pairs.destinations];
    for (const VertexId from : devices) {
      if (from == to) continue;
      const uint64_t flow = mix(uint64_t{from} << 32 | to);
      const int hops = t.router().route(from, to, flow, route.data());
      add(classes[namer.way_of(from, to, route.data(), hops)], t, from, to, route.data(), hops);
      pairs.diameter = std::max(pairs.diameter, hops);
      ++pairs.looked_at;
    }
  }
  for (auto& [way, c] : classes) {
    c.way = way.text;
    pairs.classes.push_back(std::move(c));
  }
  return pairs;
}

}  // namespace brigade
