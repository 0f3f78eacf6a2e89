// A tiny alpha-beta evaluator, round by round: a round begins on all ranks when the one before has ended on
// all, and lasts until its last message is there. Every rank has a link in and a link out on each of two
// levels (inside its node, across nodes); a link serves its messages one after the other. No queue, no
// routes, no events.
//
// It holds for single executions whose messages are offered in an order in which no link runs dry.
#pragma once
#include "sim/collective/algorithm.h"

namespace brigade::oracle {

struct Level {
  int64_t alpha_ps;
  int64_t bytes_per_s;
};

// `group` ranks make a node; 1: all messages go across.
int64_t lockstep_time_ps(const Plan& plan, Rank group, Level inside, Level across);

}  // namespace brigade::oracle
