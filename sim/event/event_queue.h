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
#include <array>
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
  EventQueue() = default;
  EventQueue(const EventQueue&) = delete;  // bags point into themselves

  // Room for `events` pending events in every bucket (address space only: pages are touched when used).
  void reserve(size_t events) {
    for (auto& b : bucket_) b.reserve(events);
    due_.reserve(events);
    spare_.reserve(events);
  }

  // Inlined always, and keeps no reference to `e`: so its parts are stored straight into the bucket. Put
  // together on the stack and copied whole from there it would cost more than all the rest.
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
    if (front_ == last_ && refill(soon)) {
      now_ = due_.begin()->at;
      size_ -= due_.size();
      return {due_.begin(), due_.size()};
    }
    const size_t first = front_++;
    now_ = run_[first].at;
    while (front_ < last_ && run_[front_].at == now_) ++front_;
    size_ -= front_ - first;
    return {&run_[first], front_ - first};
  }
  std::span<T> next_batch() {
    return next_batch([](std::span<const T>) {});
  }

 private:
  // A vector whose `add` is short enough to be inlined.
  class Bag {
   public:
    [[gnu::always_inline]] void add(const T& e) {
      if (end_ == stop_) [[unlikely]]
        grow();
      *end_++ = e;
    }
    void reserve(size_t n) {
      const size_t used = size();
      room_.reserve(n);
      point(used);
    }
    void clear() { end_ = room_.data(); }
    size_t size() const { return static_cast<size_t>(end_ - room_.data()); }
    T* begin() { return room_.data(); }
    T* end() { return end_; }

   private:
    [[gnu::noinline]] void grow() {
      const size_t used = size();
      room_.resize(std::max<size_t>(16, 2 * used));
      point(used);
    }
    void point(size_t used) {
      end_ = room_.data() + used;
      stop_ = room_.data() + room_.size();
    }
    std::vector<T> room_;
    T *end_ = nullptr, *stop_ = nullptr;
  };
  static constexpr size_t kSortedMax = 64;  // a bucket up to this size is sorted at once
  static constexpr size_t kRunMax = 4 * kSortedMax;
  static constexpr size_t kShiftsMax = 48;  // an insertion that would move more deals the front out again

  [[gnu::always_inline]] void put(const T& e) {
    const int b = std::bit_width(static_cast<uint64_t>(e.at.ps ^ base_));
    bucket_[b].add(e);
    full_ |= uint64_t{1} << b;
  }

  // Into the sorted front. Equal instants may stand in any order, so the new one goes behind them: no move.
  [[gnu::noinline]] void insert(T e) {
    const size_t stop = last_ - front_ > kShiftsMax ? last_ - kShiftsMax : front_;
    if (last_ == kRunMax || (stop > front_ && run_[stop - 1].at > e.at)) return deal_front(e);
    size_t i = last_++;
    for (; i > stop && run_[i - 1].at > e.at; --i) run_[i] = run_[i - 1];
    run_[i] = e;
  }

  // The front has no room for `e`, or would move too much for it: its events go back into the buckets. They,
  // `now_`, and `base_` before agree in the bits above their old bucket, so that no other bucket changes; and
  // from here on nothing is pushed before `base_`, which may never decrease. What lies before `front_` stays:
  // it is the batch that is being worked on.
  void deal_front(const T& e) {
    base_ = limit_ = now_.ps;
    for (size_t i = front_; i < last_; ++i) put(run_[i]);
    put(e);
    last_ = front_;
  }

  // The earliest bucket becomes `due_` if it is of one instant (then the result is true), or the sorted
  // front.
  template <class Soon>
  bool refill(Soon& soon) {
    front_ = last_ = 0;
    for (;;) {
      BRIGADE_CHECK(full_ != 0, "next_batch of an empty queue");
      const int b = std::countr_zero(full_);
      Bag& from = bucket_[b];
      full_ &= full_ - 1;
      int64_t first = from.begin()->at.ps, last = first;
      for (const T& e : from) {
        first = std::min(first, e.at.ps);
        last = std::max(last, e.at.ps);
      }
      if (first == last) {
        due_.clear();
        std::swap(due_, from);
        base_ = first;
        limit_ = first + 1;
        return true;
      }
      if (from.size() <= kSortedMax) {
        soon(std::span<const T>(from.begin(), from.size()));
        sort_front(from, first, last);
        from.clear();
        const int64_t past = ((first >> b) << b) + (int64_t{1} << b);  // every other bucket is later
        base_ = past - 1;
        limit_ = past;
        return false;
      }
      base_ = limit_ = first;
      std::swap(spare_, from);
      for (const T& e : spare_) put(e);
      spare_.clear();
    }
  }

  // Each event goes to the place that is the number of those before it: no branch to be mispredicted, and
  // four comparisons an instruction.
  void sort_front(Bag& from, int64_t first, int64_t last) {
    constexpr int kIndexBits = std::bit_width(kSortedMax - 1);
    const size_t n = last_ = from.size();
    const T* const events = from.begin();
    if (last - first >= int64_t{1} << (31 - kIndexBits)) {
      std::copy(from.begin(), from.end(), run_.begin());
      std::sort(run_.begin(), run_.begin() + n, Earlier{});
      return;
    }
    int32_t key[kSortedMax];  // distinct: equal instants by index
    for (size_t i = 0; i < n; ++i)
      key[i] = static_cast<int32_t>((events[i].at.ps - first) << kIndexBits | static_cast<int64_t>(i));
    const size_t even = (n + 7) & ~size_t{7};  // the comparisons run in fours
    for (size_t i = n; i < even; ++i) key[i] = INT32_MAX;
    for (size_t i = 0; i < n; ++i) {
      const int32_t mine = key[i];
      int32_t before = 0;
      for (size_t j = 0; j < even; ++j) before += key[j] < mine;
      run_[static_cast<size_t>(before)] = events[i];
    }
  }

  struct Earlier {
    bool operator()(const T& x, const T& y) const { return x.at < y.at; }
  };

  Bag bucket_[64];  // instants are at most 63 bits
  Bag due_, spare_;
  std::array<T, kRunMax> run_;
  size_t front_ = 0, last_ = 0;  // what is left of the sorted front
  size_t size_ = 0;
  uint64_t full_ = 0;  // bit b: bucket b is not empty
  int64_t base_ = 0, limit_ = 0;
  Time now_{};
};

}  // namespace brigade
