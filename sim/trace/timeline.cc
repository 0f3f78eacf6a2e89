#include "sim/trace/timeline.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"

namespace brigade {

Timeline::Timeline(const Recorder& recorder) : recorder_(recorder) {
  BRIGADE_CHECK(recorder.slices().size() < kNone, recorder.slices().size(), " slices in a trace");
  sort_slices();
  parent_.resize(order_.size());
  for (TrackId track = 0; track < recorder_.tracks().size(); ++track) find_parents(track);
  bind_flows();
}

void Timeline::sort_slices() {
  const auto& slices = recorder_.slices();
  first_.assign(recorder_.tracks().size() + 1, 0);
  for (const auto& slice : slices) ++first_[slice.track + 1];
  for (size_t track = 1; track < first_.size(); ++track) first_[track] += first_[track - 1];

  order_.resize(slices.size());
  std::vector<uint64_t> next(first_.begin(), first_.end() - 1);
  for (uint32_t i = 0; i < slices.size(); ++i) order_[next[slices[i].track]++] = i;
  for (size_t track = 0; track + 1 < first_.size(); ++track) {
    const auto parents_first = [&](uint32_t a, uint32_t b) {
      if (slices[a].begin != slices[b].begin) return slices[a].begin < slices[b].begin;
      if (slices[a].end != slices[b].end) return slices[a].end > slices[b].end;
      return a < b;
    };
    std::sort(order_.begin() + static_cast<int64_t>(first_[track]),
              order_.begin() + static_cast<int64_t>(first_[track + 1]), parents_first);
  }
}

void Timeline::find_parents(TrackId track) {
  uint32_t top = kNone;
  for (auto position = static_cast<uint32_t>(first_[track]); position < first_[track + 1]; ++position) {
    const auto& slice = recorder_.slices()[order_[position]];
    const auto end_of_top = [&] { return recorder_.slices()[order_[top]].end; };
    while (top != kNone && end_of_top() <= slice.begin) top = parent_[top];
    if (top != kNone) {
      const auto& outer = recorder_.slices()[order_[top]];
      BRIGADE_CHECK(slice.end <= outer.end, "on track ", recorder_.tracks()[track].name, ": ",
                    recorder_.text(slice.name), " from ", slice.begin.ps, " ps to ", slice.end.ps,
                    " ps crosses the end of ", recorder_.text(outer.name), ", from ", outer.begin.ps,
                    " ps to ", outer.end.ps, " ps");
    }
    parent_[position] = top;
    top = position;
  }
}

// The innermost slice that holds `at`. Of two that meet there, an arrow leaves the one that ends (its cause)
// and enters the one that begins (its effect); where only one stands there it is that one.
uint32_t Timeline::holder(TrackId track, Time at, bool prefer_ending) const {
  const auto& slices = recorder_.slices();
  const auto begin = order_.begin() + static_cast<int64_t>(first_[track]);
  const auto end = order_.begin() + static_cast<int64_t>(first_[track + 1]);
  const auto innermost = [&](auto last, auto holds) {
    uint32_t position = last == begin ? kNone : static_cast<uint32_t>(last - order_.begin() - 1);
    while (position != kNone && !holds(slices[order_[position]].end)) position = parent_[position];
    return position;
  };
  const auto before = std::partition_point(begin, end, [&](uint32_t i) { return slices[i].begin < at; });
  const auto upto = std::partition_point(before, end, [&](uint32_t i) { return slices[i].begin <= at; });
  const uint32_t preferred = prefer_ending ? innermost(before, [&](Time t) { return t >= at; })
                                           : innermost(upto, [&](Time t) { return t > at; });
  if (preferred != kNone) return preferred;
  // `before` skips what only begins at `at`; a chain of parents skips neighbours that only end there.
  const uint32_t begins = innermost(upto, [&](Time t) { return t >= at; });
  return begins != kNone ? begins : innermost(before, [&](Time t) { return t >= at; });
}

int64_t Timeline::begin_ns(uint32_t position) const {
  return round_to_ns(recorder_.slices()[order_[position]].begin);
}

// `at` in nanoseconds, off the end where the slice has an inside: at its end a viewer may already see the
// next.
int64_t Timeline::inside_ns(uint32_t position, Time at) const {
  const int64_t begin = begin_ns(position);
  const int64_t end = round_to_ns(recorder_.slices()[order_[position]].end);
  return std::clamp(round_to_ns(at), begin, std::max(begin, end - 1));
}

bool Timeline::child_begins_with(uint32_t position) const {
  const uint32_t next = position + 1;
  return next < order_.size() && parent_[next] == position && begin_ns(next) == begin_ns(position);
}

void Timeline::bind_flows() {
  const auto& flows = recorder_.flows();
  arrows_.reserve(flows.size());
  for (uint32_t i = 0; i < flows.size(); ++i) {
    const auto& flow = flows[i];
    const uint32_t from = holder(flow.from, flow.from_at, true);
    const uint32_t to = holder(flow.to, flow.to_at, false);
    BRIGADE_CHECK(from != kNone, "arrow ", recorder_.text(flow.name), " leaves track ",
                  recorder_.tracks()[flow.from].name, " at ", flow.from_at.ps, " ps, where no slice is");
    BRIGADE_CHECK(to != kNone, "arrow ", recorder_.text(flow.name), " enters track ",
                  recorder_.tracks()[flow.to].name, " at ", flow.to_at.ps, " ps, where no slice is");
    const int64_t from_ns = child_begins_with(from) ? inside_ns(from, flow.from_at) : begin_ns(from);
    const bool to_begin = !child_begins_with(to) && begin_ns(to) >= from_ns;
    arrows_.push_back({i, from_ns, to_begin ? begin_ns(to) : std::max(from_ns, inside_ns(to, flow.to_at))});
  }
}

TraceCounts Timeline::counts() const {
  TraceCounts counts;
  for (TrackId id = 0; id < recorder_.tracks().size(); ++id) {
    const auto& track = recorder_.tracks()[id];
    if (slices(id).empty()) continue;
    counts.slices_by_track[absl::StrCat(recorder_.processes()[track.process].name, " / ", track.name)] +=
        static_cast<int64_t>(slices(id).size());
  }
  counts.flows = static_cast<int64_t>(arrows_.size());
  counts.counter_values = static_cast<int64_t>(recorder_.counters().size());
  return counts;
}

}  // namespace brigade
