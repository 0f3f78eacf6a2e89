#include "tests/oracle/lockstep.h"

#include <algorithm>
#include <vector>

namespace brigade::oracle {
namespace {

// Bytes over bandwidth, rounded up to the picosecond.
int64_t bytes_time_ps(int64_t bytes, int64_t bytes_per_s) {
  const __int128 ps_bytes = static_cast<__int128>(bytes) * 1'000'000'000'000;
  return static_cast<int64_t>((ps_bytes + bytes_per_s - 1) / bytes_per_s);
}

}  // namespace

int64_t lockstep_time_ps(const Plan& plan, Rank group, Level inside, Level across) {
  const Level levels[] = {inside, across};
  int64_t total = 0;
  for (Round k = 0; k < plan.rounds(); ++k) {
    std::vector<int64_t> busy(4 * plan.ranks, -1);  // by rank, direction, level; -1: no message
    for (Rank r = 0; r < plan.ranks; ++r) {
      for (uint32_t i = 0; i < plan.step(r, k).sends; ++i) {
        const Send send = plan.send(r, k, i);
        if (send.to == r) continue;
        const int level = r / group != send.to / group;
        const int64_t time = bytes_time_ps(send.range.count * plan.element_bytes, levels[level].bytes_per_s);
        for (int64_t* link : {&busy[4 * r + level], &busy[4 * send.to + 2 + level]}) {
          *link = std::max<int64_t>(*link, 0) + time;
        }
      }
    }
    int64_t lasts = 0;
    for (size_t i = 0; i < busy.size(); ++i) {
      if (busy[i] >= 0) lasts = std::max(lasts, levels[i % 2].alpha_ps + busy[i]);
    }
    total += lasts;
  }
  return total;
}

}  // namespace brigade::oracle
