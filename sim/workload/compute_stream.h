// A rank's compute stream: work that is done at a rate, and rates that change while it runs.
//
// Work is counted in the time that it takes at full speed, done from 0 on. The rate is a whole number of
// parts in 10^12; between changes of the rate the instant at which a position is reached is exact, rounded up
// to a picosecond; each change loses less than one picosecond of work. What ends at the instant of a change
// has ended.
//
// What slows it: changes of the scenario between two instants (a share of its speed; a pause), the rank's own
// collectives while they run, jitter. A pause also stops the host: work that is not compute.
#pragma once
#include <vector>

#include "sim/base/time.h"
#include "sim/engine/simulation.h"

namespace brigade {

// A timed change of one rank: computes at `share` of its speed, or does nothing.
struct ComputeChange {
  Time begins{}, ends = kNever;
  double share = 1;
  bool stops = false;
};

class ComputeStream {
 public:
  // The rank's job is told by two alarms: `work` when a position is reached, `change` when a change begins or
  // ends; it hands the latter to `changed`.
  struct Tokens {
    uint8_t work, change;
  };
  ComputeStream(JobId job, Rank rank, Tokens tokens, std::vector<ComputeChange> changes, double share_of_comm,
                Simulation& simulation);

  // Work begins now, at position 0; `computes`: on the GPU, not on the host.
  void begin(bool computes);
  // The job is told when `position` is reached.
  void tell_at(Duration position);
  // How much is done, and since when `position`, which is done, has been (since the last change of the rate).
  Duration done() const;
  Time when(Duration position) const;
  // Nothing is left to do, and nobody asks any more.
  void close();

  // Work that begins from now on takes so much longer.
  void jitter(double factor) { jitter_ = factor; }
  // Whether collectives of the rank run.
  void communicates(bool yes);
  // Whether a change stops it, and the host with it, now.
  bool stopped() const;
  // Whether rates ever change while work runs.
  bool varies() const { return !changes_.empty() || share_of_comm_ != 1; }
  void changed();

 private:
  static constexpr int64_t kFull = 1'000'000'000'000;
  int64_t rate_now() const;
  void update();

  Simulation* simulation_;
  std::vector<ComputeChange> changes_;
  double share_of_comm_, jitter_ = 1;
  AlarmId work_, change_ = 0;
  bool computes_ = true, communicates_ = false;
  int64_t rate_ = kFull;  // parts of kFull
  Time since_{};          // of this rate
  Duration position_{};   // done at `since_`
  Duration told_at_{};    // where this is done already, nobody asks
};

}  // namespace brigade
