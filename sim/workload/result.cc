#include "sim/workload/result.h"

#include <algorithm>

namespace brigade {

Statistic statistic_of(std::vector<Duration> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  // Nearest rank: the smallest value that at least `percent` of the values do not exceed.
  const auto percentile = [&](size_t percent) { return in_us(values[(n * percent + 99) / 100 - 1]); };
  // Runs of 10^6 steps of a day each would overflow 64 bits.
  __int128 sum_ps = 0;
  for (const Duration d : values) sum_ps += d.ps;
  return {.mean_us = static_cast<double>(sum_ps) / static_cast<double>(n) * 1e-6,
          .p50_us = percentile(50),
          .p99_us = percentile(99),
          .samples = static_cast<int>(n)};
}

std::optional<double> mean_time_us(const JobResult& job) {
  return std::visit(
      [](const auto& result) -> std::optional<double> {
        using Result = std::decay_t<decltype(result)>;
        if constexpr (std::is_same_v<Result, CollectiveResult>) {
          double sum_us = 0;
          for (const CollectiveRow& row : result.rows) sum_us += row.time.mean_us;
          return sum_us;
        } else if constexpr (std::is_same_v<Result, BackgroundResult>) {
          return std::nullopt;
        } else if constexpr (std::is_same_v<Result, ShardedResult>) {
          return result.step.step_time.mean_us;
        } else {
          return result.step_time.mean_us;
        }
      },
      job.result);
}

}  // namespace brigade
