// Covered by tests/topology/bisections-equal-closed-forms.cc.
#include "sim/topology/bisection.h"

#include <algorithm>
#include <vector>

#include "sim/topology/devices.h"
#include "sim/topology/max_flow.h"

namespace brigade {
namespace {

// A max-flow over a link takes about a microsecond; more links than these in all are not looked at.
constexpr uint64_t kLinksInAll = 2'000'000;

// By order first, then ever shorter periods.
std::vector<uint64_t> periods_of(uint64_t devices) {
  std::vector<uint64_t> periods{devices};
  for (uint64_t p = devices - 1; p >= 2; --p) {
    if (devices % p == 0 && p % 2 == 0) periods.push_back(p);
  }
  return periods;
}

// How many devices are in the first half by order: half of them, down to where a node begins.
uint64_t first_half(const Topology& t, const std::vector<VertexId>& devices) {
  const uint64_t half = devices.size() / 2;
  const auto node = [&](uint64_t i) { return t.vertices()[devices[i]].node; };
  uint64_t begin = half;
  while (begin > 0 && node(begin) != kNone && node(begin) == node(begin - 1)) --begin;
  return begin == 0 ? half : begin;
}

}  // namespace

Bisection bisection_of(const Topology& topology) {
  const std::vector<VertexId> devices = devices_of(topology);
  Bisection best;
  best.devices = devices.size();
  if (devices.size() < 2) return best;
  const uint64_t affordable =
      std::max<uint64_t>(1, kLinksInAll / std::max<size_t>(1, topology.links().size()));
  for (const uint64_t period : periods_of(devices.size())) {
    if (static_cast<uint64_t>(best.splits) == affordable) {
      best.all_splits = false;
      break;
    }
    std::vector<FlowEnd> ends(topology.vertices().size(), FlowEnd::kNone);
    const uint64_t half = period == devices.size() ? first_half(topology, devices) : period / 2;
    for (uint64_t i = 0; i < devices.size(); ++i)
      ends[devices[i]] = i % period < half ? FlowEnd::kSource : FlowEnd::kSink;
    const double flow = max_flow(topology.vertices(), topology.links(), ends);
    if (best.splits++ == 0 || flow < best.bytes_per_s) {
      best.bytes_per_s = flow;
      best.period = period;
      best.smaller = devices.size() / period * half;
    }
  }
  return best;
}

}  // namespace brigade
