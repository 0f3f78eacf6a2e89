#include "tests/oracle/max_min.h"

#include <algorithm>
#include <limits>

namespace brigade::oracle {
namespace {
constexpr long double kInfinity = std::numeric_limits<long double>::infinity();
}

// Progressive filling: the rates of all flows that are not held rise together, weight by weight, until the
// next link is full or the next cap is reached.
std::vector<long double> max_min(const std::vector<double>& links, const std::vector<PlainFlow>& flows,
                                 const std::vector<bool>& present) {
  std::vector<long double> rate(flows.size()), room(links.begin(), links.end());
  std::vector<bool> rising = present;
  while (std::find(rising.begin(), rising.end(), true) != rising.end()) {
    std::vector<long double> weight(links.size());
    for (size_t f = 0; f < flows.size(); ++f)
      if (rising[f])
        for (const LinkId l : flows[f].route) weight[l] += flows[f].weight;
    long double step = kInfinity;
    for (size_t l = 0; l < links.size(); ++l)
      if (weight[l] > 0) step = std::min(step, room[l] / weight[l]);
    for (size_t f = 0; f < flows.size(); ++f)
      if (rising[f] && flows[f].cap_bytes_per_s > 0)
        step = std::min(step, (flows[f].cap_bytes_per_s - rate[f]) / flows[f].weight);
    for (size_t f = 0; f < flows.size(); ++f)
      if (rising[f]) rate[f] += step * flows[f].weight;
    for (size_t l = 0; l < links.size(); ++l) room[l] -= step * weight[l];
    for (size_t f = 0; f < flows.size(); ++f) {
      if (!rising[f]) continue;
      const PlainFlow& x = flows[f];
      if (x.cap_bytes_per_s > 0 && rate[f] >= x.cap_bytes_per_s * (1 - 1e-15L)) rising[f] = false;
      for (const LinkId l : x.route)
        if (room[l] <= links[l] * 1e-15L) rising[f] = false;
    }
  }
  return rate;
}

std::vector<long double> flow_ends(const std::vector<double>& links, const std::vector<PlainFlow>& flows) {
  std::vector<long double> end(flows.size(), -1), left;
  for (const PlainFlow& x : flows) left.push_back(x.bytes);
  long double now = 0;
  for (;;) {
    std::vector<bool> present(flows.size());
    long double next = kInfinity;
    for (size_t f = 0; f < flows.size(); ++f) {
      present[f] = end[f] < 0 && flows[f].start_s <= now;
      if (flows[f].start_s > now) next = std::min<long double>(next, flows[f].start_s);
    }
    const auto rate = max_min(links, flows, present);
    size_t first = flows.size();
    for (size_t f = 0; f < flows.size(); ++f) {
      if (!present[f] || now + left[f] / rate[f] >= next) continue;
      next = now + left[f] / rate[f];
      first = f;
    }
    if (next == kInfinity) return end;
    for (size_t f = 0; f < flows.size(); ++f)
      if (present[f]) left[f] -= rate[f] * (next - now);
    now = next;
    if (first < flows.size()) end[first] = now;
    for (size_t f = 0; f < flows.size(); ++f)  // others that end with it
      if (present[f] && end[f] < 0 && left[f] <= rate[f] * 1e-16L * now) end[f] = now;
  }
}

}  // namespace brigade::oracle
