// Measures work in a process of its own, so that its peak memory is its own too.
#pragma once
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "sim/base/check.h"

namespace brigade::bench {

inline double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}
inline double cpu_seconds(const rusage& use) { return seconds_of(use.ru_utime) + seconds_of(use.ru_stime); }

// CPU time of this process so far.
inline double cpu_seconds() {
  rusage use;
  getrusage(RUSAGE_SELF, &use);
  return cpu_seconds(use);
}

struct Process {
  double cpu_s = 0, wall_s = 0;
  double rss_mb = 0;  // at its peak
  int exit_code = -1;
};

// Runs `work` in a child process; its exit code is what `work` returns.
template <class Work>
Process in_child(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  BRIGADE_CHECK(child >= 0, "fork failed");
  if (child == 0) _exit(work());
  int status = 0;
  rusage use;
  BRIGADE_CHECK(wait4(child, &status, 0, &use) == child, "wait4 failed");
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  return {cpu_seconds(use), wall.count(), static_cast<double>(use.ru_maxrss) / 1024,
          WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

// How busy the machine is: figures mean little without it.
inline void print_load() {
  double load[3] = {};
  getloadavg(load, 3);
  std::printf("\nLoad average: %.1f on %ld cores\n\n", load[0], sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace brigade::bench
