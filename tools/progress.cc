#include "tools/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace brigade {
namespace {

constexpr size_t kBarColumns = 30;
constexpr auto kPause = std::chrono::milliseconds(100);  // between two pictures

std::string time_left(double seconds) {
  if (seconds < 100) return absl::StrFormat("%.0f s", seconds);
  if (seconds < 6000) return absl::StrFormat("%.0f min", seconds / 60);
  return absl::StrFormat("%.1f h", seconds / 3600);
}

}  // namespace

Progress::Progress() : on_terminal_(isatty(STDERR_FILENO) == 1), begin_(Clock::now()), last_(begin_) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::show(size_t done, size_t total) {
  const Clock::time_point now = Clock::now();
  if (!on_terminal_ || total == 0 || now - last_ < kPause) return;
  last_ = now;
  shown_ = true;
  const double rate = static_cast<double>(done) / std::chrono::duration<double>(now - begin_).count();
  const size_t filled = kBarColumns * done / total;
  std::string bar(filled, '=');
  bar.resize(kBarColumns, ' ');
  absl::FPrintF(stderr, "\r[%s] %d/%d  %.3g points/s  %s left\033[K", bar, done, total, rate,
                time_left(static_cast<double>(total - done) / rate));
  std::fflush(stderr);
}

}  // namespace brigade
