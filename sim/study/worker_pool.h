// Threads that run the points they are given. What they finish comes back in whatever order it ends; nothing
// that is computed depends on it.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "sim/study/point_runner.h"

namespace brigade {

class WorkerPool {
 public:
  // All of them outlive this. At least one thread.
  WorkerPool(int threads, const Study& study, const std::vector<Column>& columns);
  // Waits for the points that are running, drops the others.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int threads() const { return static_cast<int>(threads_.size()); }
  void push(size_t point);
  // The next one that ends; waits for it `patience_ms` at most, for ever if that is negative. Whoever waits
  // for ever has pushed something.
  std::optional<Outcome> pop(int patience_ms = -1);

 private:
  void work(const Study& study, const std::vector<Column>& columns);

  TopologyCache clusters_;
  std::mutex mutex_;
  std::condition_variable pushed_, ended_;
  std::deque<size_t> waiting_;
  std::deque<Outcome> done_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

// The input hash of each of `points`, in order.
std::vector<std::string> input_hashes(const Study& study, const std::vector<size_t>& points, int threads);

}  // namespace brigade
