#include "sim/workload/busbw_limit.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"

namespace brigade {
namespace {

// In and out of every device, in GB/s.
struct Ends {
  std::vector<double> out, in;
};
Ends ends_of(std::span<const VertexId> devices, const Topology& topology) {
  std::vector<double> out(topology.vertices().size()), in(out.size());
  for (const Link& l : topology.links()) {
    if (!l.up) continue;
    const double gb_per_s = static_cast<double>(l.bandwidth.bytes_per_s().count) * 1e-9;
    out[l.from] += gb_per_s;
    in[l.to] += gb_per_s;
  }
  Ends ends;
  for (const VertexId v : devices) {
    ends.out.push_back(out[v]);
    ends.in.push_back(in[v]);
  }
  return ends;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}
double least(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

}  // namespace

double busbw_limit_gb_per_s(Collective collective, Rank root, std::span<const VertexId> devices,
                            const Topology& topology) {
  const Ends ends = ends_of(devices, topology);
  switch (collective) {
    case Collective::kAllReduce:
    case Collective::kReduceScatter:
      return std::min(mean(ends.out), mean(ends.in));
    case Collective::kAllGather:
      return std::min(least(ends.in), mean(ends.out));
    case Collective::kAllToAll:
      return std::min(least(ends.in), least(ends.out));
    case Collective::kBroadcast:
      return ends.out[root];
    case Collective::kReduce:
      return ends.in[root];
    case Collective::kSendRecv:
    case Collective::kBarrier:
      break;
  }
  return *std::max_element(ends.out.begin(), ends.out.end());
}

std::string busbw_above_wire(const CollectiveRow& row, std::span<const VertexId> devices,
                             const Topology& topology) {
  std::vector<LinkId> route(static_cast<size_t>(std::max(1, topology.router().hops_max())));
  std::optional<Bandwidth> slowest;
  for (size_t r = 0; r < devices.size(); ++r) {
    const int hops = topology.router().route(devices[r], devices[(r + 1) % devices.size()], 0, route.data());
    for (int i = 0; i < hops; ++i) {
      const Bandwidth b = topology.links()[route[static_cast<size_t>(i)]].bandwidth;
      slowest = slowest ? std::min(*slowest, b) : b;
    }
  }
  if (!slowest) return "";
  const double wire = static_cast<double>(slowest->bytes_per_s().count) * 1e-9;
  if (row.busbw_gb_per_s <= wire * (1 + 1e-9)) return "";
  return absl::StrCat(row.algorithm, ": busbw above a link's ", to_string(*slowest),
                      ", as only part of the data crosses it");
}

}  // namespace brigade
