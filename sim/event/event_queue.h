// The queue of future events, by instant: a monotone radix heap (Ahuja, Mehlhorn, Orlin, Tarjan, JACM 1990)
// with a sorted front.
//
// Time never goes back, so an event need not be compared with others: it lies in the bucket of the highest
// bit in which its instant differs from `base_`. The earliest bucket is dealt into lower ones when its turn
// comes, or sorted where it is small: then the engine can look ahead at what is due and fetch it from memory.
//
// Events leave in batches: all of one instant at once, in no defined order. What is pushed for the same
// instant while a batch is worked on forms the next batch. Push is O(1), an event is moved at most once a bit
// of its delay; nothing is allocated once the buckets have their size (`reserve`).
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/base/check.h"
#include "sim/base/time.h"

namespace brigade {

// T is trivially copyable and has a member `Time at`.
template <class T>
class EventQueue {
 public:
  // Room for `events` pending events in every bucket (address space only: pages are touched when used).
  void reserve(size_t events) {
    for (auto& b : bucket_) b.reserve(events);
    run_.reserve(events);
    due_.reserve(events);
    spare_.reserve(events);
  }

  // Inlined always: an event that is put together on the stack and copied whole from there costs more than
  // the rest.
  [[gnu::always_inline]] void push(const T& e) {
    const Time at = e.at;
    BRIGADE_CHECK(at >= now_, "event at ", at.ps, " ps pushed at ", now_.ps, " ps");
    ++size_;
    if (at.ps >= limit_) [[likely]]
      return put(e);
    insert(e);
  }

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  Time now() const { return now_; }

  // All events of the earliest instant; moves the clock there. Needs !empty(). The span lives until the next
  // call. `soon(span)` is told of events that will be due next, as soon as they are known, for prefetching.
  template <class Soon>
  std::span<T> next_batch(Soon&& soon) {
    due_.clear();
    if (front_ == run_.size()) refill(soon);
    if (!due_.empty()) {  // a whole bucket of one instant
      now_ = due_[0].at;
    } else {
      now_ = run_[front_].at;
      do due_.add(run_[front_++]);
      while (front_ < run_.size() && run_[front_].at == now_);
    }
    size_ -= due_.size();
    return {due_.begin(), due_.size()};
  }
  std::span<T> next_batch() {
    return next_batch([](std::span<const T>) {});
  }

 private:
  // A vector whose `add` is short enough to be inlined.
  class Bag {
   public:
    [[gnu::always_inline]] void add(const T& e) {
      if (size_ == room_.size()) [[unlikely]]
        room_.resize(std::max<size_t>(16, 2 * size_));
      room_[size_++] = e;
    }
    void reserve(size_t n) { room_.reserve(n); }
    void clear() { size_ = 0; }
    bool empty() const { return size_ == 0; }
    size_t size() const { return size_; }
    T& operator[](size_t i) { return room_[i]; }
    T* begin() { return room_.data(); }
    T* end() { return room_.data() + size_; }

   private:
    std::vector<T> room_;
    size_t size_ = 0;
  };
  static constexpr size_t kSortedMax = 64;  // a bucket up to this size is sorted at once
  static constexpr int kShiftsMax = 48;     // an insertion that would move more deals the front out again

  [[gnu::always_inline]] void put(const T& e) {
    const int b = std::bit_width(static_cast<uint64_t>(e.at.ps ^ base_));
    bucket_[b].add(e);
    full_ |= uint64_t{1} << b;
  }

  // Into the sorted front. Equal instants may stand in any order, so the new one goes behind them: no move.
  [[gnu::noinline]] void insert(T e) {
    size_t i = run_.size();
    run_.add(e);
    const size_t stop = i - front_ > size_t(kShiftsMax) ? i - kShiftsMax : front_;
    for (; i > stop && run_[i - 1].at > e.at; --i) run_[i] = run_[i - 1];
    run_[i] = e;
    if (i == stop && stop > front_ && run_[i - 1].at > e.at) deal_front();
  }

  // The front grew too long to insert into: its events go back into the buckets. All of them, and `base_`
  // before and after, agree in the bits above their old bucket, so that no other bucket changes.
  void deal_front() {
    spare_.clear();
    for (size_t i = front_; i < run_.size(); ++i) spare_.add(run_[i]);
    run_.clear();
    front_ = 0;
    base_ = limit_ = std::min_element(spare_.begin(), spare_.end(), Earlier{})->at.ps;
    for (const T& e : spare_) put(e);
    spare_.clear();
  }

  // The earliest bucket becomes `due_` (one instant) or the sorted front `run_`.
  template <class Soon>
  void refill(Soon& soon) {
    run_.clear();
    front_ = 0;
    for (;;) {
      BRIGADE_CHECK(full_ != 0, "next_batch of an empty queue");
      const int b = std::countr_zero(full_);
      Bag& from = bucket_[b];
      full_ &= full_ - 1;
      int64_t first = from[0].at.ps, last = first;
      for (const T& e : from) {
        first = std::min(first, e.at.ps);
        last = std::max(last, e.at.ps);
      }
      if (first == last) {
        std::swap(due_, from);
        base_ = first;
        limit_ = first + 1;
        return;
      }
      if (from.size() <= kSortedMax) {
        const int64_t past = ((first >> b) << b) + (int64_t{1} << b);  // every other bucket is later
        std::swap(run_, from);
        base_ = past - 1;
        limit_ = past;
        soon(std::span<const T>(run_.begin(), run_.size()));
        std::sort(run_.begin(), run_.end(), Earlier{});
        return;
      }
      base_ = limit_ = first;
      std::swap(spare_, from);
      for (const T& e : spare_) put(e);
      spare_.clear();
    }
  }

  struct Earlier {
    bool operator()(const T& x, const T& y) const { return x.at < y.at; }
  };

  Bag bucket_[64];  // instants are at most 63 bits
  Bag run_, due_, spare_;
  size_t front_ = 0, size_ = 0;
  uint64_t full_ = 0;  // bit b: bucket b is not empty
  int64_t base_ = 0, limit_ = 0;
  Time now_{};
};

}  // namespace brigade
