#include "sim/study/worker_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

namespace brigade {

WorkerPool::WorkerPool(int threads, const Study& study, const std::vector<Column>& columns) {
  for (int i = 0; i < std::max(threads, 1); ++i) threads_.emplace_back([&] { work(study, columns); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  pushed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::push(size_t point) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(point);
  }
  pushed_.notify_one();
}

std::optional<Outcome> WorkerPool::pop(int patience_ms) {
  std::unique_lock lock(mutex_);
  const auto has_ended = [&] { return !done_.empty(); };
  if (patience_ms < 0) {
    ended_.wait(lock, has_ended);
  } else if (!ended_.wait_for(lock, std::chrono::milliseconds(patience_ms), has_ended)) {
    return {};
  }
  Outcome outcome = std::move(done_.front());
  done_.pop_front();
  return outcome;
}

void WorkerPool::work(const Study& study, const std::vector<Column>& columns) {
  PointRunner runner(study, columns, clusters_);
  std::unique_lock lock(mutex_);
  for (;;) {
    pushed_.wait(lock, [&] { return closing_ || !waiting_.empty(); });
    if (closing_) return;
    const size_t point = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    Outcome outcome = runner.run(point);
    lock.lock();
    done_.push_back(std::move(outcome));
    ended_.notify_one();
  }
}

std::vector<std::string> input_hashes(const Study& study, const std::vector<size_t>& points, int threads) {
  std::vector<std::string> hashes(points.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    const std::vector<Column> none;
    TopologyCache unused;
    PointRunner runner(study, none, unused);
    for (size_t i = next++; i < points.size(); i = next++) hashes[i] = runner.input_hash(points[i]);
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  return hashes;
}

}  // namespace brigade
