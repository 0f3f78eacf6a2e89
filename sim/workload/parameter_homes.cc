#include "sim/workload/parameter_homes.h"

namespace brigade {
namespace {

constexpr int64_t kSmallestOnNvme = 1 << 20;  // bytes

// By tensor: its sub-group ends within the part of the share that the host's memory holds.
std::vector<bool> kept_in_cpu(const ShardInput& in, const std::vector<int64_t>& share) {
  const OffloadSpec& offload = *in.spec.offload;
  std::vector<bool> kept(share.size());
  int64_t passed = 0;
  for (size_t first = 0; first < share.size();) {
    size_t last = first;
    int64_t size = 0;
    while (last < share.size() && (size < offload.sub_group_size || last == first)) size += share[last++];
    passed += size;
    for (; first < last; ++first) kept[first] = passed <= offload.max_in_cpu;
  }
  return kept;
}

}  // namespace

ParameterHomes parameter_homes(const ShardInput& in) {
  std::vector<int64_t> share;
  for (const ParameterTensor& tensor : in.model.parameters)
    share.push_back(padded(tensor.elements, in.ranks) / in.ranks);
  ParameterHomes homes;
  homes.on_nvme.resize(share.size());
  const bool nvme = in.spec.fetches_from_host() && in.spec.offload->parameters == Home::kNvme;
  const std::vector<bool> kept = nvme ? kept_in_cpu(in, share) : std::vector<bool>(share.size(), true);
  for (TensorIndex t = 0; t < share.size(); ++t) {
    const bool persists = in.model.parameters[t].elements <= in.spec.persistence_threshold;
    homes.on_nvme[t] = !kept[t] && !persists && share[t] * in.parameter_bytes >= kSmallestOnNvme;
    (homes.on_nvme[t] ? homes.nvme_elements : homes.host_elements) += share[t];
    if (!homes.on_nvme[t] || share[t] <= homes.largest_elements) continue;
    homes.largest = t;
    homes.largest_elements = share[t];
  }
  return homes;
}

}  // namespace brigade
