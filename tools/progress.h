// A bar on a terminal: "[=====>    ] 1234/10000  812 points/s  11 s left". Nothing elsewhere.
#pragma once
#include <chrono>
#include <cstddef>

namespace brigade {

class Progress {
 public:
  Progress();
  ~Progress();  // leaves the terminal without it
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(size_t done, size_t total);

 private:
  using Clock = std::chrono::steady_clock;
  bool on_terminal_;
  bool shown_ = false;
  Clock::time_point begin_, last_;
};

}  // namespace brigade
