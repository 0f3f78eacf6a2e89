// Rank 0 of a sweep: who runs what.
#pragma once
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/study/mpi_messages.h"
#include "sim/study/sweep.h"
#include "sim/study/worker_pool.h"

namespace brigade {

class MpiCoordinator {
 public:
  MpiCoordinator(const PreparedStudy& prepared, int ranks, int threads, double patience_s,
                 const std::vector<size_t>& points, std::vector<std::string>& messages);
  // Until every point has an outcome, or `on_outcome` returns false.
  void run(const std::function<bool(Outcome)>& on_outcome);
  // A rank was lost: MPI_Finalize would wait for it.
  bool lost_any() const { return lost_any_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Peer {
    bool ready = false, gone = false;  // said hello; lost, or refused
    size_t threads = 1;
    std::set<size_t> given;
    Clock::time_point heard;
  };

  void feed();
  void give(size_t rank);
  void take(const MpiMessage& message);
  void finish(Outcome outcome);
  void look_for_lost();
  void lose(size_t rank);

  WorkerPool own_;
  std::vector<Peer> peers_;  // by rank; 0 is this process
  std::chrono::duration<double> patience_;
  std::deque<size_t> waiting_;
  std::set<size_t> missing_;       // without an outcome
  std::map<size_t, int> losses_;   // by point
  std::vector<Outcome> outcomes_;  // not yet handed on
  std::vector<std::string>& messages_;
  bool lost_any_ = false;
};

}  // namespace brigade
