#include "sim/workload/compute_stream.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace brigade {

ComputeStream::ComputeStream(JobId job, Rank rank, Tokens tokens, std::vector<ComputeChange> changes,
                             double share_of_comm, Simulation& simulation)
    : simulation_(&simulation),
      changes_(std::move(changes)),
      share_of_comm_(share_of_comm),
      work_(simulation.add_alarm(job, rank, tokens.work)) {
  if (changes_.empty()) return;
  change_ = simulation.add_alarm(job, rank, tokens.change);
  changed();
}

int64_t ComputeStream::rate_now() const {
  const Time now = simulation_->now();
  double share = 1;
  for (const ComputeChange& c : changes_) {
    if (now < c.begins || now >= c.ends) continue;
    if (c.stops) return 0;
    if (computes_) share *= c.share;
  }
  if (computes_) share /= jitter_;
  if (computes_ && communicates_) share *= share_of_comm_;
  return share == 1 ? kFull : std::max<int64_t>(1, std::llround(share * static_cast<double>(kFull)));
}

Duration ComputeStream::done() const {
  const auto passed = static_cast<__int128>((simulation_->now() - since_).ps) * rate_;
  return position_ + Duration{static_cast<int64_t>(passed / kFull)};
}

Time ComputeStream::when(Duration position) const {
  constexpr int64_t kLongest = INT64_MAX / 4;  // of an instant that never comes
  if (rate_ == kFull) return since_ + (position - position_);
  if (rate_ == 0) return position <= position_ ? since_ : kNever;
  const __int128 left = static_cast<__int128>((position - position_).ps) * kFull;
  return since_ + Duration{static_cast<int64_t>(std::min<__int128>(kLongest, (left + rate_ - 1) / rate_))};
}

bool ComputeStream::stopped() const {
  const Time now = simulation_->now();
  return std::any_of(changes_.begin(), changes_.end(),
                     [&](const ComputeChange& c) { return c.stops && c.begins <= now && now < c.ends; });
}

void ComputeStream::begin(bool computes) {
  computes_ = computes;
  since_ = simulation_->now();
  position_ = {};
  told_at_ = {};
  rate_ = rate_now();
}

void ComputeStream::tell_at(Duration position) {
  told_at_ = position;
  simulation_->set_alarm(work_, when(position));
}

void ComputeStream::update() {
  const int64_t rate = rate_now();
  if (rate == rate_) return;
  position_ = done();
  since_ = simulation_->now();
  rate_ = rate;
  if (told_at_ > position_) tell_at(told_at_);
}

void ComputeStream::communicates(bool yes) {
  communicates_ = yes;
  if (share_of_comm_ != 1) update();
}

void ComputeStream::changed() {
  update();
  const Time now = simulation_->now();
  Time next = kNever;
  for (const ComputeChange& c : changes_)
    for (const Time at : {c.begins, c.ends})
      if (at > now) next = std::min(next, at);
  simulation_->set_alarm(change_, next);
}

void ComputeStream::close() {
  told_at_ = {};
  simulation_->set_alarm(work_, kNever);
  if (!changes_.empty()) simulation_->set_alarm(change_, kNever);
}

}  // namespace brigade
