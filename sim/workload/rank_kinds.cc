#include "sim/workload/rank_kinds.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace brigade {

Duration slowed(Duration d, double share) {
  return share == 1 ? d : Duration{std::llround(static_cast<double>(d.ps) / share)};
}

double RankKinds::peak_flop_per_s(const JobContext& context) const {
  double sum = 0;
  for (const Kind& kind : kinds)
    if (kind.peak_flop_per_s == 0) return 0;
  for (const uint32_t kind : kind_of_rank) sum += kinds[kind].peak_flop_per_s;
  return context.fold.all(sum);
}

RankKinds rank_kinds(const Model& model, const DdpJobSpec& job, const JobContext& context,
                     Diagnostics& errors) {
  static const DeviceModel kUnknownDevice{
      .name = "unnamed", .peak_flop_per_s = {}, .memory = {}, .memory_bandwidth = {}, .at = {}};
  RankKinds found;
  std::vector<std::pair<uint32_t, double>> seen;
  const RatesNeeded needed = rates_needed(model, job);
  for (size_t r = 0; r < context.devices.size(); ++r) {
    const uint32_t number = context.topology.vertices()[context.devices[r]].model;
    const std::pair<uint32_t, double> key{number, context.compute_share[r]};
    const auto it = std::find(seen.begin(), seen.end(), key);
    found.kind_of_rank.push_back(static_cast<uint32_t>(it - seen.begin()));
    if (it != seen.end()) continue;
    seen.push_back(key);
    const DeviceModel& device = number == kNone ? kUnknownDevice : context.topology.models()[number];
    const auto peak = device.peak_flop_per_s.find(name_of(job.precision.compute));
    RankKinds::Kind kind{.share = key.second,
                         .rates = {},
                         .peak_flop_per_s = peak == device.peak_flop_per_s.end() ? 0 : peak->second,
                         .memory = device.memory};
    if (const auto rates = rates_of(device, job.precision, job.compute, needed, job.model.at, errors)) {
      kind.rates = *rates;
      check_compute(model, job, *rates, errors);
    }
    found.kinds.push_back(kind);
  }
  return found;
}

}  // namespace brigade
