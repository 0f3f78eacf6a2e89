#include "sim/trace/counters.h"

#include <algorithm>
#include <array>

#include "sim/base/check.h"

namespace brigade {
namespace {

int64_t sum(int64_t a, int64_t b) { return a + b; }
int64_t larger(int64_t a, int64_t b) { return std::max(a, b); }

// In thousandths, rounded half up, so that the text has 3 decimals.
double percent(Duration part, Duration whole) {
  const auto thousandths = (static_cast<__int128>(part.ps) * 100'000 + whole.ps / 2) / whole.ps;
  return static_cast<double>(static_cast<int64_t>(thousandths)) / 1000;
}

}  // namespace

bool is_counter_unit(std::string_view key) {
  constexpr std::array<std::string_view, 27> kUnits = {
      "%",   "B",   "KB",   "MB",       "GB",       "TB",       "KiB",     "MiB",    "GiB",
      "TiB", "B/s", "KB/s", "MB/s",     "GB/s",     "Gb/s",     "FLOP/s",  "ps",     "ns",
      "us",  "ms",  "s",    "messages", "segments", "requests", "samples", "tokens", "ranks"};
  return std::find(kUnits.begin(), kUnits.end(), key) != kUnits.end();
}

TimeBins::TimeBins(Time window_begin, Time window_end, uint32_t count, Join join)
    : begin_(window_begin), end_(window_end), join_(join), values_(count) {
  BRIGADE_CHECK(count >= 2 && count % 2 == 0, count, " bins");
  BRIGADE_CHECK(window_begin <= window_end, "window from ", window_begin.ps, " ps to ", window_end.ps, " ps");
}

void TimeBins::reach(Time end) {
  const size_t half = values_.size() / 2;
  while ((end - begin_).ps > static_cast<int64_t>(values_.size()) * width_.ps) {
    for (size_t i = 0; i < half; ++i) values_[i] = join_(values_[2 * i], values_[2 * i + 1]);
    std::fill(values_.begin() + static_cast<int64_t>(half), values_.end(), 0);
    width_ = 2 * width_;
  }
}

UtilizationCounter::UtilizationCounter(Time window_begin, Time window_end, uint32_t bins)
    : bins_(window_begin, window_end, bins, sum) {}

void UtilizationCounter::busy(Time begin, Time end) {
  bins_.for_each(begin, end, [](int64_t& busy_ps, Duration length) { busy_ps += length.ps; });
}

void UtilizationCounter::idle(Time begin, Time end) {
  bins_.for_each(begin, end, [](int64_t& busy_ps, Duration length) { busy_ps -= length.ps; });
}

void UtilizationCounter::busy(Time begin, Time end, double share) {
  bins_.for_each(begin, end, [share](int64_t& busy_ps, Duration length) {
    busy_ps += static_cast<int64_t>(static_cast<double>(length.ps) * share);
  });
}

void UtilizationCounter::write(Recorder& recorder, ProcessId process, NameId name, Time end) {
  bins_.write(recorder, process, name, recorder.name("%"), end, [&](int64_t busy_ps, Duration length) {
    BRIGADE_CHECK(busy_ps <= length.ps, recorder.text(name), " is busy for ", busy_ps, " ps of ", length.ps,
                  " ps");
    return percent(picoseconds(busy_ps), length);
  });
}

QueueCounter::QueueCounter(Time window_begin, Time window_end, uint32_t bins)
    : bins_(window_begin, window_end, bins, larger), since_(window_begin) {}

void QueueCounter::set(Time at, Bytes depth) {
  bins_.for_each(since_, at, [&](int64_t& most, Duration) { most = std::max(most, depth_.count); });
  since_ = at;
  depth_ = depth;
}

void QueueCounter::write(Recorder& recorder, ProcessId process, NameId name, Time end) {
  set(end, depth_);
  bins_.write(recorder, process, name, recorder.name("KB"), end,
              [](int64_t most, Duration) { return static_cast<double>(most) / 1000; });
}

}  // namespace brigade
