#include "sim/workload/fusion.h"

#include <algorithm>

namespace brigade {

std::vector<Bucket> fuse(std::span<const TensorInfo> in_order, uint32_t first, uint32_t last,
                         Bytes threshold) {
  std::vector<TensorIndex> left;
  for (uint32_t i = first; i < last; ++i) left.push_back(i);
  std::vector<Bucket> buffers;
  while (!left.empty()) {
    Bucket open{.dtype = in_order[left.front()].dtype};
    std::vector<TensorIndex> later;
    Bytes skipped{};
    bool closed = false;
    for (const TensorIndex t : left) {
      const TensorInfo& info = in_order[t];
      const Bytes size = info.elements * Bytes{bytes_of(info.dtype)};
      const bool fits = info.dtype == open.dtype && open.bytes + size <= threshold;
      if (!closed && (fits || open.tensors.empty())) {
        open.tensors.push_back(t);
        open.elements += info.elements;
        open.bytes += size;
        continue;
      }
      later.push_back(t);
      skipped += size;
      closed |= open.bytes + skipped > threshold;
    }
    buffers.push_back(std::move(open));
    left = std::move(later);
  }
  return buffers;
}

FusionCycles::FusionCycles(Duration cycle, Duration negotiation, Time first)
    : period_(std::max(cycle, negotiation)), anchor_(first) {}

Time FusionCycles::next(Time at) const {
  if (period_.ps == 0) return std::max(at, anchor_);
  const Time earliest = std::max(at, last_ + Duration{1});
  if (earliest <= anchor_) return anchor_;
  const int64_t periods = ((earliest - anchor_).ps + period_.ps - 1) / period_.ps;
  return anchor_ + periods * period_;
}

void FusionCycles::go_on(Time at) {
  const Time missed = next(stopped_);
  if (missed >= at) return;
  before_anchor_ = begun(missed).value_or(0);
  anchor_ = at;
}

std::optional<int64_t> FusionCycles::begun(Time at) const {
  if (period_.ps == 0) return std::nullopt;
  if (at <= anchor_) return before_anchor_;
  return before_anchor_ + ((at - anchor_).ps + period_.ps - 1) / period_.ps;
}

}  // namespace brigade
