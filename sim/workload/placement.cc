#include "sim/workload/placement.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/base/random.h"
#include "sim/workload/ranks.h"

namespace brigade {
namespace {

// The places in `free` that are taken, by node: the first of each, the second of each, ...
std::vector<size_t> in_turns(const std::vector<VertexId>& free, const Topology& topology) {
  std::map<uint64_t, uint32_t> seen;  // by node; a device outside nodes is one of its own
  std::vector<std::pair<uint32_t, size_t>> turns;
  for (size_t i = 0; i < free.size(); ++i) {
    const uint32_t node = topology.vertices()[free[i]].node;
    turns.push_back({seen[node == kNone ? uint64_t{kNone} + free[i] : node]++, i});
  }
  std::stable_sort(turns.begin(), turns.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<size_t> order;
  for (const auto& turn : turns) order.push_back(turn.second);
  return order;
}

std::vector<size_t> node_after_node(const std::vector<VertexId>& free, const Topology& topology) {
  std::vector<size_t> order(free.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return topology.vertices()[free[a]].node < topology.vertices()[free[b]].node;
  });
  return order;
}

std::vector<size_t> shuffled(const std::vector<VertexId>& free, uint64_t seed) {
  std::vector<size_t> order(free.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  Random random(seed);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

std::vector<VertexId> place(const JobSpec& job, const std::vector<VertexId>& free, const Topology& topology,
                            uint64_t seed, Diagnostics& errors) {
  const PlacementSpec& spec = *job.placement;
  const size_t count = static_cast<size_t>(spec.count);
  if (count > free.size()) {
    errors.error(spec.at, absl::StrCat("job \"", job.name, "\" wants ", count, " devices; of those in ranks ",
                                       free.size(), free.size() == 1 ? " is" : " are", " left"));
    return {};
  }
  std::vector<size_t> order = spec.rule == PlacementRule::kPacked   ? node_after_node(free, topology)
                              : spec.rule == PlacementRule::kSpread ? in_turns(free, topology)
                                                                    : shuffled(free, seed);
  order.resize(count);
  std::sort(order.begin(), order.end());
  std::vector<VertexId> devices;
  for (const size_t i : order) devices.push_back(free[i]);
  return devices;
}

}  // namespace

std::vector<std::vector<VertexId>> place_jobs(std::span<const JobSpec> jobs, const Topology& topology,
                                              uint64_t seed, Diagnostics& errors) {
  std::vector<std::vector<VertexId>> placed;
  std::vector<bool> taken(topology.vertices().size());
  for (const JobSpec& job : jobs) {
    const int before = errors.errors();
    std::vector<VertexId> devices = find_ranks(job, topology, errors);
    if (job.placement && errors.errors() == before) {
      devices.erase(
          std::remove_if(devices.begin(), devices.end(), [&](VertexId v) { return bool{taken[v]}; }),
          devices.end());
      devices = place(job, devices, topology, mix(mix(seed) + placed.size()), errors);
    }
    if (errors.errors() != before) devices.clear();
    for (const VertexId v : devices) taken[v] = true;
    placed.push_back(std::move(devices));
  }
  return placed;
}

std::vector<std::vector<Rank>> groups_of(Rank ranks, const GroupSpec& spec) {
  const uint64_t size = static_cast<uint64_t>(spec.size), stride = static_cast<uint64_t>(spec.stride);
  if (ranks == 0 || ranks % (size * stride) != 0) return {};
  std::vector<std::vector<Rank>> groups;
  for (uint64_t block = 0; block < ranks; block += size * stride)
    for (uint64_t first = block; first < block + stride; ++first) {
      groups.emplace_back();
      for (uint64_t i = 0; i < size; ++i) groups.back().push_back(static_cast<Rank>(first + i * stride));
    }
  return groups;
}

}  // namespace brigade
