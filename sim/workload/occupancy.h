// How long a rank's compute and comm streams are busy, and how long comm is while compute is not: exposed
// communication, measured as it happens and nowhere computed from a formula.
#pragma once
#include "sim/base/time.h"

namespace brigade {

class Occupancy {
 public:
  struct Totals {
    Duration compute{}, comm{}, exposed{};
    Totals operator-(const Totals& o) const {
      return {compute - o.compute, comm - o.comm, exposed - o.exposed};
    }
  };
  void compute(bool busy, Time now) {
    pass(now);
    compute_ = busy;
  }
  // Calls nest: the stream is busy from the first launch to the end of the last one.
  void comm_launched(Time now) {
    pass(now);
    ++launched_;
  }
  void comm_done(Time now) {
    pass(now);
    --launched_;
  }
  bool communicates() const { return launched_ > 0; }
  Totals totals(Time now) {
    pass(now);
    return totals_;
  }

 private:
  void pass(Time now) {
    const Duration d = now - since_;
    since_ = now;
    if (compute_) totals_.compute += d;
    if (launched_ > 0) totals_.comm += d;
    if (launched_ > 0 && !compute_) totals_.exposed += d;
  }
  Time since_{};
  bool compute_ = false;
  int launched_ = 0;
  Totals totals_;
};

}  // namespace brigade
