#ifdef BRIGADE_MPI
#include "sim/study/mpi_coordinator.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "sim/report/json.h"

namespace brigade {
namespace {

constexpr int kPollMs = 1;
constexpr size_t kBatchMax = 32;  // points that a rank is given at once for each of its threads
constexpr int kLossesMax = 2;

}  // namespace

MpiCoordinator::MpiCoordinator(const PreparedStudy& prepared, int ranks, int threads, double patience_s,
                               const std::vector<size_t>& points, std::vector<std::string>& messages)
    : own_(threads, prepared.study, prepared.columns),
      peers_(static_cast<size_t>(ranks)),
      patience_(patience_s),
      waiting_(points.begin(), points.end()),
      missing_(points.begin(), points.end()),
      messages_(messages) {
  for (Peer& peer : peers_) peer.heard = Clock::now();
  peers_[0].ready = true;
  peers_[0].threads = static_cast<size_t>(threads);
}

void MpiCoordinator::run(const std::function<bool(Outcome)>& on_outcome) {
  while (!missing_.empty()) {
    feed();
    if (auto own = own_.pop(kPollMs)) {
      peers_[0].given.erase(own->row.point);
      finish(std::move(*own));
    }
    while (const auto message = receive()) take(*message);
    look_for_lost();
    for (Outcome& outcome : std::exchange(outcomes_, {}))
      if (!on_outcome(std::move(outcome))) return;
  }
}

void MpiCoordinator::feed() {
  for (size_t rank = 0; rank < peers_.size(); ++rank) {
    if (peers_[rank].ready && !peers_[rank].gone) give(rank);
  }
}

// Many points at once while many are left, so that short ones do not wait for messages; few at the end.
void MpiCoordinator::give(size_t rank) {
  Peer& peer = peers_[rank];
  size_t threads = 0;
  for (const Peer& other : peers_) threads += other.gone ? 0 : other.threads;
  const size_t share = std::clamp<size_t>(waiting_.size() / (4 * threads), 1, kBatchMax);
  const size_t wanted = peer.threads * (share + (share > 1 ? 1 : 0));
  if (waiting_.empty() || peer.given.size() >= wanted) return;
  std::vector<uint64_t> points;
  while (!waiting_.empty() && peer.given.size() < wanted) {
    points.push_back(waiting_.front());
    peer.given.insert(waiting_.front());
    waiting_.pop_front();
  }
  if (rank > 0) return send(static_cast<int>(rank), kPoints, pack(points));
  for (const uint64_t point : points) own_.push(point);
}

void MpiCoordinator::take(const MpiMessage& message) {
  const auto rank = static_cast<size_t>(message.rank);
  Peer& peer = peers_[rank];
  peer.heard = Clock::now();
  if (message.tag == kHello) {
    const size_t space = message.bytes.find(' ');
    uint32_t threads = 1;
    const std::string refusal = message.bytes.substr(space + 1);
    peer.ready = true;
    if (absl::SimpleAtoi(message.bytes.substr(0, space), &threads)) peer.threads = threads;
    if (refusal.empty()) return;
    peer.gone = true;
    messages_.push_back(absl::StrCat("rank ", rank, " takes no part: ", refusal));
  } else if (message.tag == kOutcome) {
    Outcome outcome = unpack_outcome(message.bytes);
    peer.given.erase(outcome.row.point);
    finish(std::move(outcome));
  }
}

// A point that was taken for lost may come twice; both outcomes are the same.
void MpiCoordinator::finish(Outcome outcome) {
  if (missing_.erase(outcome.row.point) > 0) outcomes_.push_back(std::move(outcome));
}

void MpiCoordinator::look_for_lost() {
  const Clock::time_point now = Clock::now();
  for (size_t rank = 1; rank < peers_.size(); ++rank) {
    if (!peers_[rank].gone && now - peers_[rank].heard > patience_) lose(rank);
  }
}

void MpiCoordinator::lose(size_t rank) {
  Peer& peer = peers_[rank];
  peer.gone = lost_any_ = true;
  size_t again = 0;
  for (const size_t point : std::exchange(peer.given, {})) {
    if (missing_.count(point) == 0) continue;
    if (++losses_[point] < kLossesMax) {
      waiting_.push_front(point);
      ++again;
      continue;
    }
    Outcome lost;
    lost.row.point = point;
    lost.row.error = "lost: the processes that ran it died";
    lost.line = line_of({{"point", point}, {"error", lost.row.error}});
    finish(std::move(lost));
  }
  messages_.push_back(absl::StrCat("rank ", rank, " was lost; ", again, again == 1 ? " point" : " points",
                                   " of its go to others"));
}

}  // namespace brigade

#endif
