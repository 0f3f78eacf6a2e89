#include "sim/workload/busbw_limit.h"

#include <algorithm>
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
  const Link* slowest = nullptr;
  LinkId which = kNone;
  for (size_t r = 0; r < devices.size(); ++r) {
    const VertexId to = devices[(r + 1) % devices.size()];
    const int hops = topology.router().route(devices[r], to, 0, route.data());
    for (int i = 0; i < hops; ++i) {
      const Link& l = topology.links()[route[static_cast<size_t>(i)]];
      if (slowest != nullptr && slowest->bandwidth <= l.bandwidth) continue;
      slowest = &l;
      which = route[static_cast<size_t>(i)];
    }
  }
  if (slowest == nullptr) return "";
  const double wire = static_cast<double>(slowest->bandwidth.bytes_per_s().count) * 1e-9;
  if (row.busbw_gb_per_s <= wire * (1 + 1e-9)) return "";
  return absl::StrCat("busbw of ", row.algorithm, " is above the ", to_string(slowest->bandwidth), " of ",
                      topology.link_name(which), ": busbw counts as if all crossed each wire, and ",
                      row.algorithm, " sends only part of it there");
}

}  // namespace brigade
